/// `Content-Disposition`, read for the name of what is sent (RFC 6266, RFC 7578) and written for what is fetched.
package struct ContentDisposition: Equatable, Sendable {
    /// `form-data`, `attachment`, `inline`, …, in lower case.
    package let type: String
    /// The form field's name.
    package let name: String?
    /// `filename*` when it is valid UTF-8 in percent-encoding, else `filename`. Data only: it may hold any character.
    package let filename: String?

    /// - Parameter quoting: `.form` inside a form's part, `.header` for a request's own field.
    /// - Throws: `ParameterizedField.Malformed`, also for a name that is not UTF-8.
    package init(
        parsing bytes: [UInt8], quoting: ParameterizedField.Quoting
    ) throws(ParameterizedField.Malformed) {
        let field = try ParameterizedField(parsing: bytes, quoting: quoting)
        type = field.value
        name = try Self.text(field.parameters["name"])
        let plain = try Self.text(field.parameters["filename"])
        filename = field.parameters["filename*"].flatMap(Self.extendedText) ?? plain
    }

    /// The field value that offers `filename` to the client: an ASCII stand-in first, then the name itself.
    package static func format(inline: Bool, filename: String) -> String {
        let fallback = String(
            String.UnicodeScalarView(
                filename.unicodeScalars.map { scalar in
                    let isPlain = (0x20..<0x7f).contains(scalar.value) && !"\"\\%/".unicodeScalars.contains(scalar)
                    return isPlain ? scalar : "_"
                }))
        let type = inline ? "inline" : "attachment"
        return "\(type); filename=\"\(fallback)\"; filename*=UTF-8''\(PercentEncoding.encodeAttribute(filename))"
    }

    private static func text(_ bytes: [UInt8]?) throws(ParameterizedField.Malformed) -> String? {
        guard let bytes else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ParameterizedField.Malformed() }
        return text
    }

    /// The text of an RFC 8187 value, `UTF-8'language'percent-encoded`.
    private static func extendedText(_ bytes: [UInt8]) -> String? {
        let pieces = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, String(decoding: pieces[0], as: UTF8.self).lowercased() == "utf-8" else { return nil }
        return PercentEncoding.decode(pieces[2]).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
