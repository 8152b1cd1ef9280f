import Bytes
import Foundation

/// The bytes that a client wrote as a file's name, as text: always some, for the photo counts more than its name.
enum FileNameText {
    private static let gb18030 = String.Encoding(rawValue: 0x8000_0632)
    /// Those that mail knows besides UTF-8, by their names.
    private static let encodings: [String: String.Encoding] = [
        "gb2312": gb18030, "gbk": gb18030, "gb18030": gb18030, "cp936": gb18030, "big5": .init(rawValue: 0x8000_0a03),
        "shift_jis": .shiftJIS, "windows-31j": .shiftJIS, "cp932": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP, "euc-kr": .init(rawValue: 0x8000_0940),
        "ks_c_5601-1987": .init(rawValue: 0x8000_0940),
        "iso-8859-2": .isoLatin2, "iso-8859-15": .init(rawValue: 0x8000_020f), "windows-1250": .windowsCP1250,
        "windows-1251": .windowsCP1251, "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "koi8-r": .init(rawValue: 0x8000_0a02), "utf-16": .utf16, "utf-16be": .utf16BigEndian,
        "utf-16le": .utf16LittleEndian,
    ]

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
        case let name: encodings[name].flatMap { text(bytes, $0) }
        }
    }

    /// A name that aiohttp's forms carry, which say `%C3%9C` for `Ü` and `%20` for a blank.
    /// - Returns: nil where it cannot be one: those leave letters, digits and `-._~` alone.
    static func percentDecoded(_ name: String) -> String? {
        // A quote and the ends of lines have been read by the form already.
        let isPlain = { (byte: UInt8) in byte.isUnreserved || "%\"\r\n".utf8.contains(byte) }
        guard name.utf8.contains(UInt8(ascii: "%")), name.utf8.allSatisfy(isPlain) else { return nil }
        return PercentEncoding.decodeText(name)
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
    /// With every encoded word in it read; nil where there is none. Blanks between two of them are none of the text's.
    static func decode(_ text: String) -> String? {
        var decoded = ""
        var run: (charset: String, bytes: [UInt8])?
        var hasWords = false
        var rest = text[...]
        // Some cut a character in two, so that what one character set wrote is read as one.
        func end(_ words: (charset: String, bytes: [UInt8])?) -> String? {
            words.map { FileNameText.decode($0.bytes, charset: $0.charset) } ?? ""
        }
        while let begin = rest.firstRange(of: "=?") {
            guard let (word, behind) = word(in: rest[begin.lowerBound...]) else {
                guard let words = end(run) else { return nil }
                decoded += words + rest[..<begin.upperBound]
                (run, rest) = (nil, rest[begin.upperBound...])
                continue
            }
            let between = rest[..<begin.lowerBound]
            if let before = run, before.charset == word.charset, between.allSatisfy(\.isWhitespace) {
                run = (before.charset, before.bytes + word.bytes)
            } else {
                guard let words = end(run) else { return nil }
                decoded += words
                if run == nil || !between.allSatisfy(\.isWhitespace) { decoded += between }
                run = word
            }
            (hasWords, rest) = (true, behind)
        }
        guard hasWords, let words = end(run) else { return nil }
        return decoded + words + rest
    }

    /// The encoded word with which a text begins, and what stands behind it.
    private static func word(in text: Substring) -> ((charset: String, bytes: [UInt8]), Substring)? {
        let pieces = text.split(separator: "?", maxSplits: 4, omittingEmptySubsequences: false)
        guard pieces.count == 5, pieces[4].first == "=" else { return nil }
        let bytes: [UInt8]? =
            switch pieces[2].lowercased() {
            case "b": Base64.decode(pieces[3])
            case "q": quoted(pieces[3])
            default: nil
            }
        guard let bytes else { return nil }
        return ((pieces[1].prefix { $0 != "*" }.lowercased(), bytes), pieces[4].dropFirst())
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
