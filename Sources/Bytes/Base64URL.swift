/// RFC 4648 section 5, without padding: for cookies and handles.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each character of the alphabet, by its code.
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count * 8 + 5) / 6
        return String(unsafeUninitializedCapacity: count) { text in
            for position in 0..<count {
                // Six bits, from the byte in which they begin and the one behind it.
                let (first, offset) = (position * 6).quotientAndRemainder(dividingBy: 8)
                let pair = UInt16(bytes[first]) << 8 | UInt16(first + 1 < bytes.count ? bytes[first + 1] : 0)
                text[position] = alphabet[Int(pair >> (10 - offset) & 63)]
            }
            return count
        }
    }

    /// Nil for anything that `encode` does not produce.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 1024, text.utf8.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 {
            guard let value = values[Int(character)] else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        // What is left over of the last character is zeros.
        return bits & (1 << bitCount - 1) == 0 ? bytes : nil
    }
}

/// Bytes as text, two digits each.
package enum Hexadecimal {
    private static let lowercase: StaticString = "0123456789abcdef"
    private static let uppercase: StaticString = "0123456789ABCDEF"

    /// In small letters.
    package static func encode(_ bytes: some Collection<UInt8>) -> String { encode(bytes, lowercase) }

    package static func encodeInCapitals(_ bytes: some Collection<UInt8>) -> String { encode(bytes, uppercase) }

    private static func encode(_ bytes: some Collection<UInt8>, _ digits: StaticString) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var index = 0
            for byte in bytes {
                text[index] = digits.utf8Start[Int(byte >> 4)]
                text[index + 1] = digits.utf8Start[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// - Returns: `nil` unless the text is pairs of hexadecimal digits, of either case.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(\.hexadecimalDigit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

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

    /// The decoded text, stream-safe, or `nil` when it is malformed or not UTF-8.
    package static func decodeText(_ bytes: some Sequence<UInt8>) -> String? {
        decode(bytes).flatMap { String(validating: $0, as: UTF8.self)?.streamSafe }
    }

    package static func decodeText(_ text: some StringProtocol) -> String? { decodeText(text.utf8) }

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
