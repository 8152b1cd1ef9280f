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
    /// Where it lies: folders and name.
    package private(set) var path: String?

    /// What decides where the photo goes, and has to be read rightly or not at all.
    private static let deciding: Set<Substring> = ["cid", "batch", "album"]

    /// Clients put other things there, too, and write them in other ways: a pair that cannot be read is left out, and of
    /// two with one key the first counts.
    /// - Parameter field: pairs of a key and base64, separated by commas; a value that is missing is empty.
    /// - Throws: `malformedRequest` where `cid`, `batch` or `album` cannot be read.
    package init(field: String) throws(WebError) {
        var values: [Substring: [UInt8]] = [:]
        for pair in field.split(separator: ",") {
            let words = pair.split { $0 == " " || $0 == "\t" }
            guard let key = words.first else { continue }
            let isDeciding = Self.deciding.contains(key)
            let value = words.count <= 2 ? Base64.decode(words.dropFirst().first ?? "") : nil
            guard !isDeciding || value != nil && values[key] == nil else {
                throw .malformedRequest("Upload-Metadata has a \(key) that is not base64, or two of them")
            }
            // A name that was written as it is says more than none.
            guard let value = value ?? Self.plain(pair, key), values[key] == nil else { continue }
            values[key] = value
        }
        try read(values)
    }

    private static func plain(_ pair: Substring, _ key: Substring) -> [UInt8]? {
        guard key == "filename" || key == "name" else { return nil }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        return Array(pair.drop(while: isBlank).dropFirst(key.count).drop(while: isBlank).utf8)
    }

    /// Of what only describes the file, odd values are left out: no photo is refused for them.
    private mutating func read(_ values: [Substring: [UInt8]]) throws(WebError) {
        filename = Self.description(["filename", "name"], values).map(FileNameText.decode)
        type = Self.description(["filetype", "type"], values)
            .flatMap { $0.count <= Self.longestType ? String(validating: $0, as: UTF8.self) : nil }
        lastModified = Self.description(["lastModified"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(UTCTime.parse)
        taken = Self.description(["taken"], values)
            .flatMap { String(validating: $0.prefix(Self.longestTime), as: UTF8.self) }.flatMap(Self.hint)
        path = Self.description(["relativePath"], values).flatMap { String(validating: $0, as: UTF8.self) }
        clientID = try Self.text("cid", values)
        batch = try Self.text("batch", values)
        album = try Self.text("album", values).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// RFC 3339: with a zone, or it says nothing that the file does not say itself.
    private static func hint(_ text: String) -> CaptureHint? {
        guard let moment = UTCTime.parse(text), text.utf8.count > 6 else { return nil }
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
