internal import CLinux
import Glibc

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
