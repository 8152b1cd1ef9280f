import Glibc

/// By what a file is known to be as it was: which one it is, how long, and when it changed.
package struct FileSign: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: UInt64
    /// Nanoseconds since 1970, as the following.
    package let modifiedAt: Int64
    /// By this host's clock, at each write and rename too; nobody can set it.
    package let changedAt: Int64

    package init(device: UInt64, inode: UInt64, byteCount: UInt64, modifiedAt: Int64, changedAt: Int64) {
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
        self.changedAt = changedAt
    }

    /// Nil for what is no regular file.
    init?(_ facts: stat) {
        guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
        self.init(
            device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), byteCount: UInt64(clamping: facts.st_size),
            modifiedAt: nanoseconds(facts.st_mtim), changedAt: nanoseconds(facts.st_ctim))
    }

    /// Whether nothing has happened to it for so long. A change that lies days ahead was made while the clock was wrong.
    /// - Parameter now: nanoseconds since 1970, by this host's clock.
    func isStill(for rest: Duration, now: Int64) -> Bool {
        let age = Duration.nanoseconds(now - changedAt)
        return age >= rest || age < .seconds(-86_400)
    }

    /// The same bytes as far as one can tell without reading them: a rename changes `changedAt` alone.
    func hasContent(of other: FileSign) -> Bool {
        device == other.device && inode == other.inode && byteCount == other.byteCount
            && modifiedAt == other.modifiedAt
    }
}
