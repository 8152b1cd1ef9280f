import Glibc

/// Where the states of one data directory and their objects lie: a folder (`BackupFolder`), or a place elsewhere
/// (`RemoteBackup`). Blocking.
protocol BackupSource: Sendable {
    /// For people.
    var place: String { get }
    /// How many files are read or written at the same time.
    var concurrency: Int { get }
    /// Of one read.
    var pieceByteCount: Int { get }

    /// When the states that are whole were taken, newest first.
    func states() throws -> [UInt64]
    /// A folder of this computer with the state's header, slots and ledger.
    func files(of time: UInt64) throws -> (folder: Folder, path: String)
    /// Empty when there is no list, or its disk cannot read it: what is not listed is compared with nothing, and kept.
    func digests(of time: UInt64) throws -> DigestList
    /// Nil when it is not there.
    func open(_ file: BackupFile, of time: UInt64) throws -> (any ByteSource)?
}

/// An object or an unfinished upload of a state.
struct BackupFile: Sendable {
    let id: ObjectID
    /// Of an upload that was not finished; it lies in the state's own folder.
    let isPart: Bool
    /// As the state's list has it.
    let digest: FileDigest?

    /// As seen from the backup's root, but for parts, which are seen from their state.
    var path: String { isPart ? BackupLayout.partPath(id) : String(BackupLayout.objectPath(id).dropFirst(3)) }
}

extension BackupSource {
    /// - Parameter time: nil for the newest one.
    func state(_ time: UInt64?) throws -> UInt64 {
        let states = try states()
        guard let found = time ?? states.first else {
            throw StoreError.unusable("\(place) holds no complete backup: none has come to its end yet.")
        }
        guard states.contains(found) else {
            let names = states.map(String.init).joined(separator: ", ")
            throw StoreError.unusable("\(place) has no state \(found). There are: \(names).")
        }
        return found
    }

    /// Objects first.
    func files(of ledger: ListedFiles, _ digests: DigestList) -> [BackupFile] {
        ledger.objects.map { BackupFile(id: $0, isPart: false, digest: digests[$0]) }
            + ledger.parts.map { BackupFile(id: $0, isPart: true, digest: digests[BackupLayout.partPath($0)]) }
    }
}

/// The same, to add a state to it. One run at a time.
protocol BackupDestination: BackupSource {
    /// The host salt of the newest state, by which a data directory is known; nil while there is none.
    func hostSalt() throws -> [UInt8]?
    /// The objects of a state; nil when nobody can say which they are.
    func listedObjects(of time: UInt64) throws -> Set<ObjectID>?
    /// Where runs that do not come to their end note what they have copied; what earlier ones have noted is added.
    func journal(adding known: inout DigestList) throws -> CopyJournal?

    /// The folder of this computer in which copies are written before they get their names.
    var workshop: Folder { get }
    /// An empty folder for a new state, with one for parts in it.
    func beginState() throws -> (folder: Folder, path: String)
    /// Everything is where it has to be before the state gets its name, which is the newest, even if the clock is behind.
    func complete(_ state: DigestList, takenAt time: UInt64) throws

    /// Nil when it is not there.
    func byteCount(of id: ObjectID) throws -> UInt64?
    /// Whole, and what the object is, on return. Throws `VerifiedCopy.SourceUnreadable`.
    /// - Parameter replacing: what is there under its name is known to be something else
    func put(_ id: ObjectID, from object: OriginObject, by copier: VerifiedCopy, replacing: Bool) throws
        -> VerifiedCopy.Result

    /// False when whoever keeps the place does not allow it.
    func removeState(of time: UInt64) throws -> Bool
    /// Removes the files of other objects than these; returns how many went, and how many were not allowed to.
    func removeObjects(notIn kept: Set<ObjectID>) throws -> (removed: Int, refused: Int)
    /// At the end of a run, and of what others have left.
    func tidy() throws
}

/// Where a backup lies, as it was named.
package enum BackupPlace: Sendable {
    /// The path of a folder.
    case folder(String)
    case elsewhere(any RemoteObjects)

    var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }

    /// Makes it where there is none. Throws `unusable` for one that holds something else, while another run uses it, and where
    /// its disk is missing.
    /// - Parameters:
    ///   - remembered: the last state that was completed there from here, if that is known
    ///   - known: folders of backups on disks of their own
    func openOrMake(remembered: UInt64?, known: KnownPlaces) throws -> any BackupDestination {
        switch self {
        case .folder(let path):
            try Self.requireDisk(of: path, known)
            return try BackupFolder.openOrMake(path)
        case .elsewhere(let remote):
            let backup = try RemoteBackup(remote, remembered: remembered)
            try backup.openOrMake()
            return backup
        }
    }

    /// A backup that is begun on another disk, in the place of the one that is not plugged in, fills that disk and is taken for
    /// a copy.
    private static func requireDisk(of path: String, _ known: KnownPlaces) throws(StoreError) {
        guard (try? Folder.open(path: path))?.contains(BackupLayout.marker) != true,
            let mounts = MountTable.current()
        else { return }
        if let missing = FileSystemTable.missingMountPoint(above: path, in: mounts) {
            throw .unusable("The disk of \(missing) (/etc/fstab) is not mounted. Nothing was begun in its place.")
        }
        guard known.isAwaited(path, in: mounts, orOther: false) else { return }
        throw .unusable(
            "The backup at \(path) is on a disk that is not there now. Plug it in, or mount it. No other backup was begun in "
                + "its place.")
    }

    /// For reading.
    func openExisting() throws -> any BackupSource {
        switch self {
        case .folder(let path): return try BackupFolder.openExisting(path)
        case .elsewhere(let remote):
            let backup = try RemoteBackup(remote)
            try backup.requireOurs()
            return backup
        }
    }
}

/// Held by the run that copies to a place elsewhere, where no lock can lie.
final class BackupLock: Sendable {
    private let folder: Folder

    /// - Parameters:
    ///   - objects: the folder of the data directory's objects, opened anew for this
    ///   - path: of the data directory, for the refusal
    init(_ objects: Folder, path: String) throws {
        folder = objects
        guard flock(objects.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreError.failure("flock") }
            throw StoreError.unusable("Another off-site copy of \(path) is under way. Wait for it to end.")
        }
    }
}

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
