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

/// Opens the chunks of one message in place, in any order. Hand it between threads freely; it has one owner.
package struct ChunkOpener: ~Copyable, Sendable {
    private var cipher: ChunkCipher

    /// `key`: 32 bytes; `header`: the first 56 bytes of the message.
    ///
    /// - Throws: `SealingError.wrongKey` when the commitment differs, `.damaged` when `header` has another size.
    package init(key: borrowing SecretBytes, context: SealingContext, header: UnsafeRawBufferPointer) throws {
        guard header.count == ChunkLayout.headerByteCount else { throw SealingError.damaged }
        let salt = Array(header[..<ChunkLayout.saltByteCount])
        let keys = try ChunkKeys(inputKey: key, salt: salt, context: context)
        guard keys.commit(to: header) else { throw SealingError.wrongKey }
        var cipher = try ChunkCipher(.opening)
        try cipher.use(keys)
        self.cipher = cipher
    }

    /// Opens chunk number `index`, ciphertext and tag, in place.
    ///
    /// - Parameter isLast: whether it ends the message: then it is shorter than 16,400 bytes, else exactly that long.
    ///   Only the caller knows where the message ends; a short chunk that is not the last is refused, and the reverse.
    /// - Returns: the plaintext bytes at the start of `chunk`.
    /// - Throws: `SealingError.damaged`; `chunk` is then all zeros.
    package mutating func openChunk(
        _ chunk: UnsafeMutableRawBufferPointer, index: UInt64, isLast: Bool
    ) throws -> Int {
        do {
            let size = ChunkLayout.sealedChunkByteCount
            let fits = isLast ? (ChunkLayout.tagByteCount..<size).contains(chunk.count) : chunk.count == size
            guard fits, index < ChunkLayout.chunkLimit, let start = chunk.baseAddress else {
                throw SealingError.damaged
            }
            let count = chunk.count - ChunkLayout.tagByteCount
            try cipher.open(start, count: count, to: start, index: index)
            return count
        } catch {
            cleanse(chunk)
            throw error
        }
    }
}

/// Padmé (Nikitin and others, "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019):
/// sizes are rounded up so that only the order of magnitude and a few more bits are visible, for about 1 % of space.
package enum Padme {
    /// The size to pad to; never smaller than `count`, at most 12 % larger.
    package static func paddedByteCount(_ count: UInt64) -> UInt64 {
        guard count > 1 else { return count }
        let exponent = floorLog2(count)
        let keptBits = floorLog2(UInt64(exponent)) + 1
        let mask = (UInt64(1) << UInt64(exponent - keptBits)) - 1
        let (sum, overflow) = count.addingReportingOverflow(mask)
        return overflow ? .max : sum & ~mask
    }

    private static func floorLog2(_ value: UInt64) -> Int {
        UInt64.bitWidth - 1 - value.leadingZeroBitCount
    }
}
