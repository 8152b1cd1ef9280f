import CLinux
import FoundationEssentials
import Glibc
import Sealing
import Vaults

/// The draft of one file of an export. Nothing is left of it, unless it got a name.
final class ExportWriter {
    let path: String
    private let descriptor: Int32
    private var hasher: SHA256Hasher?

    init(path: String, descriptor: Int32) throws {
        self.path = path
        self.descriptor = descriptor
        hasher = try SHA256Hasher()
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try hasher?.update(bytes)
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// To the millisecond, which is what a vault keeps.
    static func fileTime(of photo: Photo) -> linux_file_time {
        let date = photo.modifiedAt ?? photo.receivedAt
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        return linux_file_time(
            seconds: milliseconds / 1000, nanoseconds: UInt32(milliseconds % 1000 * 1_000_000))
    }

    /// Sets the time, syncs.
    /// - Returns: the SHA-256 of what was written.
    func finish(for photo: Photo) throws -> [UInt8] {
        guard linux_set_file_time(descriptor, Self.fileTime(of: photo)) == 0, fsync(descriptor) == 0,
            let hasher = hasher.take()
        else {
            throw ExportFolder.failure("finish", path)
        }
        return try hasher.finalize()
    }
}
