package import FoundationEssentials
import Media
package import Records

/// `Upload-Metadata`: what a client says of its file. Keys that mean nothing here are checked for their form only.
package struct TusMetadata: Equatable, Sendable {
    private static let longestType = 255
    private static let longestTime = 64
    private static let longestID = 256

    package private(set) var filename: String?
    package private(set) var type: String?
    package private(set) var lastModified: Date?
    /// When the client thinks that it was taken, and in which zone.
    package private(set) var taken: CaptureHint?
    /// The client's own name of this upload, by which creating it twice makes one.
    package private(set) var clientID: String?
    package private(set) var batch: String?
    /// The name of the album that it is to join.
    package private(set) var album: String?

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

    /// Of what only describes the file, odd values are left out: no photo is refused for them.
    private mutating func read(_ values: [Substring: [UInt8]]) throws(WebError) {
        filename = Self.description(["filename", "name"], values).map(FileNameText.decode)
        type = Self.description(["filetype", "type"], values)
            .flatMap { $0.count <= Self.longestType ? String(validating: $0, as: UTF8.self) : nil }
        lastModified = Self.description(["lastModified"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(CivilTime.parse)
        taken = Self.description(["taken"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(Self.hint)
        clientID = try Self.text("cid", values)
        batch = try Self.text("batch", values)
        album = try Self.text("album", values).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// RFC 3339: with a zone, or it says nothing that the file does not say itself.
    private static func hint(_ text: String) -> CaptureHint? {
        guard let moment = CivilTime.parse(text), text.utf8.count > 6 else { return nil }
        var scanner = TextScanner(String(text.suffix(6)))
        return scanner.zone().map { CaptureHint(moment: moment, offsetMinutes: $0) }
    }

    /// The value of the first of these keys that has one.
    private static func description(_ keys: [Substring], _ values: [Substring: [UInt8]]) -> [UInt8]? {
        keys.lazy.compactMap { values[$0] }.first { !$0.isEmpty }
    }

    private static func text(_ key: Substring, _ values: [Substring: [UInt8]]) throws(WebError) -> String? {
        guard let bytes = values[key] else { return nil }
        guard bytes.count <= longestID, let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformedRequest("Upload-Metadata has a \(key) that is too long or not UTF-8")
        }
        return text
    }
}
