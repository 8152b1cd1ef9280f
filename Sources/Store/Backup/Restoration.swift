import Glibc

/// Makes a data directory from a backup. The header comes last: without it nothing counts as a store, and a run that
/// was cut off goes on where it was.
package struct Restoration {
    private let backupPath: String
    private let targetPath: String
    private let now: @Sendable () -> UInt64

    /// - Parameter now: seconds since 1970.
    package init(
        from backup: String, to target: String, now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) }
    ) {
        backupPath = backup
        targetPath = target
        self.now = now
    }

    /// Blocking.
    /// - Parameters:
    ///   - state: one of those that the backup keeps, in seconds since 1970; nil for the newest.
    ///   - progress: gets objects done and all.
    /// - Returns: what is not what the backup's list says; it was put back as it is.
    package func run(
        state: UInt64? = nil, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> RestorationReport {
        let backup = try BackupFolder.openExisting(backupPath)
        let (time, folder) = try backup.state(state)
        guard let header = try HeaderFile.inspect(in: folder) else { throw damaged(StoreLayout.header) }
        let digests = try backup.digests(of: time)
        let (target, lock) = try openTarget()
        defer { lock.release() }
        var report = RestorationReport(time: time)
        let copier = VerifiedCopy(root: target)
        try restoreSlots(from: folder, digests, copier, to: target, &report)
        try restoreLedger(from: folder, digests, copier, to: target, &report)
        try restoreObjects(from: backup, folder, digests, copier, to: target, &report, progress)
        try finish(folder, header, copier, target, time)
        return report
    }

    /// Looked at before the lock file may be made, and again under the lock.
    private func openTarget() throws -> (folder: Folder, lock: StoreLock) {
        let target = try DirectoryState.openRoot(targetPath)
        try requireUsable(target)
        let lock = try StoreLock.acquire(in: target)
        do {
            try requireUsable(target)
            lock.writeHolder()
            try target.writeMarker(StoreLayout.restoring, "\n")
            // Of a restoration that came to its end but for the marker. What follows makes the store another one, and
            // until that is whole a daemon must not start on it. A store that was used since has no marker.
            if try target.unlink(StoreLayout.header) { try target.synchronize() }
            return (target, lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private func requireUsable(_ target: Folder) throws {
        try target.requireEmpty(or: StoreLayout.restoring, path: targetPath, or: "a restoration that was cut off")
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
        if copied.digest != digests[StoreLayout.ledger] {
            let copy = try ImmutableLedger.open(path: targetPath + "/" + StoreLayout.newLedger)
            guard (try? copy.complaint(thorough: true)) == .some(nil) else { throw damaged(StoreLayout.ledger) }
            report.damaged.append(StoreLayout.ledger)
        }
        try LedgerSuccession.renewSessionMark(in: target, path: targetPath)
        let ledger = try target.open(StoreLayout.newLedger, O_RDONLY)
        for name in StoreLayout.ledgerCopies { _ = try copier.copy(ledger, to: name, in: target) }
        try LedgerSuccession.takePlace(in: target)
    }

    private func restoreObjects(
        from backup: BackupFolder, _ state: Folder, _ digests: DigestList, _ copier: VerifiedCopy, to target: Folder,
        _ report: inout RestorationReport, _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws {
        try ObjectFolders.create(in: target)
        let folders = try ObjectFolders(root: target)
        let listed = try ListedFiles(ledger: .open(path: targetPath + "/" + StoreLayout.ledger))
        let parts = try state.folder(BackupLayout.parts)
        let files =
            listed.objects.map { ($0, digests[$0], BackupLayout.objectPath($0).dropFirst(3)) }
            + listed.parts.map { ($0, digests[BackupLayout.partPath($0)], BackupLayout.partPath($0)[...]) }
        for (index, (id, digest, path)) in files.enumerated() {
            progress(index, files.count)
            let folder =
                index < listed.objects.count ? try? backup.objects.folder(ObjectFolders.shardName(of: id)) : parts
            if try !restore(id, digest, from: folder, copier, to: folders.shard(of: id)) {
                report.damaged.append(String(path))
            }
        }
        progress(files.count, files.count)
        report.objectCount = listed.objects.count
        for name in StoreLayout.shardNames { try folders.objects.folder(name).synchronize() }
        try folders.objects.synchronize()
    }

    /// False when it is missing or not what it was. A part of it may be readable all the same, so it is put back.
    private func restore(
        _ id: ObjectID, _ digest: FileDigest?, from folder: Folder?, _ copier: VerifiedCopy, to shard: Folder
    ) throws -> Bool {
        if let digest, let present = try shard.openIfPresent(id.hex, O_RDONLY),
            (try? copier.digest(of: present).digest) == digest
        {
            return true
        }
        guard let source = try folder?.openIfPresent(id.hex, O_RDONLY) else { return false }
        do {
            return try copier.copy(source, to: id.hex, in: shard).digest == digest
        } catch is VerifiedCopy.SourceUnreadable {
            return false
        }
    }

    private func finish(
        _ state: Folder, _ header: HostHeader, _ copier: VerifiedCopy, _ target: Folder, _ time: UInt64
    ) throws {
        // A state that was named by a clock in the future would never seem old.
        try LastBackup(time: min(time, now())).write(in: target)
        try target.synchronize()
        do {
            _ = try copier.copy(try state.open(StoreLayout.header, O_RDONLY), to: StoreLayout.header, in: target)
        } catch is VerifiedCopy.SourceUnreadable {
            // One of its copies; another one is good.
            try HeaderFile.create(header, in: target)
        }
        try target.synchronize()
        try target.unlink(StoreLayout.restoring)
        try target.synchronize()
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
    /// Files of the backup that are missing, or are not what the backup's list says.
    package var damaged: [String] = []
}
