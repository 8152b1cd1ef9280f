import COpenSSL

/// One running hash of either algorithm.
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
