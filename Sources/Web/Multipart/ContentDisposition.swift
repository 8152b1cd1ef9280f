import Bytes
import Foundation
import NIOCore

/// `Content-Disposition`, read for the name of what is sent (RFC 6266, RFC 7578) and written for what is fetched.
package struct ContentDisposition: Equatable, Sendable {
    /// `form-data`, `attachment`, `inline`, …, in lower case.
    package let type: String
    /// The form field's name.
    package let name: String?
    /// `filename*` when it can be read, else `filename`. Data only: it may hold any character.
    package let filename: String?

    /// - Parameter quoting: `.form` inside a form's part, `.header` for a request's own field.
    /// - Throws: `ParameterizedField.Malformed`.
    package init(
        parsing bytes: [UInt8], quoting: ParameterizedField.Quoting
    ) throws(ParameterizedField.Malformed) {
        let field = try ParameterizedField(parsing: bytes, quoting: quoting)
        type = field.value
        name = field.parameters["name"].map(FileNameText.decode)
        let plain = field.parameters["filename"].map { FileNameText.decode(Self.withoutDoubling($0, quoting)) }
        filename =
            field.parameters["filename*"].flatMap(Self.extendedText) ?? plain ?? Self.continued(field.parameters)
    }

    /// The field value that offers `filename` to the client: an ASCII stand-in first, then the name itself. Clients such
    /// as `curl -OJ` know the stand-in only, so that of another name is another one.
    package static func format(inline: Bool, filename: String) -> String {
        let fallback = standIn(for: filename)
        let type = inline ? "inline" : "attachment"
        return "\(type); filename=\"\(fallback)\"; filename*=UTF-8''\(PercentEncoding.encodeAttribute(filename))"
    }

    /// Some clients write two backslashes for one (httpx, those in Go), browsers one. A name in which all of them come
    /// by twos is of the first.
    private static func withoutDoubling(_ bytes: [UInt8], _ quoting: ParameterizedField.Quoting) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard quoting == .form, bytes.contains(backslash), !bytes.starts(with: [backslash, backslash]),
            bytes.split(whereSeparator: { $0 != backslash }).allSatisfy({ $0.count.isMultiple(of: 2) })
        else { return bytes }
        var isSecond = false
        return bytes.filter { byte in
            isSecond = byte == backslash && !isSecond
            return byte != backslash || isSecond
        }
    }

    /// A name in several parameters, `filename*0*=UTF-8''…; filename*1=…`, as mail cuts long ones (RFC 2231 section 3).
    private static func continued(_ parameters: [String: [UInt8]]) -> String? {
        var bytes: [UInt8] = []
        var charset: String?
        for number in 0... {
            if let piece = parameters["filename*\(number)"] {
                bytes += piece
            } else if let piece = parameters["filename*\(number)*"] {
                let sides = piece.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
                if number == 0, sides.count == 3 { charset = String(decoding: sides[0], as: UTF8.self) }
                guard let decoded = PercentEncoding.decode(charset != nil && number == 0 ? sides[2] : piece[...]) else {
                    return nil
                }
                bytes += decoded
            } else {
                break
            }
        }
        guard !bytes.isEmpty else { return nil }
        return charset.flatMap { FileNameText.decode(bytes, charset: $0) } ?? FileNameText.decode(bytes)
    }

    private static func standIn(for filename: String) -> String {
        let name = PortableName(filename)
        let isPlain = { (scalar: Unicode.Scalar) in (0x20..<0x7f).contains(scalar.value) && scalar != "%" }
        // A name that had to be changed may have become another's.
        guard name.text != filename || !name.text.unicodeScalars.allSatisfy(isPlain) else { return name.text }
        var checksum = ZipChecksum()
        checksum.append(ByteBuffer(string: filename))
        let digits = String(checksum.value, radix: 16)
        let mark = "-" + String(repeating: "0", count: 8 - digits.count) + digits
        let plain = name.appending(mark).text.unicodeScalars.map { isPlain($0) ? $0 : "_" }
        return String(String.UnicodeScalarView(plain))
    }

    /// The text of an RFC 8187 value, such as `UTF-8'language'percent-encoded`.
    private static func extendedText(_ bytes: [UInt8]) -> String? {
        let pieces = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let decoded = PercentEncoding.decode(pieces[2]) else { return nil }
        return FileNameText.decode(decoded, charset: String(decoding: pieces[0], as: UTF8.self))
    }
}

/// What head fields say of a content, of a request as of a form's part, by which it cannot be a file as it is.
enum ContentFields {
    /// Media types whose content is parts, a piece of one, or the way to one.
    private static let pieceTypes = [
        "multipart/byteranges", "multipart/x-byteranges", "message/partial", "message/external-body",
        "application/partial-upload", "application/offset+octet-stream", "application/x-sabredav-partialupdate",
    ]

    /// - Throws: `partOfFile` for a type by which the content cannot be a whole file.
    static func requireWhole(type: String?) throws(WebError) {
        let type = type?.lowercased() ?? ""
        guard !pieceTypes.contains(where: type.hasPrefix) else { throw .partOfFile }
    }

    /// - Parameter encoding: the value of `Content-Transfer-Encoding`
    /// - Throws: `unsupportedContentEncoding` where the bytes are not the file's own.
    static func requirePlain(_ encoding: String) throws(WebError) {
        guard ["binary", "8bit", "7bit"].contains(encoding.lowercased()) else { throw .unsupportedContentEncoding }
    }
}

