import Glibc
import Synchronization

/// A backup whose files are objects of a place elsewhere, under the names that they have in a folder: copied into a
/// folder by any tool, it is one. A state is whole once its list is there, which is put last and removed first.
final class RemoteBackup: BackupDestination {
    private static let longestListByteCount: UInt64 = 4 << 30

    private struct Known {
        /// Names within each state's folder.
        var states: [UInt64: Set<String>]?
        var objects: [ObjectID: UInt64]?
        var digests: [UInt64: DigestList] = [:]
        var fetched: Set<UInt64> = []
        /// The state that this run has brought.
        var completed: UInt64?
        /// The place has refused to remove something: it will refuse the rest, too.
        var refuses = false
    }

    let remote: any RemoteObjects
    let scratch: ScratchFolder
    private let known = Mutex(Known())
    /// A state that this computer remembers, which a list that is behind does not name yet.
    private let remembered: UInt64?

    /// - Parameter remembered: the number of a state that was completed from here, if any
    init(_ remote: any RemoteObjects, remembered: UInt64? = nil) throws {
        self.remote = remote
        self.remembered = remembered
        scratch = try ScratchFolder()
    }

    deinit {
        scratch.remove()
    }

    var place: String { remote.place }
    var concurrency: Int { remote.concurrency }
    var pieceByteCount: Int { RemoteFile.pieceByteCount }
    var workshop: Folder { scratch.folder }

    /// Marks a place that is empty as a backup, and refuses one that holds something else, or keeps nothing well.
    func openOrMake() throws {
        // Read and not looked at: only the answer to that says in words why something is refused.
        if try remote.read(BackupLayout.marker, 0..<256) == nil {
            var isEmpty = true
            try remote.list("") { _, _ in isEmpty = false }
            guard isEmpty else {
                throw StoreError.unusable(
                    "\(place) is neither empty nor a backup of Safelight. Nothing was changed; choose another prefix.")
            }
            try remote.requireGood()
            let text = Array(BackupLayout.markerText.utf8)
            try remote.put(BackupLayout.marker, text, isOnce: true)
        }
        try requireOurs()
        // Before several threads ask for it at once.
        _ = try objects()
    }

    func requireOurs() throws {
        let marker = Array(BackupLayout.markerText.utf8)
        let found = try remote.askingAgain {
            try $0.read(BackupLayout.marker, 0..<256)
        } until: {
            $0 == nil || $0 == marker
        }
        guard let text = found else { throw StoreError.unusable("\(place) is no backup of Safelight.") }
        guard text == marker else {
            throw StoreError.unusable("The backup in \(place) is of another version of Safelight.")
        }
    }

    // MARK: States

    func states() throws -> [UInt64] {
        try stateNames().filter { $0.value.contains(BackupLayout.digests) }.keys.sorted(by: >)
    }

    /// Listed once; what this run changes is noted.
    private func stateNames() throws -> [UInt64: Set<String>] {
        if let states = known.withLock({ $0.states }) { return states }
        var states: [UInt64: Set<String>] = [:]
        try remote.list(BackupLayout.statePrefix) { name, _ in
            let parts = name.split(separator: "/", maxSplits: 1)
            guard parts.count == 2, let time = BackupLayout.stateTime(String(parts[0])) else { return }
            states[time, default: []].insert(String(parts[1]))
        }
        // A list that is behind must not let a state of ours be forgotten: its objects would go.
        if let remembered, states[remembered] == nil,
            try remote.look(at: name(BackupLayout.digests, of: remembered)) != nil
        {
            states[remembered] = Set(BackupLayout.filesOfState)
        }
        known.withLock { $0.states = states }
        return states
    }

    func digests(of time: UInt64) throws -> DigestList {
        if let digests = known.withLock({ $0.digests[time] }) { return digests }
        let folder = try folder(of: time)
        let file = try folder.open(BackupLayout.digests, O_RDWR | O_CREAT | O_TRUNC)
        guard try fetch(BackupLayout.digests, of: time, to: file, digest: nil) else { return DigestList() }
        let digests = try DigestList(file)
        known.withLock { $0.digests[time] = digests }
        return digests
    }

    /// Every list names the ledger, before all objects: of one that is damaged only its own digest tells, where that has
    /// been kept.
    func listedObjects(of time: UInt64) throws -> Set<ObjectID>? {
        let isOfThisRun = known.withLock { $0.completed == time }
        let digests = try digests(of: time)
        guard digests[StoreLayout.ledger] != nil else { return nil }
        if !isOfThisRun, let digest = try remote.look(at: name(BackupLayout.digests, of: time))?.digest {
            let file = try folder(of: time).open(BackupLayout.digests, O_RDONLY)
            guard try VerifiedCopy(root: scratch.folder).digest(of: file).digest.hex == digest else { return nil }
        }
        return Set(digests.objects.keys)
    }

