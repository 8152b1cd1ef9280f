/// Seals and opens whole small messages under one long-lived key.
///
/// It keeps the keyed HMAC and the cipher contexts, so a row of 440 bytes costs a few µs. One user at a time, which
/// `mutating` ensures.
package struct MessageCipher: ~Copyable, Sendable {
    private var hash: KeyedHash
    private var keys: ChunkKeys
    private var sealing: ChunkCipher
    private var opening: ChunkCipher

    /// `key`: 32 bytes.
    package init(key: borrowing SecretBytes) throws {
        let hash = try ChunkKeys.keyedHash(key)
        let keys = try ChunkKeys()
        let sealing = try ChunkCipher(.sealing)
        let opening = try ChunkCipher(.opening)
        self.hash = hash
        self.keys = keys
        self.sealing = sealing
        self.opening = opening
    }

    /// Bytes of the message that holds `plaintext` bytes.
    package static func sealedByteCount(_ plaintext: Int) -> Int {
        Int(clamping: ChunkLayout.sealedByteCount(plaintext: UInt64(clamping: plaintext)))
    }

    /// Seals `plaintext` under a fresh salt into `message`, another place of exactly `sealedByteCount` bytes.
    package mutating func seal(
        _ plaintext: UnsafeRawBufferPointer, context: SealingContext, into message: UnsafeMutableRawBufferPointer
    ) throws {
        guard let start = message.baseAddress, message.count == Self.sealedByteCount(plaintext.count) else {
            throw SealingError.invalidParameters("message size")
        }
        let salt = UnsafeMutableRawBufferPointer(rebasing: message[..<ChunkLayout.saltByteCount])
        try fillWithRandomness(salt)
        try keys.derive(&hash, salt: UnsafeRawBufferPointer(salt), context: context)
        let commitment = message[ChunkLayout.saltByteCount..<ChunkLayout.headerByteCount]
        keys.withCommitment { UnsafeMutableRawBufferPointer(rebasing: commitment).copyMemory(from: $0) }
        try sealing.use(keys)
        for chunk in 0...plaintext.count / ChunkLayout.chunkByteCount {
            let offset = chunk * ChunkLayout.chunkByteCount
            try sealing.seal(
                plaintext.baseAddress.map { $0 + offset },
                count: min(ChunkLayout.chunkByteCount, plaintext.count - offset),
                to: start + ChunkLayout.headerByteCount + chunk * ChunkLayout.sealedChunkByteCount,
                index: UInt64(chunk))
        }
    }

    /// Opens `message` into `plaintext`, another place with room enough.
    ///
    /// - Returns: the plaintext bytes written.
    /// - Throws: `SealingError.wrongKey` or `.damaged`; `plaintext` is then all zeros.
    package mutating func open(
        _ message: UnsafeRawBufferPointer, context: SealingContext, into plaintext: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        do {
            return try openUnguarded(message, context: context, into: plaintext)
        } catch {
            cleanse(plaintext)
            throw error
        }
    }

    /// Whether the message that begins with `header` (56 bytes) was sealed under this key and context. Opens nothing.
    package mutating func opens(header: UnsafeRawBufferPointer, context: SealingContext) throws -> Bool {
        guard header.count == ChunkLayout.headerByteCount else { throw SealingError.damaged }
        let salt = UnsafeRawBufferPointer(rebasing: header[..<ChunkLayout.saltByteCount])
        try keys.derive(&hash, salt: salt, context: context)
        return keys.commit(to: header)
    }

    private mutating func openUnguarded(
        _ message: UnsafeRawBufferPointer, context: SealingContext, into plaintext: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        guard let start = message.baseAddress, let count = ChunkLayout.plaintextByteCount(sealed: message.count) else {
            throw SealingError.damaged
        }
        guard plaintext.count >= count else { throw SealingError.invalidParameters("plaintext size") }
        let header = UnsafeRawBufferPointer(rebasing: message[..<ChunkLayout.headerByteCount])
        guard try opens(header: header, context: context) else { throw SealingError.wrongKey }
        try opening.use(keys)
        for chunk in 0...count / ChunkLayout.chunkByteCount {
            let offset = chunk * ChunkLayout.chunkByteCount
            try opening.open(
                start + ChunkLayout.headerByteCount + chunk * ChunkLayout.sealedChunkByteCount,
                count: min(ChunkLayout.chunkByteCount, count - offset),
                to: plaintext.baseAddress.map { $0 + offset },
                index: UInt64(chunk))
        }
        return count
    }
}
