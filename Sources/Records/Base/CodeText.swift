import Bytes
package import Sealing

/// How 128 random bits are written for people: with 12 more that tell a typing error, and that tell codes of different
/// purposes apart.
///
/// 28 characters of Crockford's base 32 in groups of four, the most significant bit first; the check is the first 12
/// bits of SHA-256(label ‖ secret).
package struct CodeText: Sendable {
    package static let recovery = CodeText(label: "safelight/v1/recovery-check")
    package static let door = CodeText(label: "safelight/v1/door-check")
    package static let window = CodeText(label: "safelight/v1/window-check")

    package static let byteCount = 16
    private static let letterCount = 28
    private static let groupLength = 4
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// Longest text that may be a code: each character with a separator on both sides.
    private static let longestText = 4 * letterCount

    private let label: [UInt8]

    private init(label: String) { self.label = Array(label.utf8) }

    /// - Parameter typed: in upper or lower case, with or without spaces and hyphens, O for 0 and I or L for 1.
    /// - Returns: the secret; nil for anything that is no such code, or one with a typing error.
    package func secret(typed: UnsafeRawBufferPointer) -> SecretBytes? {
        guard typed.count <= Self.longestText else { return nil }
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        var letters = 0
        // The secret, and two thirds of the check behind it.
        let opened = try? SecretBytes(count: Self.byteCount + 1) { output in
            for byte in typed where !Self.isSeparator(byte) {
                guard let value = Self.value(of: byte), letters < Self.letterCount else { throw VaultError.damaged }
                letters += 1
                bits = bits << 5 | UInt32(value)
                bitCount += 5
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                output[(letters * 5 - Int(bitCount)) / 8 - 1] = UInt8(truncatingIfNeeded: bits >> bitCount)
            }
            guard letters == Self.letterCount else { throw VaultError.damaged }
        }
        guard let opened else { return nil }
        let rest = UInt16(bits & 15)
        let secret = opened.withUnsafeBytes { bytes in
            try? SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<Self.byteCount]))
        }
        let check = opened.withUnsafeBytes { UInt16($0[Self.byteCount]) << 4 | rest }
        guard let secret, let expected = try? self.check(of: secret), expected == check else { return nil }
        return secret
    }

    /// For a person: XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX.
    package func text(of secret: borrowing SecretBytes) throws -> String {
        let check = try check(of: secret)
        var bits = secret.withUnsafeBytes { bytes in
            bytes.reduce(into: UInt128(0)) { value, byte in value = value << 8 | UInt128(byte) }
        }
        // 140 bits: the lowest five of the check first, the highest five of the secret last.
        var letters: [UInt8] = []
        var rest = check
        for _ in 0..<2 {
            letters.append(Self.alphabet[Int(rest & 31)])
            rest >>= 5
        }
        letters.append(Self.alphabet[Int(UInt128(rest) | (bits & 7) << 2)])
        bits >>= 3
        while letters.count < Self.letterCount {
            letters.append(Self.alphabet[Int(bits & 31)])
            bits >>= 5
        }
        letters.reverse()
        let groups = stride(from: 0, to: Self.letterCount, by: Self.groupLength).map { start in
            String(decoding: letters[start..<start + Self.groupLength], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// 12 bits.
    private func check(of secret: borrowing SecretBytes) throws -> UInt16 {
        var hasher = try SHA256Hasher()
        try label.withUnsafeBytes { try hasher.update($0) }
        try secret.withUnsafeBytes { try hasher.update($0) }
        let digest = try hasher.finalize()
        return UInt16(digest[0]) << 4 | UInt16(digest[1] >> 4)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }

    private static func value(of byte: UInt8) -> UInt8? {
        var letter = byte
        if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { letter &= 0xDF }
        switch letter {
        case UInt8(ascii: "O"): letter = UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): letter = UInt8(ascii: "1")
        default: break
        }
        return alphabet.firstIndex(of: letter).map(UInt8.init)
    }
}

/// 16 random bytes that name something to a client; as text, 22 characters of base64url. `Kind` keeps names of different
/// things apart.
package struct RandomName<Kind>: Hashable, Sendable {
    static var byteCount: Int { 16 }

    package let bytes: [UInt8]

    package init() throws { bytes = try randomBytes(Self.byteCount) }

    /// Nil unless there are 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil for anything that `text` does not give.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// The random name of a batch.
package typealias BatchID = RandomName<BatchKind>
/// The random name of an upload. In clear the disk knows only its hash, which is the id of the upload's row.
package typealias UploadID = RandomName<UploadKind>

package enum BatchKind {}
package enum UploadKind {}
