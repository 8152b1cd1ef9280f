import Bytes
import Foundation

/// The bytes that a client wrote as a file's name, as text: always some, for the photo counts more than its name.
enum FileNameText {
    private static let gb18030 = String.Encoding(rawValue: 0x8000_0632)

    /// UTF-8; else what computers set to Chinese write; else what those of Western Europe do. Encoded words of mail (RFC
    /// 2047), which .NET writes, are read.
    static func decode(_ bytes: [UInt8]) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { return legacy(bytes) }
        return EncodedWords.decode(text) ?? text
    }

    /// - Returns: nil for a character set that is not known, or that these bytes are not of.
    static func decode(_ bytes: [UInt8], charset: String) -> String? {
        switch charset.lowercased() {
        case "utf-8", "us-ascii", "utf8": String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "windows-1252": text(bytes, .windowsCP1252) ?? text(bytes, .isoLatin1)
        case "gb2312", "gbk", "gb18030", "cp936": text(bytes, gb18030)
        case "shift_jis": text(bytes, .shiftJIS)
        default: nil
        }
    }

    private static func legacy(_ bytes: [UInt8]) -> String {
        let chinese = isPaired(bytes) ? text(bytes, gb18030) : nil
        return chinese ?? text(bytes, .windowsCP1252) ?? String(decoding: bytes, as: UTF8.self)
    }

    /// Whether bytes above ASCII come by twos, as Chinese characters do and single letters with an accent do not.
    private static func isPaired(_ bytes: [UInt8]) -> Bool {
        bytes.split { $0 < 0x80 }.allSatisfy { $0.count.isMultiple(of: 2) }
    }

    private static func text(_ bytes: [UInt8], _ encoding: String.Encoding) -> String? {
        String(data: Data(bytes), encoding: encoding)
    }
}

/// Words such as `=?utf-8?B?TcO8bGxlci5qcGc=?=` (RFC 2047 section 2).
enum EncodedWords {
    /// Nil for a text that is not made of encoded words alone.
    static func decode(_ text: String) -> String? {
        guard text.hasPrefix("=?"), text.hasSuffix("?=") else { return nil }
        var decoded = ""
        for word in text.split(separator: " ") {
            guard let part = decodeWord(word) else { return nil }
            decoded += part
        }
        return decoded
    }

    private static func decodeWord(_ word: Substring) -> String? {
        let pieces = word.split(separator: "?", omittingEmptySubsequences: false)
        guard pieces.count == 5, pieces[0] == "=", pieces[4] == "=" else { return nil }
        let bytes: [UInt8]? =
            switch pieces[2].lowercased() {
            case "b": Base64.decode(pieces[3])
            case "q": quoted(pieces[3])
            default: nil
            }
        let charset = pieces[1].prefix { $0 != "*" }
        return bytes.flatMap { FileNameText.decode($0, charset: String(charset)) }
    }

    private static func quoted(_ text: Substring) -> [UInt8]? {
        PercentEncoding.decode(
            text.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "_"): [0x20]
                case UInt8(ascii: "="): [UInt8(ascii: "%")]
                case UInt8(ascii: "%"): Array("%25".utf8)
                default: [byte]
                }
            })
    }
}
