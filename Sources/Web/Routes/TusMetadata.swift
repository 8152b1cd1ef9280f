package import FoundationEssentials

/// `Upload-Metadata`: what a client says of its file. Keys that mean nothing here are checked for their form only.
package struct TusMetadata: Equatable, Sendable {
    private static let longestType = 255
    private static let longestID = 256

    package private(set) var filename: String?
    package private(set) var type: String?
    package private(set) var lastModified: Date?
    /// The client's own name of this upload, by which creating it twice makes one.
    package private(set) var clientID: String?
    package private(set) var batch: String?

    /// - Parameter field: pairs of a key and base64, separated by commas; a value that is missing is empty.
    /// - Throws: `malformedRequest`.
    package init(field: String) throws(WebError) {
        guard field.contains(where: { $0 != " " }) else { return }
        var values: [Substring: [UInt8]] = [:]
        for pair in field.split(separator: ",", omittingEmptySubsequences: false) {
            let (key, value) = try Self.split(pair)
            guard values.updateValue(value, forKey: key) == nil else {
                throw .malformedRequest("Upload-Metadata has the key \(key) twice")
            }
        }
        try read(values)
    }

    private static func split(_ pair: Substring) throws(WebError) -> (Substring, [UInt8]) {
        let words = pair.split(separator: " ")
        let visible: ClosedRange<UInt8> = 0x21...0x7e
        guard let key = words.first, words.count <= 2, key.utf8.allSatisfy(visible.contains) else {
            throw .malformedRequest("Upload-Metadata is not a list of keys with base64")
        }
        guard let value = Base64.decode(words.dropFirst().first ?? "") else {
            throw .malformedRequest("Upload-Metadata has a value that is not base64")
        }
        return (key, value)
    }

    private mutating func read(_ values: [Substring: [UInt8]]) throws(WebError) {
        filename = try Self.text("filename", values, longest: .max)
        type = try Self.text("filetype", values, longest: Self.longestType)
        clientID = try Self.text("cid", values, longest: Self.longestID)
        batch = try Self.text("batch", values, longest: Self.longestID)
        guard let moment = try Self.text("lastModified", values, longest: 64) else { return }
        lastModified = CivilTime.parse(moment)
        guard lastModified != nil else {
            throw .malformedRequest("lastModified is neither RFC 3339 nor milliseconds since 1970")
        }
    }

    private static func text(
        _ key: Substring, _ values: [Substring: [UInt8]], longest: Int
    ) throws(WebError) -> String? {
        guard let bytes = values[key] else { return nil }
        guard bytes.count <= longest, let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformedRequest("Upload-Metadata has a \(key) that is too long or not UTF-8")
        }
        return text
    }
}