/// A header value with parameters, such as `form-data; name="photos"; filename="a.jpg"`.
///
/// Values stay bytes: whether they are UTF-8 is for the reader of each parameter to decide. Linear in the input.
package struct ParameterizedField: Equatable, Sendable {
    /// How a quoted value writes the characters that would end it.
    package enum Quoting: Sendable {
        /// RFC 9110: a backslash takes any next character literally.
        case header
        /// HTML forms: `%22`, `%0D` and `%0A` stand for `"`, CR and LF; a backslash is an ordinary character, except
        /// before a quote that is not the last one, as some other clients write.
        case form
    }

    package struct Malformed: Error {}

    /// The part before the first semicolon, in lower case.
    package let value: String
    /// Parameters by their name in lower case. A name given twice makes the field malformed.
    package let parameters: [String: [UInt8]]

    package init(parsing bytes: [UInt8], quoting: Quoting) throws(Malformed) {
        var reader = Reader(bytes: bytes[...], quoting: quoting)
        guard let value = reader.readToken(until: UInt8(ascii: ";")), !value.isEmpty else { throw Malformed() }
        self.value = value
        var parameters: [String: [UInt8]] = [:]
        while let (name, value) = try reader.readParameter() {
            guard parameters.updateValue(value, forKey: name) == nil else { throw Malformed() }
        }
        self.parameters = parameters
    }
}

/// A cursor over the bytes of one field value.
private struct Reader {
    var bytes: ArraySlice<UInt8>
    let quoting: ParameterizedField.Quoting

    /// The text up to `end` or the end of the field, in lower case and without surrounding space; `nil` when it holds
    /// anything but visible ASCII.
    mutating func readToken(until end: UInt8) -> String? {
        let token = bytes.prefix { $0 != end }
        bytes = bytes[token.endIndex...]
        let trimmed = token.trimmingBlanks()
        guard trimmed.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }) else { return nil }
        return String(decoding: trimmed, as: UTF8.self).lowercased()
    }

    /// The next `; name=value`, or `nil` at the end. A lone trailing semicolon is tolerated.
    mutating func readParameter() throws(ParameterizedField.Malformed) -> (String, [UInt8])? {
        bytes = bytes.drop(while: \.isBlank)
        guard bytes.popFirst() == UInt8(ascii: ";") else {
            guard bytes.isEmpty else { throw ParameterizedField.Malformed() }
            return nil
        }
        bytes = bytes.drop(while: \.isBlank)
        guard !bytes.isEmpty else { return nil }
        guard let name = readToken(until: UInt8(ascii: "=")), !name.isEmpty,
            bytes.popFirst() == UInt8(ascii: "=")
        else { throw ParameterizedField.Malformed() }
        bytes = bytes.drop(while: \.isBlank)
        guard bytes.first == UInt8(ascii: "\"") else {
            let value = bytes.prefix { $0 != UInt8(ascii: ";") }
            bytes = bytes[value.endIndex...]
            return (name, Array(value.trimmingBlanks()))
        }
        bytes.removeFirst()
        return (name, try readQuoted())
    }

    private mutating func readQuoted() throws(ParameterizedField.Malformed) -> [UInt8] {
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\"")) else { throw ParameterizedField.Malformed() }
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return value
            case UInt8(ascii: "\\") where quoting == .header:
                guard let next = bytes.popFirst() else { throw ParameterizedField.Malformed() }
                value.append(next)
            case UInt8(ascii: "\\") where bytes.first == UInt8(ascii: "\"") && bytes.startIndex < last:
                value.append(bytes.removeFirst())
            case UInt8(ascii: "%") where quoting == .form:
                value.append(readFormEscape() ?? byte)
            default:
                value.append(byte)
            }
        }
        throw ParameterizedField.Malformed()
    }

    /// The character of `%22`, `%0D` or `%0A`, the only three that the HTML standard escapes here.
    private mutating func readFormEscape() -> UInt8? {
        let escapes: [([UInt8], UInt8)] = [
            (Array("22".utf8), UInt8(ascii: "\"")), (Array("0D".utf8), 0x0d), (Array("0A".utf8), 0x0a),
        ]
        for (digits, character) in escapes where bytes.starts(with: digits) {
            bytes = bytes.dropFirst(digits.count)
            return character
        }
        return nil
    }
}

extension UInt8 {
    /// Space or tab: what may stand around the pieces of a header field.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
    func trimmingBlanks() -> Self {
        var slice = drop(while: \.isBlank)
        while let last = slice.last, last.isBlank { slice.removeLast() }
        return slice
    }
}

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

    /// In bytes: no encoded word is looked for in a longer one.
    private static let longestEncoded = 4096

    /// UTF-8; else what computers set to Chinese write; else what those of Western Europe do. Encoded words of mail (RFC
    /// 2047), which .NET writes, are read.
    static func decode(_ bytes: [UInt8]) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { return legacy(bytes).streamSafe }
        return (bytes.count <= longestEncoded ? EncodedWords.decode(text) ?? text : text).streamSafe
    }

    /// - Returns: nil for a character set that is not known, or that these bytes are not of.
    static func decode(_ bytes: [UInt8], charset: String) -> String? {
        let text =
            switch charset.lowercased() {
            case "utf-8", "us-ascii", "utf8": String(validating: bytes, as: UTF8.self)
            case "iso-8859-1", "windows-1252": Self.text(bytes, .windowsCP1252) ?? Self.text(bytes, .isoLatin1)
            case let name: encodings[name].flatMap { Self.text(bytes, $0) }
            }
        return text?.streamSafe
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
