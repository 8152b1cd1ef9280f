/// What can be read at an offset: a file here, an object elsewhere, or bytes in memory.
protocol ByteSource: Sendable {
    /// Reads until `buffer` is full or the bytes end; returns what was read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int
    /// Reads it once, or, where it lies elsewhere, as often as `RemoteObjects.askingAgain` asks.
    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R
}

extension ByteSource {
    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R { try body(self) }
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
    /// Of one request, where a whole object is read.
    static let pieceByteCount = 4 << 20

    let remote: any RemoteObjects
    let name: String

    /// - Throws: `objectUnreadable` where it is not there, and what the place says that cannot be reached
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        guard let bytes = try remote.read(name, offset..<offset + UInt64(buffer.count)) else {
            throw StoreError.objectUnreadable
        }
        return bytes.read(into: buffer, at: 0)
    }

    func askingAgain<R>(_ body: (any ByteSource) throws -> R, until fits: (R) -> Bool) throws -> R {
        try remote.askingAgain({ try body(RemoteFile(remote: $0, name: name)) }, until: fits)
    }
}
