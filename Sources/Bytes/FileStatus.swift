import Glibc

/// What the system says of a file (stat). Here, where Swift sees one `struct stat`: other modules see several of that name.
package struct FileStatus: Equatable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Type and permission bits.
    package let mode: UInt32
    package let byteCount: UInt64
    /// When the content changed last, since 1970.
    package let modifiedSeconds: Int
    package let modifiedNanoseconds: Int

    /// Nil with `errno` set.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of what lies under a name, links not followed; nil with `errno` set.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        mode = status.st_mode
        byteCount = UInt64(max(0, status.st_size))
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
    }

    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
