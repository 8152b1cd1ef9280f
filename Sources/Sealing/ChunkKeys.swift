/// The keys of one message: AES key 32, base nonce 12, commitment 32, in this order of the HKDF stream.
///
/// Specification: c2sp.org/chunked-encryption, Cobblestone-256.
struct ChunkKeys: ~Copyable, Sendable {
    /// 76 bytes are used; whole HKDF blocks, so that they are computed where they stay.
    private var stream: SecretBytes

    private static let label = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8)

    init() throws {
        stream = try SecretBytes(count: 2 * HKDFSHA512.blockByteCount) { _ in }
    }

    /// The keys of a single message.
    init(inputKey: borrowing SecretBytes, salt: [UInt8], context: SealingContext) throws {
        var hash = try Self.keyedHash(inputKey)
        var keys = try ChunkKeys()
        try salt.withUnsafeBytes { try keys.derive(&hash, salt: $0, context: context) }
        self = keys
    }

    /// The input key, ready to derive the keys of many messages.
    static func keyedHash(_ inputKey: borrowing SecretBytes) throws -> KeyedHash {
        guard inputKey.count == 32 else { throw SealingError.invalidParameters("input key size") }
        return try KeyedHash(.sha512, key: inputKey)
    }

    /// Replaces the keys with those of another message.
    mutating func derive(_ hash: inout KeyedHash, salt: UnsafeRawBufferPointer, context: SealingContext) throws {
        guard salt.count == ChunkLayout.saltByteCount else { throw SealingError.invalidParameters("salt size") }
        try stream.withUnsafeMutableBytes { output in
            try HKDFSHA512.expandBlocks(&hash, into: output) { hash in
                try hash.update(Self.label)
                try hash.update(salt)
                try hash.update(context.bytes)
            }
        }
    }

    borrowing func withKey<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try stream.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<32])) }
    }

    borrowing func withCommitment<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try stream.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[44..<76])) }
    }

    var baseNonce: ChunkNonce {
        stream.withUnsafeBytes { ChunkNonce(UnsafeRawBufferPointer(rebasing: $0[32..<44])) }
    }

    /// Whether `header` (salt and commitment) was made with these keys, found in constant time.
    borrowing func commit(to header: UnsafeRawBufferPointer) -> Bool {
        let commitment = UnsafeRawBufferPointer(rebasing: header[ChunkLayout.saltByteCount...])
        return withCommitment { constantTimeEquals($0, commitment) }
    }
}