    func hostSalt() throws -> [UInt8]? {
        for time in try states() {
            let folder = try folder(of: time)
            let file = try folder.open(StoreLayout.header, O_RDWR | O_CREAT | O_TRUNC)
            guard try fetch(StoreLayout.header, of: time, to: file, digest: digests(of: time)[StoreLayout.header])
            else {
                continue
            }
            if let header = try? HeaderFile.inspect(in: folder) { return header.hostSalt }
        }
        return nil
    }

    /// Fetched once. What is not what the state's list says even when it was asked for again stays: whoever uses it
    /// compares it, too.
    func files(of time: UInt64) throws -> (folder: Folder, path: String) {
        let folder = try folder(of: time)
        if known.withLock({ $0.fetched.insert(time).inserted }) {
            for name in BackupLayout.filesOfState where name != BackupLayout.digests {
                let file = try folder.open(name, O_RDWR | O_CREAT | O_TRUNC)
                guard try fetch(name, of: time, to: file, digest: digests(of: time)[name]) else {
                    try folder.unlink(name)
                    continue
                }
            }
        }
        return (folder, scratch.path + "/" + BackupLayout.stateName(time))
    }

    func open(_ file: BackupFile, of time: UInt64) throws -> (any ByteSource)? {
        let name = file.isPart ? name(file.path, of: time) : file.path
        // Asking whether it is there would be one request more for each: reading says it.
        return RemoteFile(remote: remote, name: name)
    }

    private func folder(of time: UInt64) throws -> Folder {
        let name = BackupLayout.stateName(time)
        try scratch.folder.makeFolder(name)
        return try scratch.folder.folder(name)
    }

    private func name(_ name: String, of time: UInt64) -> String { BackupLayout.stateName(time) + "/" + name }

    /// - Parameter digest: what it has to be, where that is known besides what the place says
    /// - Returns: false when it is not there.
    private func fetch(_ name: String, of time: UInt64, to file: OpenFile, digest: FileDigest?) throws -> Bool {
        let name = self.name(name, of: time)
        guard let expected = try digest?.hex ?? remote.look(at: name).map({ $0.digest ?? "" }) else { return false }
        let fetched = try remote.askingAgain {
            try fetch(name, from: $0, to: file)
        } until: {
            $0 == nil || $0 == expected || expected.isEmpty
        }
        return fetched != nil
    }

    /// - Returns: SHA-256 in hexadecimal digits of what came; nil when it is not there.
    private func fetch(_ name: String, from remote: any RemoteObjects, to file: OpenFile) throws -> String? {
        try file.truncate(to: 0)
        let copier = VerifiedCopy(root: scratch.folder, pieceByteCount: pieceByteCount)
        do {
            return try copier.digest(of: RemoteFile(remote: remote, name: name)) { piece, offset in
                guard offset < Self.longestListByteCount else {
                    throw StoreError.unusable("\(name) in \(place) is too long.")
                }
                try file.write(piece, at: offset)
            }.digest.hex
        } catch is VerifiedCopy.SourceUnreadable {
            return nil
        }
    }

    // MARK: A new state

    func journal(adding known: inout DigestList) throws -> CopyJournal? { nil }

    func beginState() throws -> (folder: Folder, path: String) {
        try scratch.folder.removeState(BackupLayout.newState)
        return (try scratch.folder.makeState(BackupLayout.newState), scratch.path + "/" + BackupLayout.newState)
    }

    func complete(_ state: DigestList, takenAt time: UInt64) throws {
        let folder = try scratch.folder.folder(BackupLayout.newState)
        let list = try folder.open(BackupLayout.digests, O_RDWR | O_CREAT | O_TRUNC)
        try state.write(to: list)
        let newest = try states().first
        let time = max(time, newest.map { $0 + 1 } ?? 0)
        let parts = try folder.folder(BackupLayout.parts)
        let names = state.others.keys.sorted()
        // States that were begun have such names as well, and nobody reads those.
        try SideBySide.run(names, threads: concurrency) { _ in
            { [self] name in
                let isPart = name.hasPrefix(BackupLayout.parts + "/")
                let file = try (isPart ? parts : folder).open(
                    isPart ? String(name.dropFirst(BackupLayout.parts.count + 1)) : name, O_RDONLY)
                let digest = try put(file, as: self.name(name, of: time), isOnce: false)
                guard digest == state[name]?.hex else { throw VerifiedCopy.Mismatch() }
                try remote.requireBack(self.name(name, of: time), digest)
            }
        } each: { _, _ in
        }
        let digest = try put(list, as: name(BackupLayout.digests, of: time), isOnce: false)
        try remote.requireBack(name(BackupLayout.digests, of: time), digest)
        known.withLock { known in
            known.states?[time] = Set(names + [BackupLayout.digests])
            known.digests[time] = state
            known.completed = time
        }
    }

