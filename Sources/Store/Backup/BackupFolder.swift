import Glibc

/// A folder of backups of one data directory. One run at a time.
final class BackupFolder: BackupDestination {
    let root: Folder
    /// Nil where a tool that takes no empty folders along has copied a backup without photos. There where it is written to.
    private let objects: Folder?
    let path: String
    private let lock: OpenFile?

    private init(root: Folder, objects: Folder?, lock: OpenFile?, path: String) {
        self.root = root
        self.objects = objects
        self.lock = lock
        self.path = path
    }

    /// Makes the folder where there is none. Throws `unusable` for one that holds something else, and while another run
    /// uses it.
    static func openOrMake(_ path: String) throws -> BackupFolder {
        let root = try DirectoryState.openOrMakeFolder(path)
        try root.requireEmpty(or: BackupLayout.marker, path: path, or: "a backup of Safelight")
        try root.writeMarker(BackupLayout.marker, BackupLayout.markerText)
        try root.makeFolder(BackupLayout.objects)
        return try open(root, path, lockFlags: O_RDWR | O_CREAT, LOCK_EX)
    }

    /// For reading; it may lie on a file system that takes no writes.
    static func openExisting(_ path: String) throws -> BackupFolder {
        guard let root = try? Folder.open(path: path), root.contains(BackupLayout.marker) else {
            throw StoreError.unusable("\(path) is no backup of Safelight.")
        }
        return try open(root, path, lockFlags: O_RDONLY, LOCK_SH)
    }

    private static func open(_ root: Folder, _ path: String, lockFlags: Int32, _ kind: Int32) throws -> BackupFolder {
        let text = try root.open(BackupLayout.marker, O_RDONLY).bytes(at: 0, count: BackupLayout.markerText.utf8.count)
        guard text == Array(BackupLayout.markerText.utf8) else {
            throw StoreError.unusable("The backup in \(path) is of another version of Safelight.")
        }
        // Where any tool has copied a backup from a bucket there is none, and nobody who would hold it.
        let lock = try root.openIfPresent(BackupLayout.lock, lockFlags)
        guard lock.map({ flock($0.descriptor, kind | LOCK_NB) == 0 }) ?? true else {
            guard errno == EWOULDBLOCK else { throw StoreError.failure("flock") }
            throw StoreError.unusable("The backup in \(path) is in use by another process. Wait for it to end.")
        }
        let objects = root.contains(BackupLayout.objects) ? try root.folder(BackupLayout.objects) : nil
        return BackupFolder(root: root, objects: objects, lock: lock, path: path)
    }

    var place: String { path }
    /// Files of one disk are read and written best one after the other.
    var concurrency: Int { 1 }
    var pieceByteCount: Int { 1 << 20 }
    var workshop: Folder { root }

    func states() throws -> [UInt64] {
        try root.names().compactMap(BackupLayout.stateTime).sorted(by: >)
    }

    func files(of time: UInt64) throws -> (folder: Folder, path: String) {
        let name = BackupLayout.stateName(time)
        return (try root.folder(name), path + "/" + name)
    }

    func open(_ file: BackupFile, of time: UInt64) throws -> (any ByteSource)? {
        let folder =
            file.isPart
            ? try? root.folder(BackupLayout.stateName(time)).folder(BackupLayout.parts)
            : try? objects?.folder(ObjectFolders.shardName(of: file.id))
        return try folder?.openIfPresent(file.id.hex, O_RDONLY)
    }

    func digests(of time: UInt64) throws -> DigestList {
        let folder = try root.folder(BackupLayout.stateName(time))
        guard let file = try folder.openIfPresent(BackupLayout.digests, O_RDONLY) else { return DigestList() }
        do {
            return try DigestList(file)
        } catch .ioFailed(_, EIO) {
            return DigestList()
        }
    }

    /// Those that the state's list names, and those that its ledger does, for the list may be missing or damaged. Nil when
    /// neither can be read.
    func listedObjects(of time: UInt64) throws -> Set<ObjectID>? {
        let list = try digests(of: time)
        var objects = Set(list.objects.keys)
        let ledger = path + "/" + BackupLayout.stateName(time) + "/" + StoreLayout.ledger
        if let listed = try? ListedFiles(ledger: .open(path: ledger)) {
            objects.formUnion(listed.objects)
        } else if list[StoreLayout.ledger] == nil {
            // Every list names the ledger; this one is none.
            return nil
        }
        return objects
    }

    func hostSalt() throws -> [UInt8]? {
        for time in try states() {
            let folder = try root.folder(BackupLayout.stateName(time))
            if let header = try? HeaderFile.inspect(in: folder) { return header.hostSalt }
        }
        return nil
    }

    private func shard(of id: ObjectID) throws -> Folder {
        let name = ObjectFolders.shardName(of: id)
        guard let objects else { throw StoreError.unusable("\(path)/\(BackupLayout.objects) is missing.") }
        try objects.makeFolder(name)
        return try objects.folder(name)
    }

    // MARK: A new state

    func journal(adding known: inout DigestList) throws -> CopyJournal? { try CopyJournal(in: root, known: &known) }

    func beginState() throws -> (folder: Folder, path: String) {
        try root.removeState(BackupLayout.newState)
        return (try root.makeState(BackupLayout.newState), path + "/" + BackupLayout.newState)
    }

