import Bytes
import CArgon2
import Glibc
@_spi(_Unicode) import Swift

/// Argon2id, version 0x13 (RFC 9106). Blocks its thread for its whole cost in time and memory.
///
/// The working memory is not locked (it is hundreds of MiB) but stays out of dumps, and is wiped at the end.
package enum Argon2id {
    /// The inputs that the store does not use, for published vectors.
    struct Additions {
        var parallelism: UInt32 = 1
        var secret: [UInt8] = []
        var associatedData: [UInt8] = []
    }

    /// `salt`: at least 8 bytes; `memoryKiB`: at least 8.
    ///
    /// - Throws: `SealingError.invalidParameters` for parameters out of Argon2's range, `.hostExhausted` when memory is
    ///   short.
    package static func derive(
        password: borrowing SecretBytes, salt: [UInt8], iterations: UInt32, memoryKiB: UInt32, byteCount: Int = 32
    ) throws -> SecretBytes {
        try derive(
            password: password, salt: salt, iterations: iterations, memoryKiB: memoryKiB, byteCount: byteCount,
            additions: Additions())
    }

    static func derive(
        password: borrowing SecretBytes, salt: [UInt8], iterations: UInt32, memoryKiB: UInt32, byteCount: Int,
        additions: Additions
    ) throws -> SecretBytes {
        var salt = salt
        var additions = additions
        return try password.withUnsafeBytes { password in
            try SecretBytes(count: byteCount) { output in
                var context = argon2_context()
                context.t_cost = iterations
                context.m_cost = memoryKiB
                context.lanes = additions.parallelism
                context.threads = additions.parallelism
                context.version = ARGON2_VERSION_13.rawValue
                context.allocate_cbk = Argon2Memory.allocate
                context.free_cbk = Argon2Memory.release
                (context.out, context.outlen) = try field(output)
                // The library only reads the password as long as no flag asks it to wipe it.
                (context.pwd, context.pwdlen) = try field(UnsafeMutableRawBufferPointer(mutating: password))
                try run(&context, &salt, &additions)
            }
        }
    }

    private static func run(
        _ context: inout argon2_context, _ salt: inout [UInt8], _ additions: inout Additions
    ) throws {
        let result = try salt.withUnsafeMutableBytes { (salt: UnsafeMutableRawBufferPointer) in
            try additions.secret.withUnsafeMutableBytes { (secret: UnsafeMutableRawBufferPointer) in
                try additions.associatedData.withUnsafeMutableBytes { (data: UnsafeMutableRawBufferPointer) in
                    (context.salt, context.saltlen) = try field(salt)
                    (context.secret, context.secretlen) = try field(secret)
                    (context.ad, context.adlen) = try field(data)
                    return argon2_ctx(&context, Argon2_id)
                }
            }
        }
        switch Argon2_ErrorCodes(result) {
        case ARGON2_OK: return
        case ARGON2_MEMORY_ALLOCATION_ERROR, ARGON2_THREAD_FAIL: throw SealingError.hostExhausted
        default: throw SealingError.invalidParameters("Argon2id refused its parameters (\(result))")
        }
    }

    private static func field(
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws -> (UnsafeMutablePointer<UInt8>?, UInt32) {
        guard let count = UInt32(exactly: buffer.count) else {
            throw SealingError.invalidParameters("Argon2id input size")
        }
        return (buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
    }
}

/// The working memory of Argon2id: left out of core dumps and empty in a forked child, for a password can be guessed
/// against its blocks; not locked, for it is larger than any limit on locked memory.
enum Argon2Memory {
    static let allocate: allocate_fptr = { place, byteCount in
        let protection = PROT_READ | PROT_WRITE
        guard let place, let start = mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue }
        guard madvise(start, byteCount, MADV_DONTDUMP) == 0, madvise(start, byteCount, MADV_WIPEONFORK) == 0 else {
            munmap(start, byteCount)
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        place.pointee = start.assumingMemoryBound(to: UInt8.self)
        return 0
    }

    /// The library has wiped the memory before it gives it back.
    static let release: deallocate_fptr = { start, byteCount in
        munmap(start, byteCount)
    }
}

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

/// Most bytes of a password after normalisation.
package let passwordByteLimit = 1_024

/// The bytes that a password stands for: Unicode NFC, UTF-8, nothing trimmed. Keyboards differ in how they compose a
/// letter; the same password must open the same vault from each.
///
/// ASCII is copied as it is and never passes through a `String`; other text leaves a copy in ordinary memory until
/// that is used again, for the standard library normalises strings only.
///
/// - Throws: `SealingError.passwordNotUTF8`, `.passwordTooLong`.
package func normalizedPassword(_ utf8: UnsafeRawBufferPointer) throws -> SecretBytes {
    // Composing shrinks UTF-8 at most threefold (as three Hangul letters into one syllable): more can never fit.
    guard utf8.count <= 3 * passwordByteLimit else { throw SealingError.passwordTooLong }
    guard utf8.contains(where: { $0 >= 0x80 }) else {
        guard utf8.count <= passwordByteLimit else { throw SealingError.passwordTooLong }
        return try SecretBytes(copying: utf8)
    }
    guard let text = String(validating: utf8, as: UTF8.self) else { throw SealingError.passwordNotUTF8 }
    var byteCount = 0
    for scalar in text._nfc { byteCount += UTF8.width(scalar) }
    guard byteCount <= passwordByteLimit else { throw SealingError.passwordTooLong }
    return try SecretBytes(count: byteCount) { output in
        var offset = 0
        for scalar in text._nfc {
            for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                output[offset] = byte
                offset += 1
            }
        }
    }
}
