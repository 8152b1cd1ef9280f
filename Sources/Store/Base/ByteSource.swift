/// What can be read at an offset: a file here, an object elsewhere, or bytes in memory.
protocol ByteSource: Sendable {
    /// Reads until `buffer` is full or the bytes end; returns what was read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int
}

extension [UInt8]: ByteSource {
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let rest = dropFirst(Int(clamping: offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }
}

/// An object elsewhere.
struct RemoteFile: ByteSource {
    let remote: any RemoteObjects
    let name: String

    /// - Throws: `objectUnreadable` where it is not there, and what the place says that cannot be reached
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        guard let bytes = try remote.read(name, offset..<offset + UInt64(buffer.count)) else {
            throw StoreError.objectUnreadable
        }
        return bytes.read(into: buffer, at: 0)
    }
}
