/// Bytes of an object elsewhere.
struct RemoteFile: ByteSource {
    let remote: any RemoteObjects
    let name: String

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        guard let bytes = try remote.read(name, offset..<offset + UInt64(buffer.count)) else {
            throw StoreError.objectUnreadable
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }
}
