import Glibc

/// When the data directory was last backed up, with all that it had not lost itself: the file `last-backup`, of the same
/// size for every store. Written by the backup, read by the daemon's health.
package struct LastBackup: Sendable, Equatable {
    private static let textByteCount = 32

    /// Seconds since 1970: the moment that the backup shows, by the clock of then.
    package var time: UInt64

    package init(time: UInt64) {
        self.time = time
    }

    /// Nil when there was none, or the file cannot be read. Blocking.
    package init?(dataPath: String) {
        guard let root = try? Folder.open(path: dataPath), let time = Self.read(StoreLayout.lastBackup, in: root)
        else { return nil }
        self.time = time
    }

    /// When a backup last failed, if none has come to its end since: in seconds since 1970. Blocking.
    package static func failure(dataPath: String) -> UInt64? {
        (try? Folder.open(path: dataPath)).flatMap { read(StoreLayout.failedBackup, in: $0) }
    }

    /// The file stands until the next backup that comes to its end.
    static func writeFailure(at time: UInt64, in root: Folder) throws(StoreError) {
        try write(time, as: StoreLayout.failedBackup, in: root)
    }

    private static func read(_ name: String, in root: Folder) -> UInt64? {
        guard let file = try? root.openIfPresent(name, O_RDONLY),
            let text = try? file.bytes(at: 0, count: textByteCount)
        else { return nil }
        return UInt64(String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    /// Also that no backup has failed since.
    func write(in root: Folder) throws(StoreError) {
        try Self.write(time, as: StoreLayout.lastBackup, in: root)
        if try root.unlink(StoreLayout.failedBackup) { try root.synchronize() }
    }

    private static func write(_ time: UInt64, as name: String, in root: Folder) throws(StoreError) {
        let text = String(time)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: textByteCount - 1 - text.utf8.count)
        try root.unlink(StoreLayout.newLastBackup)
        let file = try root.open(StoreLayout.newLastBackup, O_RDWR | O_CREAT | O_EXCL)
        try file.write(Array(text.utf8) + padding + [UInt8(ascii: "\n")], at: 0)
        try file.synchronize()
        try root.rename(StoreLayout.newLastBackup, to: name)
        try root.synchronize()
    }
}
