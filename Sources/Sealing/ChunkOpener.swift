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
