internal import CLinux
import Glibc

/// An open descriptor, closed with its last reference. All reads and writes name their offset, so that threads may
/// share it.
final class OpenFile: ByteSource {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    func status() throws(StoreError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failure("fstat") }
        return status
    }

    func byteCount() throws(StoreError) -> UInt64 {
        UInt64(clamping: try status().st_size)
    }

    /// Reads until `buffer` is full or the file ends; returns what was read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StoreError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + done)
            if count < 0 {
                if errno == EINTR { continue }
                throw .failure("pread")
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Up to `count` bytes from `offset`, fewer where the file ends.
    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done: Int
        do {
            done = try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                try read(into: buffer, at: offset)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw .failure("pread", EIO)
        }
        bytes.removeLast(count - done)
        return bytes
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + done)
            if count < 0 {
                if errno == EINTR { continue }
                throw .failure("pwrite")
            }
            done += count
        }
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
        do {
            try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in try write(buffer, at: offset) }
        } catch let error as StoreError {
            throw error
        } catch {
            throw .failure("pwrite", EIO)
        }
    }

    /// Reads all of it, for the error that this may meet.
    func readThrough() throws(StoreError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            if count < buffer.count { return }
            offset += UInt64(count)
        }
    }

    /// From the beginning to where it ends when that is reached, or to a place before.
    func copyContent(to target: OpenFile, upTo end: UInt64 = .max) throws {
        var offset: UInt64 = 0
        while offset < end {
            let bytes = try bytes(at: offset, count: Int(clamping: min(1 << 20, end - offset)))
            if bytes.isEmpty { return }
            try target.write(bytes, at: offset)
            offset += UInt64(bytes.count)
        }
    }

    /// Waits until data and size are on disk. Called once for what it covers: after a failure the kernel may report
    /// the next sync as good although the pages were lost, so callers drop what they wrote. An interrupted sync
    /// (EINTR, network file systems) counts as failed for the same reason: it confirmed nothing.
    func synchronizeData() throws(StoreError) {
        guard fdatasync(descriptor) == 0 else { throw .syncFailed }
    }

    /// The same with all metadata; for folders and for files just created.
    func synchronize() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw .syncFailed }
    }

    /// Lets the kernel forget what it remembers of the file and has written, so that the next read comes from the disk.
    /// Advice only: some file systems keep it.
    func forgetCached() { posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

    /// Whether reads and writes go past the page cache (O_DIRECT). False when the file system refuses that.
    func setDirect(_ isDirect: Bool) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { return false }
        let direct = Int32(LINUX_O_DIRECT)
        return fcntl(descriptor, F_SETFL, isDirect ? flags | direct : flags & ~direct) == 0
    }

    func truncate(to byteCount: UInt64) throws(StoreError) {
        guard ftruncate(descriptor, off_t(clamping: byteCount)) == 0 else { throw .failure("ftruncate") }
    }
}

/// Overwrites the blocks of an open file from `begin` to its end, and waits until that is on disk: what is cut off or
/// unlinked would otherwise stay readable until something else takes its place. On a file system that writes everything
/// to a new place (btrfs), and within a flash disk, the former blocks stay as they are.
/// - Returns: false where the disk did not take it.
@discardableResult
func overwriteWithZeros(_ descriptor: Int32, from begin: off_t) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    let zeros = [UInt8](repeating: 0, count: Int(clamping: min(1 << 20, max(0, status.st_size - begin))))
    var offset = begin
    while offset < status.st_size {
        let count = min(zeros.count, Int(clamping: status.st_size - offset))
        let written = pwrite(descriptor, zeros, count, offset)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        offset += off_t(written)
    }
    return offset == begin || fdatasync(descriptor) == 0
}

/// A small file that lies in memory alone: it outlives the process, and ends with the computer's run. Blocking; used at
/// start only.
package enum MemoryFile {
    /// `TMPFS_MAGIC` of linux/magic.h.
    package static let memoryKind: UInt32 = 0x0102_1994

    /// The content of this user's file of that name, which is made where there is none.
    /// - Parameters:
    ///   - folder: of a file system in memory, which others may write to as well.
    ///   - content: of a new one.
    ///   - kind: of the file system; another one than that of the folder stands for a disk.
    /// - Returns: nil where the folder lies on a disk, or cannot be written to, or something of that name stands there
    ///   that is not this user's alone.
    package static func content(_ name: String, in folder: String, new content: [UInt8], kind: UInt32 = memoryKind)
        -> [UInt8]?
    {
        let path = "\(folder)/\(name)"
        if let found = read(path, byteCount: content.count, kind) { return found }
        // Whole from the beginning, whoever starts at the same time.
        let draft = "\(path).\(getpid())"
        unlink(draft)
        guard write(draft, content, kind) else { return nil }
        defer { unlink(draft) }
        _ = link(draft, path)
        return read(path, byteCount: content.count, kind)
    }

    private static func read(_ path: String, byteCount: Int, _ kind: UInt32) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, linux_file_system(descriptor, 0) == kind,
            status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0, status.st_uid == geteuid(),
            status.st_size == byteCount
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        return count == byteCount ? bytes : nil
    }

    /// Nothing is written to a disk.
    private static func write(_ path: String, _ bytes: [UInt8], _ kind: UInt32) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isWritten =
            linux_file_system(descriptor, 0) == kind
            && bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
        if !isWritten { unlink(path) }
        return isWritten
    }
}
