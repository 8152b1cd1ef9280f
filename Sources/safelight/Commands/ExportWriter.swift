import CLinux
import FoundationEssentials
import Glibc
import Sealing
import Vault

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
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw ExportFolder.failure("write", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// To the millisecond, which is what a vault keeps.
    static func fileTime(of photo: Photo) -> linux_file_time {
        let date = photo.modifiedAt ?? photo.receivedAt
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        // Before 1970 the part of a second counts forward, too.
        let fraction = (milliseconds % 1000 + 1000) % 1000
        return linux_file_time(seconds: (milliseconds - fraction) / 1000, nanoseconds: UInt32(fraction * 1_000_000))
    }

    /// Sets the time, syncs.
    /// - Returns: the SHA-256 of what was written.
    func finish(for photo: Photo) throws -> [UInt8] {
        setTime(Self.fileTime(of: photo))
        guard fsync(descriptor) == 0, let hasher = hasher.take() else { throw ExportFolder.failure("finish", path) }
        return try hasher.finalize()
    }

    /// As near as the file system can: USB sticks know the years 1980 to 2107 only, and some file systems no times but
    /// their own. The content counts more.
    private func setTime(_ time: linux_file_time) {
        if linux_set_file_time(descriptor, time) == 0 { return }
        // Two days inside both ends, whatever the zone.
        let known: ClosedRange<Int64> = 315_705_600...4_354_732_800
        let nearest = min(max(time.seconds, known.lowerBound), known.upperBound)
        _ = linux_set_file_time(descriptor, linux_file_time(seconds: nearest, nanoseconds: 0))
    }
}
