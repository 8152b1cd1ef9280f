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
