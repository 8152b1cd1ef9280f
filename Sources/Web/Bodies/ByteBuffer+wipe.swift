import NIOCore

extension ByteBuffer {
    /// Overwrites the readable bytes where they lie, in every buffer that shares their memory.
    ///
    /// Copying first, as ordinary writes do for shared memory, would leave the secret in the original. The bytes are a
    /// request body's own range of the memory, which nobody else reads: what went before is decoded already, and what
    /// follows belongs to a range of its own.
    mutating func wipe() {
        withVeryUnsafeBytes { memory in
            let readable = memory[readerIndex..<writerIndex]
            CleansedBytes.wipe(UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(rebasing: readable)))
        }
        clear()
    }
}
