import COpenSSL

/// SHA-256 over bytes that arrive piece by piece.
package struct SHA256Hasher: ~Copyable, Sendable {
    private var digest: DigestContext

    package init() throws {
        digest = try DigestContext(Algorithms.sha256())
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try digest.update(bytes)
    }

    /// The digest, 32 bytes.
    package consuming func finalize() throws -> [UInt8] {
        try digest.finalize(byteCount: 32)
    }

    /// The digest of `bytes`, in exactly 32 bytes of `output`.
    package static func hash(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws {
        guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count == 32 else {
            throw SealingError.invalidParameters("digest size")
        }
        try check(EVP_Digest(bytes.baseAddress, bytes.count, start, nil, Algorithms.sha256(), nil), "EVP_Digest")
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            try hash(bytes, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<32]))
            count = 32
        }
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try hash($0) }
    }
}

/// A digest of bytes that arrive piece by piece, by whatever algorithm their sender announces. SHA-1 and MD5 are only to
/// compare with that (tus makes SHA-1 mandatory), never for anything that must resist an attacker.
package struct AnnouncedHasher: ~Copyable, Sendable {
    private var digest: DigestContext
    private let byteCount: Int

    private init(_ algorithm: OpaquePointer, byteCount: Int) throws {
        digest = try DigestContext(algorithm)
        self.byteCount = byteCount
    }

    package static func sha256() throws -> AnnouncedHasher { try .init(Algorithms.sha256(), byteCount: 32) }
    package static func sha512() throws -> AnnouncedHasher { try .init(Algorithms.sha512(), byteCount: 64) }
    package static func sha1() throws -> AnnouncedHasher { try .init(Algorithms.sha1(), byteCount: 20) }
    package static func md5() throws -> AnnouncedHasher { try .init(Algorithms.md5(), byteCount: 16) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try digest.update(bytes)
    }

    /// The digest of what has come so far. More may follow.
    package borrowing func current() throws -> [UInt8] {
        try digest.copy().finalize(byteCount: byteCount)
    }
}

/// One running hash of any algorithm.
///
/// `@unchecked Sendable`: a library context may move between threads as long as one at a time uses it, which
/// `~Copyable` and `mutating` ensure.
struct DigestContext: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    /// `algorithm`: one of `Algorithms`.
    init(_ algorithm: OpaquePointer) throws {
        let context = try present(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        do {
            try check(EVP_DigestInit_ex2(context, algorithm, nil), "EVP_DigestInit_ex2")
        } catch {
            EVP_MD_CTX_free(context)
            throw error
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    private init(takingOver context: OpaquePointer) {
        self.context = context
    }

    /// A second one that has hashed the same.
    borrowing func copy() throws -> DigestContext {
        let other = DigestContext(takingOver: try present(EVP_MD_CTX_new(), "EVP_MD_CTX_new"))
        try check(EVP_MD_CTX_copy_ex(other.context, context), "EVP_MD_CTX_copy_ex")
        return other
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) throws {
        try check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count), "EVP_DigestUpdate")
    }

    consuming func finalize(byteCount: Int) throws -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        try check(EVP_DigestFinal_ex(context, &digest, nil), "EVP_DigestFinal_ex")
        return Array(digest.prefix(byteCount))
    }
}

/// SHA-512 of `bytes`, 64 bytes.
func sha512(_ bytes: [UInt8]) throws -> [UInt8] {
    var digest = try DigestContext(Algorithms.sha512())
    try bytes.withUnsafeBytes { try digest.update($0) }
    return try digest.finalize(byteCount: 64)
}

/// HKDF (RFC 5869) with SHA-512.
package enum HKDFSHA512 {
    /// Bytes of a pseudorandom key, and of each block of output.
    static let blockByteCount = 64

    /// The pseudorandom key, 64 bytes.
    package static func extract(
        salt: UnsafeRawBufferPointer, keyMaterial: borrowing SecretBytes
    ) throws -> SecretBytes {
        var hash = try KeyedHash(.sha512, key: salt)
        return try keyMaterial.withUnsafeBytes { material in
            try SecretBytes(count: blockByteCount) { output in
                try hash.begin()
                try hash.update(material)
                try hash.end(into: output)
            }
        }
    }

    /// `count` bytes, 1 … 16,320, of the key for one purpose, which `info` names.
    package static func expand(_ prk: borrowing SecretBytes, info: [UInt8], count: Int) throws -> SecretBytes {
        guard (1...255 * blockByteCount).contains(count) else {
            throw SealingError.invalidParameters("HKDF output size")
        }
        var hash = try KeyedHash(.sha512, key: prk)
        let rounded = (count + blockByteCount - 1) / blockByteCount * blockByteCount
        let blocks = try SecretBytes(count: rounded) { output in
            try expandBlocks(&hash, into: output) { try $0.update(info) }
        }
        if count == rounded { return blocks }
        return try blocks.withUnsafeBytes { try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Fills `output`, 1 … 255 whole blocks, with the stream of the key in `hash`; `info` feeds the info bytes.
    ///
    /// Each block is computed where it stays, so no block is left in unlocked memory.
    static func expandBlocks(
        _ hash: inout KeyedHash, into output: UnsafeMutableRawBufferPointer,
        info: (inout KeyedHash) throws -> Void
    ) throws {
        for number in 0..<output.count / blockByteCount {
            let start = number * blockByteCount
            try hash.begin()
            if number > 0 {
                try hash.update(UnsafeRawBufferPointer(rebasing: output[start - blockByteCount..<start]))
            }
            try info(&hash)
            try withUnsafeBytes(of: UInt8(number + 1)) { try hash.update($0) }
            try hash.end(into: UnsafeMutableRawBufferPointer(rebasing: output[start..<start + blockByteCount]))
        }
    }
}

/// HMAC-SHA-256 under a long-lived key; keeps its keyed context. One user at a time, which `mutating` ensures.
package struct HMACSHA256: ~Copyable, Sendable {
    package static let byteCount = 32
    private var hash: KeyedHash

    package init(key: borrowing SecretBytes) throws {
        hash = try KeyedHash(.sha256, key: key)
    }

    /// The code (32 bytes) of the parts, one after the other. Nothing separates them: their use fixes the lengths.
    package mutating func authenticate(_ parts: [UInt8]...) throws -> [UInt8] {
        try hash.begin()
        for part in parts { try hash.update(part) }
        var code = [UInt8](repeating: 0, count: Self.byteCount)
        try code.withUnsafeMutableBytes { (output: UnsafeMutableRawBufferPointer) in try hash.end(into: output) }
        return code
    }

    /// The code of one message, as the key of what comes next.
    package static func key(from message: [UInt8], under key: borrowing SecretBytes) throws -> SecretBytes {
        var code = try HMACSHA256(key: key)
        return try SecretBytes(count: byteCount) { output in
            try message.withUnsafeBytes { try code.authenticate($0, into: output) }
        }
    }

    /// `output` takes exactly 32 bytes.
    package mutating func authenticate(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws {
        try hash.begin()
        try hash.update(bytes)
        try hash.end(into: output)
    }
}

/// Compares in time that depends only on the lengths; different lengths are different.
package func constantTimeEquals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, a.count) == 0
}

/// Overwrites with zeros in a way that the compiler may not leave out.
package func cleanse(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    OPENSSL_cleanse(start, buffer.count)
}

/// Overwrites a scratch array that held key bytes.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in cleanse(buffer) }
}
