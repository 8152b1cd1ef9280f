import Bytes
import COpenSSL

/// AES-256-GCM over single chunks, in one direction; keyed again for each message, given a nonce for each chunk.
///
/// `@unchecked Sendable`: a library context may move between threads as long as one at a time uses it, which
/// `~Copyable` and `mutating` ensure.
struct ChunkCipher: ~Copyable, @unchecked Sendable {
    enum Direction: Int32 {
        case opening = 0
        case sealing = 1
    }

    private let context: OpaquePointer
    private let direction: Direction
    /// Nil until a key is set: a context without a nonce would encrypt under one of its own and report success.
    private var baseNonce: ChunkNonce?
    #if DEBUG
    private var keyDigest: [UInt8] = []
    /// Whether `NonceRecord` is told of its chunks.
    var isOnRecord = true
    #endif

    init(_ direction: Direction) throws {
        let context = try present(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        do {
            let result = EVP_CipherInit_ex2(context, try Algorithms.aes256GCM(), nil, nil, direction.rawValue, nil)
            try check(result, "EVP_CipherInit_ex2")
        } catch {
            EVP_CIPHER_CTX_free(context)
            throw error
        }
        self.context = context
        self.direction = direction
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// The next chunks are of the message with these keys.
    mutating func use(_ keys: borrowing ChunkKeys) throws {
        baseNonce = nil
        try keys.withKey { key in
            let bytes = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
            try check(EVP_CipherInit_ex2(context, nil, bytes, nil, direction.rawValue, nil), "EVP_CipherInit_ex2")
        }
        baseNonce = keys.baseNonce
        #if DEBUG
        if NonceRecord.isKept { keyDigest = try keys.withKey { try SHA256Hasher.hash($0) } }
        #endif
    }

    /// Seals `count` bytes; `output` has room for them and the tag behind. It is the same place as `input` or apart.
    mutating func seal(
        _ input: UnsafeRawPointer?, count: Int, to output: UnsafeMutableRawPointer, index: UInt64
    ) throws {
        try begin(index)
        #if DEBUG
        if isOnRecord, NonceRecord.isKept {
            try baseNonce?.withBytes(ofChunk: index) { try NonceRecord.note(keyDigest + $0) }
        }
        #endif
        try update(input, count: count, to: output)
        try finish("EVP_CipherFinal_ex")
        let tag = output + count
        let size = Int32(ChunkLayout.tagByteCount)
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, size, tag), "EVP_CTRL_AEAD_GET_TAG")
    }

    /// Opens `count` bytes, which the tag follows. `input` and `output` are the same place or apart.
    ///
    /// A failure leaves unverified plaintext in `output`: the caller cleanses it.
    mutating func open(
        _ input: UnsafeRawPointer, count: Int, to output: UnsafeMutableRawPointer?, index: UInt64
    ) throws {
        try begin(index)
        // Always 16 bytes and set for every chunk: shorter tags would verify, and the last one set stays.
        let tag = UnsafeMutableRawPointer(mutating: input + count)
        let size = Int32(ChunkLayout.tagByteCount)
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, size, tag), "EVP_CTRL_AEAD_SET_TAG")
        try update(input, count: count, to: output)
        do {
            try finish("EVP_CipherFinal_ex")
        } catch {
            throw SealingError.damaged
        }
    }

    private mutating func begin(_ index: UInt64) throws {
        guard let baseNonce, index < ChunkLayout.chunkLimit else {
            throw SealingError.invalidParameters("chunk number")
        }
        try baseNonce.withBytes(ofChunk: index) { nonce in
            let bytes = nonce.baseAddress?.assumingMemoryBound(to: UInt8.self)
            try check(EVP_CipherInit_ex2(context, nil, nil, bytes, direction.rawValue, nil), "EVP_CipherInit_ex2")
        }
    }

    private mutating func update(_ input: UnsafeRawPointer?, count: Int, to output: UnsafeMutableRawPointer?) throws {
        guard count > 0 else { return }
        guard count <= ChunkLayout.chunkByteCount, let input, let output else {
            throw SealingError.invalidParameters("chunk size")
        }
        var written: Int32 = 0
        let result = EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self), &written,
            input.assumingMemoryBound(to: UInt8.self), Int32(count))
        try check(result, "EVP_CipherUpdate")
        guard Int(written) == count else { throw SealingError.cryptographyFailed("EVP_CipherUpdate size") }
    }

    private mutating func finish(_ call: StaticString) throws {
        // In this mode nothing is written at the end; the library wants an address all the same.
        var nothing: (UInt64, UInt64) = (0, 0)
        var written: Int32 = 0
        let result = withUnsafeMutableBytes(of: &nothing) { (sink: UnsafeMutableRawBufferPointer) in
            EVP_CipherFinal_ex(context, sink.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
        }
        try check(result, call)
    }
}

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

/// Where the parts of a sealed message stand: salt 24, commitment 32, full chunks of 16,400 bytes, one shorter chunk.
///
/// The shorter chunk is always there, if need be empty (its tag alone); it is the end marker.
package enum ChunkLayout {
    /// Plaintext bytes of a full chunk.
    package static let chunkByteCount = 16_384
    package static let tagByteCount = 16
    package static let sealedChunkByteCount = chunkByteCount + tagByteCount
    package static let saltByteCount = 24
    static let commitmentByteCount = 32
    /// Salt and commitment.
    package static let headerByteCount = saltByteCount + commitmentByteCount
    /// Chunks of a message are numbered below this.
    static let chunkLimit: UInt64 = 1 << 38

    /// Bytes of the whole message: header, chunks and the short last one. `UInt64.max` when that is more than fits.
    package static func sealedByteCount(plaintext: UInt64) -> UInt64 {
        let overhead = UInt64(headerByteCount) + chunkCount(plaintext: plaintext) * UInt64(tagByteCount)
        let (sum, overflow) = plaintext.addingReportingOverflow(overhead)
        return overflow ? .max : sum
    }

    /// Chunks of the message, the short last one included.
    package static func chunkCount(plaintext: UInt64) -> UInt64 {
        plaintext / UInt64(chunkByteCount) + 1
    }

    /// Plaintext bytes of a message of `sealed` bytes, or nil when no message has that length.
    package static func plaintextByteCount(sealed: Int) -> Int? {
        let chunks = sealed - headerByteCount
        let last = chunks % sealedChunkByteCount
        guard chunks >= tagByteCount, last >= tagByteCount else { return nil }
        return chunks / sealedChunkByteCount * chunkByteCount + last - tagByteCount
    }
}

/// The 12-byte base nonce of a message; a chunk's own is this XOR its number, right aligned, big-endian.
struct ChunkNonce: Sendable {
    private let first: UInt32
    private let middle: UInt32
    private let last: UInt32

    /// `bytes`: 12.
    init(_ bytes: UnsafeRawBufferPointer) {
        first = bytes.bigEndian(UInt32.self, at: 0)
        middle = bytes.bigEndian(UInt32.self, at: 4)
        last = bytes.bigEndian(UInt32.self, at: 8)
    }

    func withBytes<R>(ofChunk index: UInt64, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let nonce = (
            first.bigEndian,
            (middle ^ UInt32(truncatingIfNeeded: index >> 32)).bigEndian,
            (last ^ UInt32(truncatingIfNeeded: index)).bigEndian
        )
        return try withUnsafeBytes(of: nonce, body)
    }
}
