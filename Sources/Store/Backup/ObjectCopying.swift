import Glibc

/// Brings the objects that a ledger lists into a backup. Objects never change, so what is there already is not copied
/// again; unfinished uploads grow, and are.
struct ObjectCopying {
    /// Looked for in vain in the data directory: erased since the ledger was copied, or lost.
    typealias Absent = Set<ObjectID>

    let origin: ObjectOrigin
    let backup: any BackupDestination
    /// Whether what is there already is read.
    let verifies: Bool
    let journal: CopyJournal?

    /// Adds to `state` what belongs to it and is in the backup.
    /// - Returns: what the data directory has not, or not whole, whether or not the backup has it.
    func run(
        _ objects: [ObjectID], known: inout DigestList, state: inout DigestList, report: inout BackupReport,
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> Absent {
        var (absent, missing, doubtful): (Absent, [ObjectID], [BackupFile]) = ([], [], [])
        var changed: Set<ObjectID> = []
        var done = 0
        progress(0, objects.count)
        for id in objects {
            guard let digest = known[id], let kept = try backup.byteCount(of: id) else {
                missing.append(id)
                continue
            }
            // An object has one size for ever. Where they differ one of the two is damaged.
            let expected = try origin.byteCount(of: id)
            if expected != kept { absent.insert(id) }
            if verifies || expected != nil && expected != kept {
                doubtful.append(BackupFile(id: id, isPart: false, digest: digest))
            } else {
                state[id] = digest
                done += 1
            }
        }
        try verify(doubtful) { file, isIntact in
            if isIntact {
                state[file.id] = file.digest
                done += 1
                progress(done, objects.count)
            } else {
                absent.remove(file.id)
                missing.append(file.id)
                changed.insert(file.id)
            }
        }
        try copy(missing, replacing: changed) { id, copied in
            done += 1
            progress(done, objects.count)
            guard let copied else {
                _ = absent.insert(id)
                return
            }
            try journal?.add(id, copied.digest)
            report.copiedObjectCount += 1
            if changed.contains(id) { report.repairedObjectCount += 1 }
            report.copiedByteCount += copied.byteCount
            known[id] = copied.digest
            state[id] = copied.digest
        }
        progress(objects.count, objects.count)
        return absent
    }

    private func verify(_ files: [BackupFile], _ each: (BackupFile, _ isIntact: Bool) -> Void) throws {
        let backup = backup
        try SideBySide.run(files, threads: backup.concurrency) { number in
            let copier = VerifiedCopy(root: backup.workshop, worker: number, pieceByteCount: backup.pieceByteCount)
            return { file in try copier.look(at: file, of: 0, in: backup).isIntact }
        } each: { file, isIntact in
            each(file, isIntact)
        }
    }

    /// `each` gets nil for what cannot be read here.
    private func copy(
        _ objects: [ObjectID], replacing changed: Set<ObjectID>, _ each: (ObjectID, VerifiedCopy.Result?) throws -> Void
    ) throws {
        let (backup, origin) = (backup, origin)
        try SideBySide.run(objects, threads: backup.concurrency) { number in
            let copier = VerifiedCopy(root: backup.workshop, worker: number)
            return { id in
                guard let object = try origin.open(id) else { return nil }
                do {
                    return try backup.put(id, from: object, by: copier, replacing: changed.contains(id))
                } catch is VerifiedCopy.SourceUnreadable {
                    return nil
                }
            }
        } each: { id, copied in
            try each(id, copied)
        }
    }

    func copyParts(
        _ parts: [ObjectID], into folder: Folder, state: inout DigestList, report: inout BackupReport
    ) throws -> Absent {
        var absent: Absent = []
        let copier = VerifiedCopy(root: backup.workshop)
        for id in parts {
            guard let file = try origin.openHere(id) else {
                absent.insert(id)
                continue
            }
            do {
                let copied = try copier.copy(file, to: id.hex, in: folder)
                report.copiedByteCount += copied.byteCount
                state[BackupLayout.partPath(id)] = copied.digest
            } catch is VerifiedCopy.SourceUnreadable {
                absent.insert(id)
            }
        }
        try folder.synchronize()
        return absent
    }
}

extension VerifiedCopy {
    /// Reads all of a file of a backup. Not intact when it is missing, cannot be read, or is not what the state's list says.
    func look(
        at file: BackupFile, of time: UInt64, in backup: any BackupSource
    ) throws -> (isIntact: Bool, byteCount: UInt64) {
        guard let digest = file.digest, let source = try backup.open(file, of: time) else { return (false, 0) }
        (source as? OpenFile)?.forgetCached()
        do {
            let found = try readable(source, expecting: digest) { try self.digest(of: $0) }
            return (found.digest == digest, found.byteCount)
        } catch is SourceUnreadable {
            return (false, 0)
        }
    }
}

/// A list of the files of a state and their SHA-256, in `DigestLines`.
struct DigestList {
    private(set) var objects: [ObjectID: FileDigest] = [:]
    /// Header, slots, ledger and parts, by their names within the state.
    private(set) var others: [String: FileDigest] = [:]

