import Bytes
import Glibc

/// Makes a data directory from a backup. The header comes last: without it nothing counts as a store, and a run that
/// was cut off goes on where it was.
package struct Restoration {
    private let place: BackupPlace
    private let targetPath: String
    private let now: @Sendable () -> UInt64

    /// - Parameter now: seconds since 1970.
    package init(
        from place: BackupPlace, to target: String, now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) }
    ) {
        self.place = place
        targetPath = target
        self.now = now
    }

    package init(
        from backup: String, to target: String, now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) }
    ) {
        self.init(from: .folder(backup), to: target, now: now)
    }

    /// Blocking.
    /// - Parameters:
    ///   - state: one of those that the backup keeps, in seconds since 1970; nil for the newest.
    ///   - withObjects: false for a data directory that knows its objects and has none of them
    ///   - progress: gets objects done and all.
    /// - Returns: what is not what the backup's list says; it was put back as it is.
    package func run(
        state: UInt64? = nil, withObjects: Bool = true, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> RestorationReport {
        let backup = try place.openExisting()
        let time = try backup.state(state)
        let (folder, _) = try backup.files(of: time)
        guard let header = try HeaderFile.inspect(in: folder) else { throw damaged(StoreLayout.header) }
        let digests = try backup.digests(of: time)
        let made = try RestorationTarget.open(targetPath)
        defer { made.lock.release() }
        let target = made.folder
        var report = RestorationReport(time: time)
        let copier = VerifiedCopy(root: target)
        try restoreSlots(from: folder, digests, copier, to: target, &report)
        try restoreLedger(from: folder, digests, copier, to: target, &report)
        try ObjectFolders.create(in: target)
        if withObjects { try restoreObjects(from: backup, time, digests, to: target, &report, progress) }
        try finish(folder, header, copier, made, time)
        try made.finish(mayGoOn: !report.damaged.isEmpty)
        return report
    }

    private func restoreSlots(
        from state: Folder, _ digests: DigestList, _ copier: VerifiedCopy, to target: Folder,
        _ report: inout RestorationReport
    ) throws {
        let slots = try state.open(StoreLayout.slots, O_RDONLY)
        guard try slots.byteCount() == UInt64(SlotTable.fileByteCount) else { throw damaged(StoreLayout.slots) }
        // Every secret has twelve of them.
        do {
            let copied = try copier.copy(slots, to: StoreLayout.slots, in: target)
            if copied.digest != digests[StoreLayout.slots] { report.damaged.append(StoreLayout.slots) }
        } catch is VerifiedCopy.SourceUnreadable {
            try restoreReadable(slots, to: target)
            report.damaged.append(StoreLayout.slots)
        }
    }

    /// Of those that cannot be read, random ones take the place.
    private func restoreReadable(_ slots: OpenFile, to target: Folder) throws {
        let file = try target.open(StoreLayout.slots, O_RDWR | O_CREAT | O_TRUNC)
        let copied = try SlotImage.copying(slots, to: file)
        guard copied.image.unreadableSlotCount < SlotTable.slotCount else { throw damaged(StoreLayout.slots) }
        try file.synchronize()
    }

    /// As if its copy had taken the place of a damaged ledger: some of the sessions in it may have been ended since.
    private func restoreLedger(
        from state: Folder, _ digests: DigestList, _ copier: VerifiedCopy, to target: Folder,
        _ report: inout RestorationReport
    ) throws {
        try LedgerSuccession.clear(in: target)
        let source = try state.open(StoreLayout.ledger, O_RDONLY)
        let copied = try copier.copy(source, to: StoreLayout.newLedger, in: target)
        let complaint = try LedgerSuccession.complaint(path: targetPath, from: "this backup")
        if copied.digest != digests[StoreLayout.ledger] {
            guard complaint == nil else { throw damaged(StoreLayout.ledger) }
            report.damaged.append(StoreLayout.ledger)
        }
        try LedgerSuccession.renewSessionMark(in: target, path: targetPath, leavesLog: true)
        let ledger = try target.open(StoreLayout.newLedger, O_RDONLY)
        for name in StoreLayout.ledgerCopies { _ = try copier.copy(ledger, to: name, in: target) }
        try LedgerSuccession.takePlace(in: target)
    }

    private func restoreObjects(
        from backup: any BackupSource, _ time: UInt64, _ digests: DigestList, to target: Folder,
        _ report: inout RestorationReport, _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws {
        let folders = try ObjectFolders(root: target)
        let listed = try ListedFiles(ledger: .open(path: targetPath + "/" + StoreLayout.ledger))
        let files = backup.files(of: listed, digests)
        var done = 0
        progress(0, files.count)
        try SideBySide.run(files, threads: backup.concurrency) { number in
            let copier = VerifiedCopy(root: target, worker: number, pieceByteCount: backup.pieceByteCount)
            return { file in try Self.restore(file, of: time, from: backup, copier, to: folders.shard(of: file.id)) }
        } each: { file, outcome in
            done += 1
            progress(done, files.count)
            report.copiedByteCount += outcome.copiedByteCount
            if !outcome.isIntact { report.damaged.append(file.path) }
        }
        progress(files.count, files.count)
        report.objectCount = listed.objects.count
        for name in StoreLayout.shardNames { try folders.objects.folder(name).synchronize() }
        try folders.objects.synchronize()
    }

    /// Not intact when it is missing or not what it was. A part of it may be readable all the same, so it is put back.
    private static func restore(
        _ file: BackupFile, of time: UInt64, from backup: any BackupSource, _ copier: VerifiedCopy, to shard: Folder
    ) throws -> (isIntact: Bool, copiedByteCount: UInt64) {
        let name = file.id.hex
        if let digest = file.digest, let present = try shard.openIfPresent(name, O_RDONLY),
            (try? copier.digest(of: present).digest) == digest
        {
            return (true, 0)
        }
        guard let source = try backup.open(file, of: time) else { return (false, 0) }
        do {
            let copied = try copier.copy(source, expecting: file.digest, keepsOther: true, to: name, in: shard)
            return (copied.digest == file.digest, copied.byteCount)
        } catch is VerifiedCopy.SourceUnreadable {
            return (false, 0)
        }
    }

    private func finish(
        _ state: Folder, _ header: HostHeader, _ copier: VerifiedCopy, _ made: RestorationTarget, _ time: UInt64
    ) throws {
        let target = made.folder
        // A state that was named by a clock in the future would never seem old.
        try LastBackup.Record(place).write(min(time, now()), in: target)
        try target.synchronize()
        do {
            _ = try copier.copy(try state.open(StoreLayout.header, O_RDONLY), to: StoreLayout.header, in: target)
        } catch is VerifiedCopy.SourceUnreadable {
            // One of its copies; another one is good.
            try HeaderFile.create(header, in: target)
        }
    }

    private func damaged(_ name: String) -> StoreError {
        .unusable(
            "The file \(name) of this backup is damaged beyond use. Try an older state (--state), or another backup.")
    }
}

/// What was put back.
package struct RestorationReport: Sendable, Equatable {
    /// The moment that the data directory shows, in seconds since 1970.
    package var time: UInt64
    package var objectCount = 0
    /// Of objects; those that an earlier run had put back are not among them.
    package var copiedByteCount: UInt64 = 0
    /// Files of the backup that are missing, or are not what the backup's list says.
    package var damaged: [String] = []
}

/// A data directory in the making: absent or empty before, and no store until its header is in place.
struct RestorationTarget {
    let folder: Folder
    let lock: StoreLock

    /// Looked at before the lock file may be made, and again under the lock.
    static func open(_ path: String) throws -> RestorationTarget {
        let target = try DirectoryState.openRoot(path)
        try requireUsable(target, path)
        let lock = try StoreLock.acquire(in: target)
        do {
            try requireUsable(target, path)
            lock.writeHolder()
            try target.writeMarker(StoreLayout.restoring, "\n")
            // Of a restoration that came to its end but for the marker. What follows makes the store another one, and
            // until that is whole a daemon must not start on it. A store that was used since has no marker.
            if try target.unlink(StoreLayout.header) { try target.synchronize() }
            return RestorationTarget(folder: target, lock: lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private static func requireUsable(_ target: Folder, _ path: String) throws {
        try target.requireEmpty(or: StoreLayout.restoring, path: path, or: "a restoration that was cut off")
        do {
            _ = try HeaderFile.inspect(in: target)
        } catch {
            // A later version has put back a whole store there, and could not remove its mark.
            if case .newerFormat = error { throw error }
        }
    }

    /// The header is in place.
    /// - Parameter mayGoOn: whether what could not be had may come yet: until the store is used, it can be restored again
    func finish(mayGoOn: Bool = false) throws {
        try folder.synchronize()
        // Of a run that was cut off while it wrote several at once.
        for name in try folder.names() where name.hasPrefix(BackupLayout.incoming) { try folder.unlink(name) }
        if !mayGoOn { try folder.unlink(StoreLayout.restoring) }
        try folder.synchronize()
    }
}

/// Makes a data directory of the newest snapshot in a bucket. What came behind it, its opening takes from the log; the
/// objects stay in the bucket.
package struct TierRestoration {
    private let remote: any RemoteObjects
    private let targetPath: String

    package init(from remote: any RemoteObjects, to target: String) {
        self.remote = remote
        targetPath = target
    }

    /// Whether nothing is there yet, or a restoration that was cut off.
    package static func isNeeded(at path: String) throws -> Bool {
        guard access(path, F_OK) == 0 else { return true }
        let root = try DirectoryState.openExisting(path)
        return try root.contains(StoreLayout.restoring) || DirectoryState.inspect(root, path: path) == .empty
    }

    /// Blocking. Can be interrupted and run again.
    /// - Parameter progress: gets pieces of slots done and all
    /// - Throws: `unusable` for a target that is not empty, and where the bucket has nothing that is whole.
    package func run(progress: (_ done: Int, _ of: Int) -> Void) throws {
        try ObjectTier.reaching {
            let target = try RestorationTarget.open(targetPath)
            defer { target.lock.release() }
            guard let epoch = try TierSnapshot.epochs(in: remote).first else {
                throw StoreError.unusable("The bucket holds no data directory at \(remote.place).")
            }
            let digests = try digests(of: epoch)
            let copier = VerifiedCopy(root: target.folder)
            try restoreLedger(epoch, digests, copier, to: target.folder)
            try restoreSlots(epoch, digests, to: target.folder, progress)
            try ObjectFolders.create(in: target.folder)
            try target.folder.synchronize()
            let header = try copy(
                TierSnapshot.Name.header, of: epoch, digests, copier, to: StoreLayout.header, target.folder)
            guard header else { throw damaged(TierSnapshot.Name.header) }
            try target.finish()
        }
    }

    private func digests(of epoch: UInt64) throws -> [String: FileDigest] {
        let name = LogNames.snapshot(epoch) + TierSnapshot.Name.complete
        var digests: [String: FileDigest] = [:]
        DigestLines.forEach(try remote.readAsPut(name, atMost: 4096) ?? []) { digests[$1] = $0 }
        guard !digests.isEmpty else { throw damaged(TierSnapshot.Name.complete) }
        return digests
    }

    /// False when it is not what the snapshot says.
    private func copy(
        _ name: String, of epoch: UInt64, _ digests: [String: FileDigest], _ copier: VerifiedCopy, to target: String,
        _ folder: Folder
    ) throws -> Bool {
        let source = RemoteFile(remote: remote, name: LogNames.snapshot(epoch) + name)
        do {
            _ = try copier.copy(source, expecting: digests[name], to: target, in: folder)
            return digests[name] != nil
        } catch is VerifiedCopy.SourceUnreadable {
            return false
        }
    }

    private func restoreLedger(
        _ epoch: UInt64, _ digests: [String: FileDigest], _ copier: VerifiedCopy, to target: Folder
    ) throws {
        try LedgerSuccession.clear(in: target)
        let name = TierSnapshot.Name.ledger
        guard try copy(name, of: epoch, digests, copier, to: StoreLayout.newLedger, target),
            try LedgerSuccession.complaint(path: targetPath, from: "the snapshot in the bucket") == nil
        else { throw damaged(name) }
        let ledger = try target.open(StoreLayout.newLedger, O_RDONLY)
        for copy in StoreLayout.ledgerCopies { _ = try copier.copy(ledger, to: copy, in: target) }
        try LedgerSuccession.takePlace(in: target)
    }

    private func restoreSlots(
        _ epoch: UInt64, _ digests: [String: FileDigest], to target: Folder,
        _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws {
        let name = TierSnapshot.Name.slots
        let count = SlotTable.fileByteCount / TierSnapshot.slotBlockByteCount
        let list = try remote.readWhole(LogNames.snapshot(epoch) + name, of: count * 32, digest: digests[name])
        guard let list else { throw damaged(name) }
        let file = try target.open(StoreLayout.slots, O_RDWR | O_CREAT | O_TRUNC)
        var done = 0
        progress(done, count)
        let fetch: @Sendable (Int) throws -> Void = { [remote] index in
            let digest = Array(list[index * 32..<index * 32 + 32])
            let byteCount = TierSnapshot.slotBlockByteCount
            let block = try remote.readWhole(
                TierSnapshot.blockName(digest), of: byteCount, digest: FileDigest(bytes: digest))
            guard let block else { throw StoreError.objectUnreadable }
            try file.write(block, at: UInt64(index * byteCount))
        }
        try SideBySide.run(
            Array(0..<count), threads: remote.concurrency, worker: { _ in fetch },
            each: { _, _ in
                done += 1
                progress(done, count)
            })
        try file.synchronize()
    }

    private func damaged(_ name: String) -> StoreError {
        .unusable(
            "The snapshot in the bucket is damaged (\(name)). If the host that wrote it is still there, start it: it writes "
                + "another one in time. Otherwise restore a backup.")
    }
}
