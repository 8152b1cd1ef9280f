/// Percent-encoding of RFC 3986 over bytes, decoded exactly once.
package enum PercentEncoding {
    /// The decoded bytes, or `nil` when a percent sign is not followed by two hexadecimal digits.
    package static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexadecimalDigit, let low = iterator.next()?.hexadecimalDigit else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// The decoded text, or `nil` when it is malformed or not UTF-8.
    package static func decodeText(_ text: some StringProtocol) -> String? {
        decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Writes every byte outside RFC 8187's `attr-char` as `%XX`.
    package static func encodeAttribute(_ text: String) -> String { encode(text, keeping: \.isAttributeCharacter) }

    /// A part of a path: every byte that is not `unreserved` in RFC 3986 becomes `%XX`.
    package static func encodePathPart(_ text: String) -> String { encode(text, keeping: \.isUnreserved) }

    /// A path: as its parts, with the slashes between them as they are.
    package static func encodePath(_ text: String) -> String {
        encode(text) { $0.isUnreserved || $0 == UInt8(ascii: "/") }
    }

    /// Every byte but those that are kept, which are ASCII, as `%XX`.
    package static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if isKept(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + Hexadecimal.encodeInCapitals(CollectionOfOne(byte))
            }
        }
        return encoded
    }
}

extension UInt8 {
    private var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// `attr-char` of RFC 8187: may stand unescaped in `filename*`.
    fileprivate var isAttributeCharacter: Bool { isLetterOrDigit || "!#$&+-.^_`|~".utf8.contains(self) }
    /// `unreserved` of RFC 3986: may stand unescaped anywhere in a URI.
    package var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }
}
