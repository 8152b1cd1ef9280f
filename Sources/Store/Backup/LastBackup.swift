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
        guard let root = try? Folder.open(path: dataPath),
            let file = try? root.openIfPresent(StoreLayout.lastBackup, O_RDONLY),
            let text = try? file.bytes(at: 0, count: Self.textByteCount),
            let time = UInt64(String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        else { return nil }
        self.time = time
    }

    func write(in root: Folder) throws(StoreError) {
        let text = String(time)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: Self.textByteCount - 1 - text.utf8.count)
        try root.unlink(StoreLayout.newLastBackup)
        let file = try root.open(StoreLayout.newLastBackup, O_RDWR | O_CREAT | O_EXCL)
        try file.write(Array(text.utf8) + padding + [UInt8(ascii: "\n")], at: 0)
        try file.synchronize()
        try root.rename(StoreLayout.newLastBackup, to: StoreLayout.lastBackup)
        try root.synchronize()
    }
}
