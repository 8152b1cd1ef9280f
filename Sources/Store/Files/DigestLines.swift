/// Digests of files by their names, as `sha256sum` writes and reads them: 64 hexadecimal digits, two spaces, the name.
enum DigestLines {
    private static let nameOffset = 2 * FileDigest.byteCount + 2

    static func line(_ digest: FileDigest, _ name: String) -> [UInt8] { Array("\(digest.hex)  \(name)\n".utf8) }

    /// Lines that are none, such as the last one after a power cut, do not count.
    static func forEach(_ text: [UInt8], _ body: (_ digest: FileDigest, _ name: String) -> Void) {
        let complete = text.prefix(text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
        for line in complete.split(separator: UInt8(ascii: "\n")) where line.count > nameOffset {
            guard let digest = FileDigest(hex: line.prefix(2 * FileDigest.byteCount)) else { continue }
            body(digest, String(decoding: line.dropFirst(nameOffset), as: UTF8.self))
        }
    }
}
