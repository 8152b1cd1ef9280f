internal import CLinux
import Glibc
import Synchronization

/// Whether the disk keeps its word. After a failed sync nothing is accepted until a probe on a new file passes,
/// because a second sync of the old one may report success for pages that were lost.
package final class StoreCondition: Sendable {
    private static let probeByteCount = 4096
    private let folder: Folder
    private let degraded = Atomic(false)
    /// Whether a write was refused for want of room, and none has shown since that there is some again.
    private let lacksRoom = Atomic(false)
    /// More than most photos have, and less than is kept back.
    private static let roomByteCount: off_t = 32 << 20

    init(folder: Folder) {
        self.folder = folder
    }

    package var isDegraded: Bool { degraded.load(ordering: .acquiring) }

    package func markDegraded() {
        degraded.store(true, ordering: .releasing)
    }

    /// Passes at once while sound; probes while degraded and throws `degraded` if that fails, `diskFull` where it has no
    /// room, and what says that there are too many open files.
    package func requireSound() throws {
        guard isDegraded else { return }
        do {
            try probe()
        } catch let error as StoreError where error == .diskFull || error.isShortOfFiles {
            throw error
        } catch {
            throw StoreError.degraded
        }
    }

    /// Writes, syncs and reads back a new file, past the page cache where the file system allows it. Success ends
    /// the degraded state, failure begins it; a full disk, or too many open files, say nothing of whether it keeps its word.
    package func probe() throws {
        do {
            try writeAndReadBack()
            degraded.store(false, ordering: .releasing)
        } catch  where error == .diskFull || error.isShortOfFiles {
            throw error
        } catch {
            markDegraded()
            throw error
        }
    }

    /// Where a write was refused for want of room, tries whether there is some: a quota is full (EDQUOT) on a disk that
    /// has room for others, and only a try tells.
    /// - Throws: `diskFull`.
    package func probeRoom() throws {
        guard lacksRoom.load(ordering: .relaxed) else { return }
        let code = posix_fallocate(try folder.openTemporary().descriptor, 0, Self.roomByteCount)
        guard code != ENOSPC, code != EDQUOT else { throw StoreError.diskFull }
        lacksRoom.store(false, ordering: .relaxed)
    }

    /// A failed sync, an input/output error or a read-only file system means that nothing written now can be trusted.
    func noteWriteFailure(_ error: any Error) {
        switch error as? StoreError {
        case .syncFailed, .degraded, .ioFailed(_, EIO): markDegraded()
        case .diskFull: lacksRoom.store(true, ordering: .relaxed)
        default: break
        }
    }

    private func writeAndReadBack() throws(StoreError) {
        let file = try folder.openTemporary()
        let written = try randomBytes(Self.probeByteCount)
        try file.write(written, at: 0)
        try file.synchronizeData()
        file.forgetCached()
        guard try readBack(file) == written else { throw .failure("reading back a probe", EIO) }
    }

    private func readBack(_ file: OpenFile) throws(StoreError) -> [UInt8] {
        let direct = Glibc.open("/proc/self/fd/\(file.descriptor)", O_RDONLY | O_CLOEXEC | Int32(LINUX_O_DIRECT))
        // tmpfs and some others refuse O_DIRECT; reading after DONTNEED is the next best.
        guard direct >= 0 else { return try file.bytes(at: 0, count: Self.probeByteCount) }
        let directFile = OpenFile(descriptor: direct)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.probeByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        let count = try directFile.read(into: buffer, at: 0)
        return Array(buffer.prefix(count))
    }
}

/// One daemon at a time: `flock` on the file `lock`, which ends with its holder. The pid written into the file is for
/// people; nothing decides by it. The file always has the same size.
final class StoreLock: Sendable {
    private static let textByteCount = 32
    private let file: OpenFile

    private init(_ file: OpenFile) {
        self.file = file
    }

    /// Takes the lock at once or throws `inUse`. Nothing is written.
    static func acquire(in folder: Folder) throws(StoreError) -> StoreLock {
        try acquire(folder.open(StoreLayout.lock, O_RDWR | O_CREAT))
    }

    /// Without making the file: nil when it does not exist, so that looking at a directory changes nothing.
    static func acquireIfPresent(in folder: Folder) throws(StoreError) -> StoreLock? {
        guard let file = try folder.openIfPresent(StoreLayout.lock, O_RDONLY) else { return nil }
        return try acquire(file)
    }

    private static func acquire(_ file: OpenFile) throws(StoreError) -> StoreLock {
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw .failure("flock") }
            throw .inUse(pid: holder(try file.bytes(at: 0, count: textByteCount)))
        }
        return StoreLock(file)
    }

    private static func holder(_ text: [UInt8]) -> Int32? {
        Int32(String(decoding: text.prefix { $0 != 0x0A && $0 != 0x20 }, as: UTF8.self))
    }

    /// Tells a second daemon's user who holds the lock. A full disk may have no room even for that, and nothing decides
    /// by it.
    func writeHolder() {
        try? write(String(getpid()))
    }

    private func write(_ text: String) throws(StoreError) {
        let padding = [UInt8](repeating: 0x20, count: Self.textByteCount - 1 - text.utf8.count)
        try file.write(Array(text.utf8) + padding + [0x0A], at: 0)
    }

    func release() {
        try? write("")
        flock(file.descriptor, LOCK_UN)
    }
}

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
