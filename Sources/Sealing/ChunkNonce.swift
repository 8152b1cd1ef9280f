import Bytes

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
