import Glibc

/// Copies a data directory into a backup folder, while a daemon may be using it. Needs no key and tells nothing of
/// vaults: header, slots, ledger and objects are copied whole, in this order, so that whatever the ledger lists is
/// there when the objects are copied, or was erased since.
///
/// A run that is cut off leaves the former states as they were, and what it has copied for the next run.
package struct Backup {
    /// Of an unlucky run: photos were added and erased all the while. After the first pass each is short.
    private static let mostPasses = 200

    private let sourcePath: String
    private let targetPath: String
    private let now: @Sendable () -> UInt64

    /// - Parameter now: seconds since 1970.
    package init(from source: String, to target: String, now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) })
    {
        sourcePath = source
        targetPath = target
        self.now = now
    }

    /// Blocking.
    /// - Parameters:
    ///   - verifies: reads what the backup has already, and copies again what has changed on its disk.
    ///   - kept: states that are kept, this one with them.
    ///   - progress: gets objects done and all.
    package func run(
        verifies: Bool, keeping kept: Int, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> BackupReport {
        let source = try DirectoryState.openExisting(sourcePath)
        // A slip of who typed it, before anything is begun: no backup has failed by that.
        guard !DirectoryState.isPath(targetPath, within: sourcePath) else {
            throw StoreError.unusable(
                "\(targetPath) lies in the data directory, and would be lost with it. Choose another folder.")
        }
        do {
            return try run(on: source, verifies: verifies, keeping: kept, progress: progress)
        } catch {
            // Whoever looks at the daemon's health hears of it, not only who reads what this run says.
            try? LastBackup.writeFailure(at: now(), in: source)
            throw error
        }
    }

    private func run(
        on source: Folder, verifies: Bool, keeping kept: Int, progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> BackupReport {
        let header = try HeaderFile.require(in: source, path: sourcePath)
        let backup = try BackupFolder.openOrMake(targetPath)
        if let salt = try backup.hostSalt(), salt != header.hostSalt {
            throw StoreError.unusable(
                "\(targetPath) is the backup of another data directory, and stays as it is. Choose another folder.")
        }
        var known = DigestList()
        for time in try backup.states() { known.formUnion(try backup.digests(of: time)) }
        let copying = ObjectCopying(
            source: try source.folder(StoreLayout.objects), backup: backup, verifies: verifies,
            copier: VerifiedCopy(root: backup.root), journal: try CopyJournal(in: backup.root, known: &known))
        var report = BackupReport()
        let (state, lost) = try gather(source, copying, &known, &report, progress)
        try complete(state, of: backup, takenAt: report.time)
        // Former states may be the last that have the slots whole.
        let keepsAll = report.unreadableSlotCount > 0
        try prune(backup, keeping: keepsAll ? .max : max(1, kept), sparing: lost, &report)
        try? LastBackup(time: report.time).write(in: source)
        return report
    }

    /// Until nothing that the copied ledger lists was erased meanwhile.
    /// - Returns: with the state, what the data directory has lost.
    private func gather(
        _ source: Folder, _ copying: ObjectCopying, _ known: inout DigestList, _ report: inout BackupReport,
        _ progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> (DigestList, lost: ObjectCopying.Absent) {
        var absentBefore: ObjectCopying.Absent = []
        var copying = copying
        for _ in 0..<Self.mostPasses {
            let folder = try beginState(copying.backup)
            report.time = now()
            let snapshot = StoreSnapshot(source: source, sourcePath: sourcePath)
            let taken = try snapshot.take(into: folder, path: newStatePath)
            report.unreadableSlotCount = taken.unreadableSlotCount
            var state = taken.digests
            let listed = try ListedFiles(ledger: .open(path: newStatePath + "/" + StoreLayout.ledger))
            var absent = try copying.run(
                listed.objects, known: &known, state: &state, report: &report, progress: progress)
            absent.formUnion(
                try copying.copyParts(
                    listed.parts, into: try folder.folder(BackupLayout.parts), state: &state, report: &report))
            // What is listed by a ledger that was copied after it was found to be absent is lost.
            if absent.isSubset(of: absentBefore) {
                report.objectCount = state.objects.count
                report.rescuedObjectCount = absent.count { state[$0] != nil }
                report.missingObjectCount = absent.count - report.rescuedObjectCount
                return (state, absent)
            }
            absentBefore = absent
            copying = copying.withoutVerifying
        }
        throw StoreError.ioFailed(operation: "copying photos that were erased all the while", errno: EAGAIN)
    }

    private var newStatePath: String { targetPath + "/" + BackupLayout.newState }

    private func beginState(_ backup: BackupFolder) throws -> Folder {
        try backup.removeRemains(BackupLayout.newState)
        try backup.root.makeFolder(BackupLayout.newState)
        let folder = try backup.root.folder(BackupLayout.newState)
        try folder.makeFolder(BackupLayout.parts)
        return folder
    }

    /// Everything is on disk before the state gets its name. It is the newest by its name, even if the clock is behind.
    private func complete(_ state: DigestList, of backup: BackupFolder, takenAt time: UInt64) throws {
        let folder = try backup.root.folder(BackupLayout.newState)
        try state.write(to: folder.open(BackupLayout.digests, O_RDWR | O_CREAT | O_TRUNC))
        for shard in try backup.shards() { try shard.synchronize() }
        try backup.objects.synchronize()
        try folder.synchronize()
        let newest = try backup.states().first
        let name = BackupLayout.stateName(max(time, newest.map { $0 + 1 } ?? 0))
        try backup.root.rename(BackupLayout.newState, to: name)
        try backup.root.synchronize()
    }

    /// - Parameter lost: what a damaged list of this backup may not name, or what has changed on its disk, can be the
    ///   last that there is of a photo.
    private func prune(
        _ backup: BackupFolder, keeping kept: Int, sparing lost: ObjectCopying.Absent, _ report: inout BackupReport
    ) throws {
        try backup.removeRemains(BackupLayout.oldState)
        let states = try backup.states()
        for time in states.dropFirst(kept) { try backup.removeState(of: time) }
        var spared = lost
        for time in states.prefix(kept) {
            if let objects = try backup.listedObjects(of: time) {
                spared.formUnion(objects)
            } else {
                report.unreadableStates.append(time)
            }
        }
        // Nobody knows which objects belong to a state that cannot be read.
        if report.unreadableStates.isEmpty { report.removedObjectCount = try backup.removeObjects(notIn: spared) }
        try backup.root.unlink(BackupLayout.journal)
        try backup.root.synchronize()
    }
}

extension ObjectCopying {
    /// For what a pass before this one has read already.
    var withoutVerifying: ObjectCopying {
        ObjectCopying(source: source, backup: backup, verifies: false, copier: copier, journal: journal)
    }
}

/// What a backup did. Counts only; all of it is about the whole data directory.
package struct BackupReport: Sendable, Equatable {
    /// Objects that belong to the backup.
    package var objectCount = 0
    package var copiedObjectCount = 0
    /// Bytes of objects and unfinished uploads that were copied.
    package var copiedByteCount: UInt64 = 0
    /// Of objects that the data directory has no longer.
    package var removedObjectCount = 0
    /// Objects that the ledger lists, and that neither the data directory nor the backup has whole.
    package var missingObjectCount = 0
    /// Objects that the data directory has lost, and the backup has.
    package var rescuedObjectCount = 0
    /// Objects of the backup that had changed on its disk, and were copied again.
    package var repairedObjectCount = 0
    /// Slots that the data directory's disk cannot read; random ones stand in their place.
    package var unreadableSlotCount = 0
    /// States that are kept, and whose list and ledger cannot be read: no object was removed while there are any.
    package var unreadableStates: [UInt64] = []
    /// The moment that the backup shows by the clock, in seconds since 1970; the state's name may have a later one.
    package var time: UInt64 = 0

    package var isWhole: Bool { missingObjectCount == 0 && rescuedObjectCount == 0 && unreadableSlotCount == 0 }

    package init() {}
}
