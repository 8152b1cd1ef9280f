/// A file as the daemon can give it out by ranges; the children ask for the ranges that they need.
package protocol ImagingSource: Sendable {
    var byteCount: UInt64 { get }

    /// The bytes from `offset` on: `count` of them, fewer only where the file ends.
    func read(at offset: UInt64, count: Int) async throws -> [UInt8]
}

extension [UInt8]: ImagingSource {
    package var byteCount: UInt64 { UInt64(count) }

    package func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        guard let start = Int(exactly: offset), start < self.count, count > 0 else { return [] }
        return Array(self[start..<start + Swift.min(count, self.count - start)])
    }
}
