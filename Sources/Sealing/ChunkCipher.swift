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
