import Glibc

/// When the data directory was last backed up, with all that it had not lost itself: the file `last-backup`, of the same
/// size for every store; for copies elsewhere `last-offsite`. Written by the backup, read by the daemon's health.
package struct LastBackup: Sendable, Equatable {
    /// Each is remembered by itself: a disk beside the computer that fills every night must not hide that nothing has
    /// reached the other house for weeks.
    package enum Record: Sendable {
        case backup, offsite
        /// When a copy elsewhere, or one in a folder, was last tried: fetched and compared.
        case rehearsal, backupRehearsal
        /// The same of the bucket that everything goes along to.
        case homeRehearsal

        init(_ place: BackupPlace) { self = place.isElsewhere ? .offsite : .backup }

        package static func rehearsal(of place: BackupPlace) -> Self {
            place.isElsewhere ? .rehearsal : .backupRehearsal
        }

        var fileName: String {
            switch self {
            case .backup: StoreLayout.lastBackup
            case .offsite: StoreLayout.lastOffsite
            case .rehearsal: StoreLayout.lastRehearsal
            case .backupRehearsal: StoreLayout.lastBackupRehearsal
            case .homeRehearsal: StoreLayout.lastHomeRehearsal
            }
        }

        var failureName: String {
            switch self {
            case .backup: StoreLayout.failedBackup
            case .offsite: StoreLayout.failedOffsite
            case .rehearsal: StoreLayout.failedRehearsal
            case .backupRehearsal: StoreLayout.failedBackupRehearsal
            case .homeRehearsal: StoreLayout.failedHomeRehearsal
            }
        }
    }

    private static let textByteCount = 32

    /// Seconds since 1970: the moment that the backup shows, by the clock of then.
    package var time: UInt64

    package init(time: UInt64) {
        self.time = time
    }

    /// Nil when there was none, or the file cannot be read. Blocking.
    package init?(_ record: Record = .backup, dataPath: String) {
        guard let root = try? Folder.open(path: dataPath), let time = record.time(in: root) else { return nil }
        self.time = time
    }

    /// When one last failed, if none has come to its end since: in seconds since 1970. Blocking.
    package static func failure(_ record: Record = .backup, dataPath: String) -> UInt64? {
        (try? Folder.open(path: dataPath)).flatMap { read(record.failureName, in: $0) }
    }

    fileprivate static func read(_ name: String, in root: Folder) -> UInt64? {
        guard let file = try? root.openIfPresent(name, O_RDONLY),
            let text = try? file.bytes(at: 0, count: textByteCount)
        else { return nil }
        return UInt64(String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    fileprivate static func write(_ time: UInt64, as name: String, in root: Folder) throws(StoreError) {
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

extension LastBackup.Record {
    /// Remembers in the data directory what came of it, for the daemon's health, where the copy is of that one.
    /// - Parameters:
    ///   - hostSalt: that of the copy; nil where its header cannot be read, for then it may be of this one.
    ///   - dataPath: nothing is remembered where there is no data directory, or one of a later version.
    package func note(
        _ isSound: Bool, of hostSalt: [UInt8]? = nil, in dataPath: String, at now: UInt64 = UInt64(Glibc.time(nil))
    ) throws {
        guard let root = try? Folder.open(path: dataPath), HeaderFile.takesNotes(root) else { return }
        let own = try? HeaderFile.inspect(in: root)?.hostSalt
        guard own == nil || hostSalt == nil || own == hostSalt else { return }
        try isSound ? write(now, in: root) : writeFailure(at: now, in: root)
    }

    /// The moment that the newest copy shows; nil while there is none.
    func time(in root: Folder) -> UInt64? { LastBackup.read(fileName, in: root) }

    /// The file stands until the next one that comes to its end.
    func writeFailure(at time: UInt64, in root: Folder) throws(StoreError) {
        try LastBackup.write(time, as: failureName, in: root)
    }

    /// Also that none has failed since.
    func write(_ time: UInt64, in root: Folder) throws(StoreError) {
        try LastBackup.write(time, as: fileName, in: root)
        if try root.unlink(failureName) { try root.synchronize() }
    }
}
