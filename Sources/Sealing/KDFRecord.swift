import Bytes

/// The parameters of Argon2id that a host uses, as the host header keeps them. Parallelism is always 1.
///
/// Encoded, 32 bytes, big-endian:
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 4 | Argon2 version, 0x13 |
/// | 4 | 4 | iterations t |
/// | 8 | 4 | memory m in KiB |
/// | 12 | 4 | parallelism p, 1 |
/// | 16 | 4 | flags: bit 0 = a pepper is required |
/// | 20 | 8 | check value of the pepper, zeros if none |
/// | 28 | 4 | zero |
package struct KDFRecord: Equatable, Sendable {
    package static let byteCount = 32
    static let pepperCheckByteCount = 8
    private static let parallelism: UInt32 = 1

    package let version: UInt32
    package let iterations: UInt32
    package let memoryKiB: UInt32
    /// The first 8 bytes of HMAC-SHA-256(pepper, "safelight/v1/pepper"); nil when no pepper is used.
    package let pepperCheck: [UInt8]?

    /// `pepperCheck`: 8 bytes, see `check(ofPepper:)`.
    package init(version: UInt32 = 0x13, iterations: UInt32, memoryKiB: UInt32, pepperCheck: [UInt8]? = nil) {
        self.version = version
        self.iterations = iterations
        self.memoryKiB = memoryKiB
        self.pepperCheck = pepperCheck
    }

    /// - Throws: `SealingError.invalidParameters` for a record that this version does not know.
    package init(encoded: [UInt8]) throws {
        guard encoded.count == Self.byteCount else { throw SealingError.invalidParameters("KDF record size") }
        let fields = encoded.withUnsafeBytes { bytes in
            stride(from: 0, to: 20, by: 4).map { bytes.bigEndian(UInt32.self, at: $0) }
        }
        let check = Array(encoded[20..<28])
        guard fields[0] == 0x13, fields[3] == Self.parallelism, fields[4] <= 1, encoded[28...].allSatisfy({ $0 == 0 }),
            fields[4] == 1 || check.allSatisfy({ $0 == 0 })
        else { throw SealingError.invalidParameters("KDF record of an unknown kind") }
        self.init(
            version: fields[0], iterations: fields[1], memoryKiB: fields[2],
            pepperCheck: fields[4] == 1 ? check : nil)
    }

    package var encoded: [UInt8] {
        let noPepper = [UInt8](repeating: 0, count: Self.pepperCheckByteCount)
        let fields = [version, iterations, memoryKiB, Self.parallelism, pepperCheck == nil ? 0 : 1]
        return fields.flatMap(\.bigEndianBytes) + (pepperCheck ?? noPepper) + [0, 0, 0, 0]
    }

    /// Checks the bounds: 2 … 16 iterations and 64 MiB … 2 GiB; from 1 iteration and 8 KiB when `unsafe`, as in tests.
    ///
    /// - Throws: `SealingError.invalidParameters`.
    package func validate(unsafe allowsWeak: Bool) throws {
        guard version == 0x13 else { throw SealingError.invalidParameters("KDF version") }
        guard ((allowsWeak ? 1 : 2)...16).contains(iterations) else {
            throw SealingError.invalidParameters("KDF iterations")
        }
        guard ((allowsWeak ? 8 : 64 << 10)...(2 << 20)).contains(memoryKiB) else {
            throw SealingError.invalidParameters("KDF memory")
        }
        guard pepperCheck.map({ $0.count == Self.pepperCheckByteCount }) ?? true else {
            throw SealingError.invalidParameters("pepper check size")
        }
    }

    /// The check value, 8 bytes, that tells a wrong pepper from a wrong password.
    package static func check(ofPepper pepper: borrowing SecretBytes) throws -> [UInt8] {
        var hmac = try HMACSHA256(key: pepper)
        return Array(try hmac.authenticate(Array("safelight/v1/pepper".utf8)).prefix(pepperCheckByteCount))
    }
}
