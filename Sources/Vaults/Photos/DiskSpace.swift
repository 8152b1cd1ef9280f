import Glibc

enum DiskSpace {
    /// Size of the file system that holds `path`.
    static func totalByteCount(_ path: String) throws(VaultError) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            throw .internalFailure("statvfs: \(String(cString: strerror(errno)))")
        }
        return UInt64(status.f_blocks) * UInt64(status.f_frsize)
    }
}
