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
