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
