/// Seals one message front to back, in place, under a salt drawn for it.
///
/// Nothing is ever sealed twice under one salt: a sealer counts its chunks, ends with its last, and is of no more use
/// after an error. Hand it between a task and a pool thread freely; it has one owner.
package struct ChunkSealer: ~Copyable, Sendable {
    private enum State {
        case sealing(nextChunk: UInt64)
        case finished
    }

    /// Salt and commitment, 56 bytes: the beginning of the message.
    package let header: [UInt8]
    private var cipher: ChunkCipher
    private var state = State.sealing(nextChunk: 0)

    /// The salt, 24 bytes.
    package var salt: [UInt8] { Array(header.prefix(ChunkLayout.saltByteCount)) }

    /// `key`: 32 bytes.
    package init(key: borrowing SecretBytes, context: SealingContext) throws {
        let salt = try randomBytes(ChunkLayout.saltByteCount)
        try self.init(key: key, context: context, salt: salt, cipher: ChunkCipher(.sealing))
    }

    /// For published vectors: a salt that comes from elsewhere can repeat, so its nonces are not on record.
    init(key: borrowing SecretBytes, context: SealingContext, salt: [UInt8]) throws {
        var cipher = try ChunkCipher(.sealing)
        #if DEBUG
        cipher.isOnRecord = false
        #endif
        try self.init(key: key, context: context, salt: salt, cipher: cipher)
    }

    private init(
        key: borrowing SecretBytes, context: SealingContext, salt: [UInt8], cipher: consuming ChunkCipher
    ) throws {
        let keys = try ChunkKeys(inputKey: key, salt: salt, context: context)
        try cipher.use(keys)
        self.cipher = cipher
        header = salt + keys.withCommitment { Array($0) }
    }

    /// Seals the full chunks in `segment`: 16,384 plaintext bytes at every multiple of 16,400, with 16 bytes of room
    /// behind each; afterwards `segment` is a piece of the message.
    ///
    /// - Throws: `SealingError.finished`; `.invalidParameters` when `segment.count` is no multiple of 16,400.
    package mutating func sealFullChunks(in segment: UnsafeMutableRawBufferPointer) throws {
        let size = ChunkLayout.sealedChunkByteCount
        let first = try takeState()
        guard segment.count % size == 0 else { throw SealingError.invalidParameters("segment size") }
        let chunks = segment.count / size
        if let start = segment.baseAddress {
            for chunk in 0..<chunks {
                let place = start + chunk * size
                try cipher.seal(
                    place, count: ChunkLayout.chunkByteCount, to: place, index: first + UInt64(chunk))
            }
        }
        state = .sealing(nextChunk: first + UInt64(chunks))
    }

    /// Seals the last chunk, `plaintextByteCount` (0 … 16,383) bytes at the start of `segment`, which has room for
    /// 16 more.
    ///
    /// - Returns: the sealed bytes, the last of the message.
    package mutating func sealLastChunk(
        in segment: UnsafeMutableRawBufferPointer, plaintextByteCount: Int
    ) throws -> Int {
        let index = try takeState()
        let sealed = plaintextByteCount + ChunkLayout.tagByteCount
        guard
            (0..<ChunkLayout.chunkByteCount).contains(plaintextByteCount), segment.count >= sealed,
            let start = segment.baseAddress
        else { throw SealingError.invalidParameters("last chunk size") }
        try cipher.seal(start, count: plaintextByteCount, to: start, index: index)
        return sealed
    }

    /// The number of the next chunk. The sealer counts as finished until its caller says otherwise, so that every
    /// error ends it.
    private mutating func takeState() throws -> UInt64 {
        guard case .sealing(let nextChunk) = state else { throw SealingError.finished }
        state = .finished
        return nextChunk
    }
}
