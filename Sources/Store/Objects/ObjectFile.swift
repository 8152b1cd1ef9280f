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
    /// - Parameter open: finds out whether these are the bytes that were put, and may change them. A bucket is asked again for
    ///   what does not open: between here and there is much that may have answered in its place.
    package func read<R>(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64,
        _ open: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> R {
        switch place {
        case .here(let file):
            let count: Int
            do {
                count = try file.read(into: buffer, at: offset)
            } catch {
                throw StoreError.objectUnreadable
            }
            guard count == buffer.count else { throw StoreError.objectUnreadable }
            return try open(buffer)
        case .elsewhere(let file): return try opened(file, into: buffer, at: offset, open).get()
        }
    }

    private func opened<R>(
        _ file: RemoteFile, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64,
        _ open: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> Result<R, any Error> {
        do {
            return try file.askingAgain { source in
                guard try source.read(into: buffer, at: offset) == buffer.count else {
                    return .failure(StoreError.objectUnreadable)
                }
                return Result { try open(buffer) }
            } until: {
                if case .success = $0 { true } else { false }
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError.bucketUnreachable(String(describing: error))
        }
    }

    /// Lets the kernel forget what it remembers of the file, so that the next read comes from the disk. Advice only.
    package func forgetCached() {
        if case .here(let file) = place { file.forgetCached() }
    }
}