    /// Everything is on disk before the state gets its name.
    func complete(_ state: DigestList, takenAt time: UInt64) throws {
        let folder = try root.folder(BackupLayout.newState)
        try state.write(to: folder.open(BackupLayout.digests, O_RDWR | O_CREAT | O_TRUNC))
        for shard in try shards() { try shard.synchronize() }
        try objects?.synchronize()
        try folder.synchronize()
        let newest = try states().first
        try root.rename(BackupLayout.newState, to: BackupLayout.stateName(max(time, newest.map { $0 + 1 } ?? 0)))
        try root.synchronize()
    }

    func byteCount(of id: ObjectID) throws -> UInt64? { try shard(of: id).byteCount(of: id.hex) }

    func put(
        _ id: ObjectID, from object: OriginObject, by copier: VerifiedCopy, replacing: Bool
    ) throws -> VerifiedCopy.Result {
        try copier.copy(object.bytes, expecting: object.digest, to: id.hex, in: shard(of: id))
    }

    // MARK: What goes

    /// It gives up its name first, and durably: what has the name of a state is whole.
    func removeState(of time: UInt64) throws -> Bool {
        try root.removeState(BackupLayout.oldState)
        try root.rename(BackupLayout.stateName(time), to: BackupLayout.oldState)
        try root.synchronize()
        try root.removeState(BackupLayout.oldState)
        return true
    }

    /// What has another name was put there by somebody else, as file managers do, and stays.
    func removeObjects(notIn kept: Set<ObjectID>) throws -> (removed: Int, refused: Int) {
        var removed = 0
        for shard in try shards() {
            for file in try shard.names() {
                guard let id = ObjectID(hex: file), !kept.contains(id) else { continue }
                if try shard.unlink(file) { removed += 1 }
            }
        }
        return (removed, 0)
    }

    func tidy() throws {
        try root.removeState(BackupLayout.oldState)
        try root.unlink(BackupLayout.journal)
        try root.synchronize()
    }

    /// Those that there are.
    private func shards() throws -> [Folder] {
        guard let objects else { return [] }
        return try StoreLayout.shardNames.filter(objects.contains).map(objects.folder)
    }
}

extension Folder {
    /// Files only.
    func removeFiles() throws(StoreError) {
        for name in try names() { try unlink(name) }
    }

    /// Throws `unusable` for a folder with something in it, unless the marker says that it is ours.
    func requireEmpty(or marker: String, path: String, or what: String) throws(StoreError) {
        let ours = [StoreLayout.lostAndFound, StoreLayout.lock, StoreLayout.knownPlaces, BackupLayout.incoming]
        let names = try names().filter { !ours.contains($0) }
        guard names.isEmpty || names.contains(marker) else {
            throw .unusable("\(path) is neither empty nor \(what). Nothing was changed; choose another folder.")
        }
    }

    /// Durable on return.
    func writeMarker(_ name: String, _ text: String) throws(StoreError) {
        guard !contains(name) else { return }
        let file = try open(BackupLayout.incoming, O_RDWR | O_CREAT | O_TRUNC)
        try file.write(Array(text.utf8), at: 0)
        try file.synchronize()
        try rename(BackupLayout.incoming, to: name)
        try synchronize()
    }
}

/// The files in `objects` that a ledger counts as alive.
struct ListedFiles {
    /// Finished, and never changed again. In the order of their ids, as the folders are.
    let objects: [ObjectID]
    /// Of unfinished uploads.
    let parts: [ObjectID]

    init(ledger: ImmutableLedger) throws(StoreError) {
        var objects: Set<ObjectID> = []
        var parts: Set<ObjectID> = []
        try ledger.forEachObject { objects.insert($0) }
        try ledger.forEachID(column: "object", of: "guest") { objects.insert($0) }
        try ledger.forEachID(column: "part", of: "upload") { parts.insert($0) }
        self.objects = Self.sorted(objects)
        self.parts = Self.sorted(parts.subtracting(objects))
    }

    private static func sorted(_ ids: Set<ObjectID>) -> [ObjectID] {
        ids.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    }
}

/// Remembers what was copied by a run that does not come to its end, so that the next one goes on there.
final class CopyJournal {
    private static let syncInterval = 256

    private let file: OpenFile
    private var end: UInt64
    private var unsynced = 0

    /// The digests that earlier runs have left are added to `known`.
    init(in root: Folder, known: inout DigestList) throws(StoreError) {
        file = try root.open(BackupLayout.journal, O_RDWR | O_CREAT)
        try known.add(file)
        // Behind what a power cut left of a line it would be taken for its end.
        end = try file.byteCount()
        if end > 0 {
            try file.write([UInt8(ascii: "\n")], at: end)
            end += 1
        }
    }

    func add(_ id: ObjectID, _ digest: FileDigest) throws(StoreError) {
        let line = DigestLines.line(digest, BackupLayout.objectPath(id))
        try file.write(line, at: end)
        end += UInt64(line.count)
        unsynced += 1
        if unsynced >= Self.syncInterval {
            // A line that a power cut takes costs one copy more.
            try file.synchronizeData()
            unsynced = 0
        }
    }
}
