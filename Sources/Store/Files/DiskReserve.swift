import Glibc
import Synchronization

/// A file of allocated, unused bytes. It is given up when a commit that must succeed meets a full disk (a delete, an
/// opening), and made again when there is room.
package final class DiskReserve: Sendable {
    private let folder: Folder
    private let byteCount: UInt64
    private let floorByteCount: UInt64
    /// Nil where there is none, and the disk has no room for one.
    private let file: Mutex<OpenFile?>

    init(in folder: Folder, byteCount: UInt64, floorByteCount: UInt64) throws {
        self.folder = folder
        self.byteCount = byteCount
        self.floorByteCount = floorByteCount
        file = Mutex(try Self.openWhereThereIsRoom(in: folder))
    }

    private static func openWhereThereIsRoom(in folder: Folder) throws -> OpenFile? {
        do {
            return try folder.open(StoreLayout.reserve, O_RDWR | O_CREAT)
        } catch StoreError.diskFull {
            return nil
        }
    }

    package var isIntact: Bool {
        (try? allocatedByteCount()) ?? 0 >= byteCount
    }

    /// Gives the bytes back to the file system.
    package func release() throws {
        try file.withLock { file in
            do {
                try file?.truncate(to: 0)
            } catch StoreError.diskFull {
                // Where a quota is full, btrfs removes files but shortens none.
                try folder.unlink(StoreLayout.reserve)
                file = nil
            }
        }
    }

    /// Allocates the reserve again if that leaves the floor free; otherwise leaves it as it is.
    package func restoreIfPossible() throws {
        guard !isIntact else { return }
        let missing = byteCount - min(byteCount, try allocatedByteCount())
        guard try freeByteCount() >= missing + floorByteCount else { return }
        try allocate()
    }

    /// Throws `diskFull` unless the free space, less a floor and less what the reserve still lacks, holds `byteCount`.
    package func requireRoom(for byteCount: UInt64) throws {
        // Not by `roomByteCount`: with less than the floor free there is no room for nothing at all either.
        let (needed, overflow) = byteCount.addingReportingOverflow(try keptByteCount())
        guard !overflow, try freeByteCount() >= needed else { throw StoreError.diskFull }
    }

    /// Whether the file system takes no further file, however much room it has. Some file systems count none.
    package var lacksInodes: Bool {
        var status = statvfs()
        return fstatvfs(folder.descriptor, &status) == 0 && status.f_files > 0 && status.f_favail == 0
    }

    /// The free space, less a floor and less what the reserve still lacks.
    package func roomByteCount() throws -> UInt64 {
        let free = try freeByteCount()
        return free - min(free, try keptByteCount())
    }

    private func keptByteCount() throws -> UInt64 {
        floorByteCount + byteCount - min(byteCount, try allocatedByteCount())
    }

    /// What an unprivileged process may still write.
    func freeByteCount() throws(StoreError) -> UInt64 {
        var status = statvfs()
        guard fstatvfs(folder.descriptor, &status) == 0 else { throw .failure("statvfs") }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    func allocate() throws {
        try file.withLock { file in
            guard let reserve = try file ?? Self.openWhereThereIsRoom(in: folder) else { throw StoreError.diskFull }
            file = reserve
            var code: Int32
            // Older kernels let a signal end it on a tmpfs.
            repeat { code = posix_fallocate(reserve.descriptor, 0, off_t(clamping: byteCount)) } while code == EINTR
            guard code == 0 else { throw StoreError.failure("fallocate", code) }
            try reserve.synchronize()
        }
    }

    private func allocatedByteCount() throws -> UInt64 {
        guard let status = try file.withLock({ try $0?.status() }) else { return 0 }
        return min(UInt64(clamping: status.st_size), UInt64(clamping: status.st_blocks) * 512)
    }
}
