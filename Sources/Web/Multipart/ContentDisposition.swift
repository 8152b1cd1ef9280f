import Bytes
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
