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
