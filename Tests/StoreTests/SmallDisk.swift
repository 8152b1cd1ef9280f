import Foundation
import TestSupport

/// A file system of a few MiB in memory. Needs root.
final class SmallDisk: Sendable {
    static let isAvailable: Bool = {
        guard geteuid() == 0, let disk = try? SmallDisk(megabytes: 1) else { return false }
        return FileManager.default.fileExists(atPath: disk.folder.path)
    }()

    let folder: TemporaryFolder

    init(type: String = "tmpfs", megabytes: Int) throws {
        folder = try TemporaryFolder()
        _ = try Program("/bin/mount", ["-t", type, "-o", "size=\(megabytes)m,mode=0700", type, folder.path]).run()
    }

    deinit {
        _ = try? Program("/bin/umount", ["--lazy", folder.path]).run()
    }

    /// Takes all free space but `rest` bytes.
    func fill(leaving rest: Int) throws {
        let free = try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? Int ?? 0
        try Data(count: max(0, free - rest)).write(to: folder.file("ballast"))
    }

    /// Gives it back, though a program that another test started meanwhile may have inherited the file.
    func empty() throws {
        let ballast = try FileHandle(forWritingTo: folder.file("ballast"))
        try ballast.truncate(atOffset: 0)
        try ballast.close()
        try FileManager.default.removeItem(at: folder.file("ballast"))
    }
}
