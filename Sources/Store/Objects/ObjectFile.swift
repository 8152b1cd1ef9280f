import Glibc

/// A published object, open for reading at any offset from any thread.
package final class ObjectFile: Sendable {
    package let byteCount: UInt64
    private let file: OpenFile

    init(file: OpenFile) throws(StoreError) {
        self.file = file
        byteCount = try file.byteCount()
    }

    /// Fills the buffer from `offset`, or throws `objectUnreadable`.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        let count: Int
        do {
            count = try file.read(into: buffer, at: offset)
        } catch {
            throw StoreError.objectUnreadable
        }
        guard count == buffer.count else { throw StoreError.objectUnreadable }
    }

    /// Lets the kernel forget what it remembers of the file, so that the next read comes from the disk. Advice only.
    package func forgetCached() {
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}
