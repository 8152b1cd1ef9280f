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
