/// A file that is read by ranges, for the facts may lie anywhere in it (an MP4's index often lies at its end).
package protocol ByteSource {
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on: `count` of them, fewer only where the file ends. Blocks while it waits.
    func read(at offset: UInt64, count: Int) throws -> [UInt8]
}

extension [UInt8]: ByteSource {
    package var byteCount: UInt64 { UInt64(count) }

    package func read(at offset: UInt64, count: Int) -> [UInt8] {
        guard count > 0, let start = Int(exactly: offset), start < self.count else { return [] }
        return [UInt8](self[start..<start + Swift.min(count, self.count - start)])
    }
}