    init() {}

    init(_ file: OpenFile) throws(StoreError) {
        try add(file)
    }

    /// Later lines count more.
    mutating func add(_ file: OpenFile) throws(StoreError) {
        let text = try file.bytes(at: 0, count: Int(clamping: try file.byteCount()))
        DigestLines.forEach(text) { set($0, of: $1) }
    }

    subscript(id: ObjectID) -> FileDigest? {
        get { objects[id] }
        set { objects[id] = newValue }
    }

    subscript(name: String) -> FileDigest? {
        get { others[name] }
        set { others[name] = newValue }
    }

    mutating func formUnion(_ other: DigestList) {
        objects.merge(other.objects) { mine, _ in mine }
    }

    /// In an order that says nothing of when things came.
    func write(to file: OpenFile) throws(StoreError) {
        var offset: UInt64 = 0
        var piece: [UInt8] = []
        for (name, digest) in others.sorted(by: { $0.key < $1.key }) { piece += DigestLines.line(digest, name) }
        for id in objects.keys.sorted() {
            if let digest = objects[id] { piece += DigestLines.line(digest, BackupLayout.objectPath(id)) }
            guard piece.count >= 1 << 20 else { continue }
            try file.write(piece, at: offset)
            offset += UInt64(piece.count)
            piece = []
        }
        try file.write(piece, at: offset)
        try file.synchronize()
    }

    private mutating func set(_ digest: FileDigest, of name: String) {
        guard name.hasPrefix("../") else {
            others[name] = digest
            return
        }
        if let id = ObjectID(at: name, by: BackupLayout.objectPath) { objects[id] = digest }
    }
}

/// The objects of a data directory, and of the bucket that it goes along to. Nil stands for what is in neither, or what the
/// disk cannot open.
struct ObjectOrigin: Sendable {
    private let objects: Folder
    private let bucket: (any RemoteObjects)?
    /// Of what is in the bucket, as a list had it: asking for each would be a request more.
    private let listed: [ObjectID: UInt64]

    /// Blocking.
    /// - Parameter bucket: where objects lie besides, and some of them alone; nil where this disk is all there is
    init(_ objects: Folder, _ bucket: (any RemoteObjects)? = nil) throws {
        self.objects = objects
        self.bucket = bucket
        var listed: [ObjectID: UInt64] = [:]
        try bucket?.list(StoreLayout.objects + "/") { name, byteCount in
            guard let id = ObjectID(at: name, by: LogNames.object) else { return }
            listed[id] = byteCount
        }
        self.listed = listed
    }

    /// Nil also for what cannot be an object.
    func open(_ id: ObjectID) throws -> OriginObject? {
        let here = try whereReadable { () throws -> OriginObject? in
            guard let file = try openHere(id) else { return nil }
            return try OriginObject(bytes: file, byteCount: file.byteCount(), digest: nil).ifShaped()
        }
        if let here { return here }
        // Also what a list does not know yet.
        guard let bucket, let found = try bucket.look(at: LogNames.object(id)) else { return nil }
        return try OriginObject(
            bytes: RemoteFile(remote: bucket, name: LogNames.object(id)), byteCount: found.byteCount,
            digest: found.digest.flatMap { FileDigest(hex: $0.utf8) }
        ).ifShaped()
    }

    func openHere(_ id: ObjectID) throws -> OpenFile? {
        try whereReadable { try shard(id)?.openIfPresent(id.hex, O_RDONLY) }
    }

    func byteCount(of id: ObjectID) throws -> UInt64? {
        let here = try whereReadable { try shard(id)?.byteCount(of: id.hex) }
        if let byteCount = here ?? listed[id] { return byteCount }
        return try bucket?.look(at: LogNames.object(id))?.byteCount
    }

    /// One bad sector must not end a backup of all the others.
    private func whereReadable<R>(_ body: () throws -> R?) throws -> R? {
        do {
            return try body()
        } catch StoreError.ioFailed(_, EIO) {
            return nil
        }
    }

    private func shard(_ id: ObjectID) throws -> Folder? {
        do {
            return try objects.folder(ObjectFolders.shardName(of: id))
        } catch StoreError.ioFailed(_, ENOENT) {
            return nil
        }
    }
}

/// An object to be copied, on this disk or in the bucket.
struct OriginObject {
    let bytes: any ByteSource
    let byteCount: UInt64
    /// As the bucket has kept it; nil for a file here, which nothing but its seals tells about.
    let digest: FileDigest?

    fileprivate func ifShaped() throws -> OriginObject? {
        let isShaped = try bytes.askingAgain { bytes in
            do {
                return try ObjectShape.complaint(about: bytes, byteCount: byteCount, isComplete: false) == nil
            } catch StoreError.objectUnreadable {
                return false
            }
        } until: {
            $0
        }
        return isShaped ? self : nil
    }
}
