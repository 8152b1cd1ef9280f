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
