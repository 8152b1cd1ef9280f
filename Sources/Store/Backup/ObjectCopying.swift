import Glibc

/// Brings the objects that a ledger lists into a backup. Objects never change, so what is there already is not copied
/// again; unfinished uploads grow, and are.
struct ObjectCopying {
    /// Looked for in vain in the data directory: erased since the ledger was copied, or lost.
    typealias Absent = Set<ObjectID>

    let source: Folder
    let backup: BackupFolder
    /// Whether what is there already is read.
    let verifies: Bool
    let copier: VerifiedCopy
    let journal: CopyJournal

    /// Adds to `state` what belongs to it and is in the backup.
    /// - Returns: what the data directory has not, or not whole, whether or not the backup has it.
    func run(
        _ objects: [ObjectID], known: inout DigestList, state: inout DigestList, report: inout BackupReport,
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> Absent {
        var absent: Absent = []
        for (index, id) in objects.enumerated() {
            progress(index, objects.count)
            let byteCount = try sourceShard(id)?.byteCount(of: id.hex)
            if let found = try find(id, known, expecting: byteCount, &report) {
                state[id] = known[id]
                if byteCount != found { absent.insert(id) }
            } else if let copied = try copy(id, &report) {
                known[id] = copied
                state[id] = copied
            } else {
                absent.insert(id)
            }
        }
        progress(objects.count, objects.count)
        return absent
    }

    func copyParts(
        _ parts: [ObjectID], into folder: Folder, state: inout DigestList, report: inout BackupReport
    ) throws -> Absent {
        var absent: Absent = []
        for id in parts {
            guard let file = try openSource(id) else {
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

    /// The size of the object in the backup; nil when it is not there as it was copied.
    private func find(
        _ id: ObjectID, _ known: DigestList, expecting expected: UInt64?, _ report: inout BackupReport
    ) throws -> UInt64? {
        guard let digest = known[id] else { return nil }
        let shard = try backup.shard(of: id)
        guard let byteCount = try shard.byteCount(of: id.hex) else { return nil }
        // An object has one size for ever. Where they differ one of the two is damaged.
        if !verifies, expected == nil || expected == byteCount { return byteCount }
        let file = try shard.open(id.hex, O_RDONLY)
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        if (try? copier.digest(of: file).digest) == digest { return byteCount }
        report.repairedObjectCount += 1
        return nil
    }

    /// Nil when the source cannot be read.
    private func copy(_ id: ObjectID, _ report: inout BackupReport) throws -> FileDigest? {
        guard let file = try openSource(id) else { return nil }
        do {
            guard try ObjectShape.complaint(about: file, isComplete: false) == nil else { return nil }
            let copied = try copier.copy(file, to: id.hex, in: backup.shard(of: id))
            try journal.add(id, copied.digest)
            report.copiedObjectCount += 1
            report.copiedByteCount += copied.byteCount
            return copied.digest
        } catch is VerifiedCopy.SourceUnreadable {
            return nil
        }
    }

    private func openSource(_ id: ObjectID) throws -> OpenFile? {
        do {
            return try sourceShard(id)?.openIfPresent(id.hex, O_RDONLY)
        } catch StoreError.ioFailed(_, EIO) {
            return nil
        }
    }

    private func sourceShard(_ id: ObjectID) throws -> Folder? {
        do {
            return try source.folder(ObjectFolders.shardName(of: id))
        } catch StoreError.ioFailed(_, ENOENT) {
            return nil
        }
    }
}
