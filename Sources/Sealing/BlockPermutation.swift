import COpenSSL

/// One AES-256 block as a secret permutation of 16-byte values: the handles that a session shows instead of row ids.
///
/// `@unchecked Sendable`: a library context may move between threads as long as one at a time uses it, which
/// `~Copyable` and `mutating` ensure.
package struct BlockPermutation: ~Copyable, @unchecked Sendable {
    package static let blockByteCount = 16

    private let encryption: OpaquePointer
    private let decryption: OpaquePointer

    /// `key`: 32 bytes.
    package init(key: borrowing SecretBytes) throws {
        guard key.count == 32 else { throw SealingError.invalidParameters("permutation key size") }
        let encryption = try Self.makeContext(key, encrypts: true)
        do {
            decryption = try Self.makeContext(key, encrypts: false)
        } catch {
            EVP_CIPHER_CTX_free(encryption)
            throw error
        }
        self.encryption = encryption
    }

    deinit {
        EVP_CIPHER_CTX_free(encryption)
        EVP_CIPHER_CTX_free(decryption)
    }

    /// 16 bytes in, 16 bytes out.
    package mutating func encrypt(_ block: [UInt8]) throws -> [UInt8] {
        try Self.permute(block, encryption)
    }

    /// The inverse of `encrypt`. Every block is the image of some other: nothing here tells a forged one.
    package mutating func decrypt(_ block: [UInt8]) throws -> [UInt8] {
        try Self.permute(block, decryption)
    }

    private static func makeContext(_ key: borrowing SecretBytes, encrypts: Bool) throws -> OpaquePointer {
        let context = try present(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        do {
            let algorithm = try Algorithms.aes256ECB()
            try key.withUnsafeBytes { key in
                let bytes = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
                try check(
                    EVP_CipherInit_ex2(context, algorithm, bytes, nil, encrypts ? 1 : 0, nil), "EVP_CipherInit_ex2")
            }
            try check(EVP_CIPHER_CTX_set_padding(context, 0), "EVP_CIPHER_CTX_set_padding")
            return context
        } catch {
            EVP_CIPHER_CTX_free(context)
            throw error
        }
    }

    private static func permute(_ block: [UInt8], _ context: OpaquePointer) throws -> [UInt8] {
        guard block.count == blockByteCount else { throw SealingError.invalidParameters("block size") }
        var output = [UInt8](repeating: 0, count: blockByteCount)
        var written: Int32 = 0
        let result = EVP_CipherUpdate(context, &output, &written, block, Int32(blockByteCount))
        try check(result, "EVP_CipherUpdate")
        guard Int(written) == blockByteCount else { throw SealingError.cryptographyFailed("EVP_CipherUpdate size") }
        return output
    }
}