    private func put(_ file: OpenFile, as name: String, isOnce: Bool) throws -> String {
        try remote.put(name, byteCount: file.byteCount(), isOnce: isOnce) { try file.read(into: $0, at: $1) }
    }

    // MARK: Objects

    /// Listed once; what this run brings is noted.
    private func objects() throws -> [ObjectID: UInt64] {
        if let objects = known.withLock({ $0.objects }) { return objects }
        var objects: [ObjectID: UInt64] = [:]
        try remote.list(BackupLayout.objects + "/") { name, byteCount in
            guard let id = ObjectID(at: name, by: BackupLayout.storedPath) else { return }
            objects[id] = byteCount
        }
        known.withLock { $0.objects = objects }
        return objects
    }

    func byteCount(of id: ObjectID) throws -> UInt64? {
        // Not by way of `objects`, which would hand out all of them.
        if let found = known.withLock({ known in known.objects.map { $0[id] } }) { return found }
        return try objects()[id]
    }

    func put(
        _ id: ObjectID, from object: OriginObject, by copier: VerifiedCopy, replacing: Bool
    ) throws -> VerifiedCopy.Result {
        let (name, byteCount) = (BackupLayout.storedPath(id), object.byteCount)
        // Of a run that came to no end: what it has brought needs no second way. Of what has changed where it lies, the
        // place still says what was put.
        if !replacing, try self.byteCount(of: id) == byteCount, let found = try remote.look(at: name),
            found.byteCount == byteCount, let digest = found.digest.flatMap({ FileDigest(hex: $0.utf8) })
        {
            return VerifiedCopy.Result(digest: digest, byteCount: 0)
        }
        // What is put is read twice: from another bucket it comes once.
        let copy = object.bytes is OpenFile ? nil : id.hex
        defer { if let copy { _ = try? scratch.folder.unlink(copy) } }
        if let copy { _ = try copier.copy(object.bytes, expecting: object.digest, to: copy, in: scratch.folder) }
        guard let file = try copy.map({ try scratch.folder.open($0, O_RDONLY) }) ?? object.bytes as? OpenFile else {
            throw VerifiedCopy.SourceUnreadable()
        }
        do {
            let hex = try put(file, as: name, isOnce: !replacing)
            if replacing || byteCount > remote.longestWhole || id.isSampled { try remote.requireBack(name, hex) }
            guard let digest = FileDigest(hex: hex.utf8) else { throw VerifiedCopy.Mismatch() }
            known.withLock { $0.objects?[id] = byteCount }
            return VerifiedCopy.Result(digest: digest, byteCount: byteCount)
        } catch StoreError.objectUnreadable {
            throw VerifiedCopy.SourceUnreadable()
        }
    }

    // MARK: What goes

    /// Also of a state that has lost its list, or never had it.
    func removeState(of time: UInt64) throws -> Bool {
        guard !known.withLock({ $0.refuses }) else { return false }
        let names = try stateNames()[time] ?? []
        for name in names.sorted(by: {
            ($0 == BackupLayout.digests ? 0 : 1, $0) < ($1 == BackupLayout.digests ? 0 : 1, $1)
        }) {
            guard try remote.remove(self.name(name, of: time)) else {
                known.withLock { $0.refuses = true }
                return false
            }
        }
        known.withLock { known in
            known.states?[time] = nil
            known.digests[time] = nil
        }
        return true
    }

    func removeObjects(notIn kept: Set<ObjectID>) throws -> (removed: Int, refused: Int) {
        let gone = try objects().keys.filter { !kept.contains($0) }
        guard !known.withLock({ $0.refuses }) else { return (0, gone.count) }
        var (removed, refused) = (0, 0)
        try SideBySide.run(gone, threads: concurrency) { _ in
            { [self] id in
                guard !known.withLock({ $0.refuses }) else { return false }
                let isGone = try remote.remove(BackupLayout.storedPath(id))
                if !isGone { known.withLock { $0.refuses = true } }
                return isGone
            }
        } each: { _, isGone in
            if isGone { removed += 1 } else { refused += 1 }
        }
        return (removed, refused)
    }

    func tidy() throws {
        for (time, names) in try stateNames() where !names.contains(BackupLayout.digests) {
            // A list may be behind, and what it leaves out be there.
            guard try remote.look(at: name(BackupLayout.digests, of: time)) == nil else { continue }
            _ = try removeState(of: time)
        }
        try remote.endUnfinished()
    }
}

extension ObjectID {
    /// One of a hundred, by its random name: those are read back when they are put, so that a store that keeps small ones
    /// badly shows it in the first days.
    fileprivate var isSampled: Bool { low % 100 == 0 }
}
