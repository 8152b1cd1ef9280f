import Glibc

/// A folder of backups of one data directory. One run at a time.
final class BackupFolder {
    let root: Folder
    let objects: Folder
    private let path: String
    private let lock: OpenFile

    private init(root: Folder, objects: Folder, lock: OpenFile, path: String) {
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
        let lock = try root.open(BackupLayout.lock, lockFlags)
        guard flock(lock.descriptor, kind | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreError.failure("flock") }
            throw StoreError.unusable("The backup in \(path) is in use by another process. Wait for it to end.")
        }
        return BackupFolder(root: root, objects: try root.folder(BackupLayout.objects), lock: lock, path: path)
    }

    /// When the states that are whole were taken, newest first.
    func states() throws -> [UInt64] {
        try root.names().compactMap(BackupLayout.stateTime).sorted(by: >)
    }

    /// - Parameter time: nil for the newest one.
    func state(_ time: UInt64?) throws -> (time: UInt64, folder: Folder) {
        let states = try states()
        guard let found = time ?? states.first else {
            throw StoreError.unusable("\(path) holds no complete backup: none has come to its end yet.")
        }
        guard states.contains(found) else {
            let names = states.map(String.init).joined(separator: ", ")
            throw StoreError.unusable("\(path) has no state \(found). There are: \(names).")
        }
        return (found, try root.folder(BackupLayout.stateName(found)))
    }

    /// Empty when there is no list, or its disk cannot read it: what is not listed is compared with nothing, and kept.
    func digests(of time: UInt64) throws -> DigestList {
        let folder = try root.folder(BackupLayout.stateName(time))
        guard let file = try folder.openIfPresent(BackupLayout.digests, O_RDONLY) else { return DigestList() }
        do {
            return try DigestList(file)
        } catch .ioFailed(_, EIO) {
            return DigestList()
        }
    }

    /// The objects of a state: those that its list names, and those that its ledger does, for the list may be missing
    /// or damaged. Nil when neither can be read.
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

    /// The host salt of the newest state, by which a data directory is known; nil while there is none.
    func hostSalt() throws -> [UInt8]? {
        for time in try states() {
            let folder = try root.folder(BackupLayout.stateName(time))
            if let header = try? HeaderFile.inspect(in: folder) { return header.hostSalt }
        }
        return nil
    }

    func shard(of id: ObjectID) throws -> Folder {
        let name = ObjectFolders.shardName(of: id)
        try objects.makeFolder(name)
        return try objects.folder(name)
    }

    /// Removes a state. It gives up its name first, and durably: what has the name of a state is whole.
    func removeState(of time: UInt64) throws {
        try root.rename(BackupLayout.stateName(time), to: BackupLayout.oldState)
        try root.synchronize()
        try removeRemains(BackupLayout.oldState)
    }

    /// Removes what a run that was cut off has left of a state, if there is any.
    func removeRemains(_ name: String) throws {
        guard root.contains(name) else { return }
        let folder = try root.folder(name)
        if folder.contains(BackupLayout.parts) {
            try folder.folder(BackupLayout.parts).removeFiles()
            try folder.removeFolder(BackupLayout.parts)
        }
        try folder.removeFiles()
        try root.removeFolder(name)
    }

    /// Removes the files of other objects than these; returns how many went. What has another name was put there by
    /// somebody else, as file managers do, and stays.
    func removeObjects(notIn kept: Set<ObjectID>) throws -> Int {
        var removed = 0
        for shard in try shards() {
            for file in try shard.names() {
                guard let id = ObjectID(hex: file), !kept.contains(id) else { continue }
                if try shard.unlink(file) { removed += 1 }
            }
        }
        return removed
    }

    /// Those that there are.
    func shards() throws -> [Folder] {
        try StoreLayout.shardNames.filter(objects.contains).map(objects.folder)
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
