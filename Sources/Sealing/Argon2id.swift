import CArgon2
import Glibc

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
