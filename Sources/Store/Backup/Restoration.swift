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
