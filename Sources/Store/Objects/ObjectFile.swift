/// A published object, open for reading at any offset from any thread: here, or in a bucket.
package final class ObjectFile: Sendable {
    private enum Place: Sendable {
        case here(OpenFile)
        case elsewhere(RemoteFile)
    }

    package let byteCount: UInt64
    private let place: Place

    init(file: OpenFile) throws(StoreError) {
        place = .here(file)
        byteCount = try file.byteCount()
    }

    init(in remote: any RemoteObjects, name: String, byteCount: UInt64) {
        place = .elsewhere(RemoteFile(remote: remote, name: name))
        self.byteCount = byteCount
    }

    /// Fills the buffer from `offset`, or throws `objectUnreadable`; `bucketUnreachable`, which says nothing against the
    /// object.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        guard try bytesRead(into: buffer, at: offset) == buffer.count else { throw StoreError.objectUnreadable }
    }

    private func bytesRead(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        switch place {
        case .here(let file):
            do {
                return try file.read(into: buffer, at: offset)
            } catch {
                throw StoreError.objectUnreadable
            }
        case .elsewhere(let file):
            // The size is known: fewer bytes are somebody else's answer.
            let whole = Int(clamping: min(UInt64(buffer.count), byteCount - min(offset, byteCount)))
            do {
                return try file.askingAgain {
                    try $0.read(into: buffer, at: offset)
                } until: {
                    $0 >= whole
                }
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError.bucketUnreachable(String(describing: error))
            }
        }
    }

    /// Lets the kernel forget what it remembers of the file, so that the next read comes from the disk. Advice only.
    package func forgetCached() {
        if case .here(let file) = place { file.forgetCached() }
    }
}
