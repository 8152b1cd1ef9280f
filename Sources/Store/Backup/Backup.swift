import Glibc

/// Copies a data directory into a backup folder, or to a place elsewhere, while a daemon may be using it. Needs no key and tells nothing of
/// vaults: header, slots, ledger and objects are copied whole, in this order, so that whatever the ledger lists is
/// there when the objects are copied, or was erased since.
///
/// A run that is cut off leaves the former states as they were, and what it has copied for the next run.
package struct Backup {
    /// Of an unlucky run: photos were added and erased all the while. After the first pass each is short.
    private static let mostPasses = 200

    private let sourcePath: String
    private let target: BackupPlace
    private let bucket: (any RemoteObjects)?
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - bucket: that the data directory goes along to, which has objects that are not here
    ///   - now: seconds since 1970.
    package init(
        from source: String, with bucket: (any RemoteObjects)? = nil, to target: BackupPlace,
        now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) }
    ) {
        sourcePath = source
        self.bucket = bucket
        self.target = target
        self.now = now
    }

    package init(from source: String, to target: String, now: @escaping @Sendable () -> UInt64 = { UInt64(time(nil)) })
    {
        self.init(from: source, to: .folder(target), now: now)
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
        if case .folder(let path) = target, DirectoryState.isPath(path, within: sourcePath) {
            throw StoreError.unusable(
                "\(path) lies in the data directory, and would be lost with it. Choose another folder.")
        }
        let record = LastBackup.Record(target)
        do {
            return try run(on: source, record, verifies: verifies, keeping: kept, progress: progress)
        } catch {
            // Whoever looks at the daemon's health hears of it, not only who reads what this run says.
            if HeaderFile.takesNotes(source) { try? record.writeFailure(at: now(), in: source) }
            throw error
        }
    }

    private func run(
        on source: Folder, _ record: LastBackup.Record, verifies: Bool, keeping kept: Int,
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> BackupReport {
        let header = try HeaderFile.require(in: source, path: sourcePath)
        let objects = try source.folder(StoreLayout.objects)
        try requireBucket(header)
        // A folder has a lock of its own; of a place elsewhere this computer is the only one that writes.
        let lock = try target.isElsewhere ? BackupLock(objects, path: sourcePath) : nil
        defer { withExtendedLifetime(lock) {} }
        let places = KnownPlaces(folder: sourcePath + "/" + StoreLayout.knownPlaces)
        let backup = try target.openOrMake(remembered: record.time(in: source), known: places)
        if let salt = try backup.hostSalt(), salt != header.hostSalt {
            throw StoreError.unusable(
                "\(backup.place) is the backup of another data directory, and stays as it is. Choose another place.")
        }
        var known = DigestList()
        let journal = try backup.journal(adding: &known)
        // Where old states may not be removed there are many; what the newest ones list is enough.
        for time in try backup.states().prefix(max(2, kept)) { known.formUnion(try backup.digests(of: time)) }
        let copying = ObjectCopying(
            origin: try ObjectOrigin(objects, bucket), backup: backup, verifies: verifies, journal: journal)
        var report = BackupReport()
        let (state, lost) = try gather(source, copying, &known, &report, progress)
        try backup.complete(state, takenAt: report.time)
        // Former states may be the last that have the slots whole.
        let keepsAll = report.unreadableSlotCount > 0
        try prune(backup, keeping: keepsAll ? .max : max(1, kept), sparing: lost, &report)
        if HeaderFile.takesNotes(source) {
            try? record.write(report.time, in: source)
            if case .folder(let path) = target, let mounts = MountTable.current() {
                try? places.remember(path, in: mounts)
            }
        }
        return report
    }

    /// It has to be the one that the data directory goes along to: what that lists lies nowhere else.
    private func requireBucket(_ header: HostHeader) throws {
        guard let bucket else { return }
        // One that does not go along yet has everything here.
        guard try bucket.look(at: LogNames.origin) != nil else { return }
        try TierOrigin.require(header.hostSalt, in: bucket)
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
            let (folder, path) = try copying.backup.beginState()
            report.time = now()
            let snapshot = StoreSnapshot(source: source, sourcePath: sourcePath)
            let taken = try snapshot.take(into: folder, path: path)
            report.unreadableSlotCount = taken.unreadableSlotCount
            var state = taken.digests
            let listed = try ListedFiles(ledger: .open(path: path + "/" + StoreLayout.ledger))
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

    /// - Parameter lost: what a damaged list of this backup may not name, or what has changed on its disk, can be the
    ///   last that there is of a photo.
    private func prune(
        _ backup: any BackupDestination, keeping kept: Int, sparing lost: ObjectCopying.Absent,
        _ report: inout BackupReport
    ) throws {
        let states = try backup.states()
        for time in states.dropFirst(kept) where try !backup.removeState(of: time) { report.refusedStateCount += 1 }
        var spared = lost
        for time in states.prefix(kept) {
            if let objects = try backup.listedObjects(of: time) {
                spared.formUnion(objects)
            } else {
                report.unreadableStates.append(time)
            }
        }
        // Nobody knows which objects belong to a state that cannot be read.
        // And those of states that may not be removed are not to be removed either.
        if report.unreadableStates.isEmpty, report.refusedStateCount == 0 {
            (report.removedObjectCount, report.refusedObjectCount) = try backup.removeObjects(notIn: spared)
        }
        try backup.tidy()
    }
}

extension ObjectCopying {
    /// For what a pass before this one has read already.
    var withoutVerifying: ObjectCopying {
        ObjectCopying(origin: origin, backup: backup, verifies: false, journal: journal)
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
    /// States and objects that are kept no longer, and that whoever keeps the place does not let go.
    package var refusedStateCount = 0
    package var refusedObjectCount = 0
    /// The moment that the backup shows by the clock, in seconds since 1970; the state's name may have a later one.
    package var time: UInt64 = 0

    package var isWhole: Bool { missingObjectCount == 0 && rescuedObjectCount == 0 && unreadableSlotCount == 0 }

    package init() {}
}

/// The names in a backup folder.
///
/// A state is what a data directory was at one moment: header, slots, ledger, unfinished uploads, and the list of the
/// objects that belong to it, which all states share. Its folder gets its name when everything in it, and every
/// object that it lists, is on disk and was read back; so what is called a state is whole, wherever a run was cut off.
enum BackupLayout {
    /// Says what the folder is.
    static let marker = StoreLayout.backupMarker
    static let markerText = "Safelight backup, format 1\n"
    static let lock = "lock"
    static let objects = "objects"
    /// Of the copy that is being written.
    static let incoming = "incoming"
    /// The same for each of several that are written at the same time.
    static func incoming(_ worker: Int) -> String { worker == 0 ? incoming : "\(incoming)-\(worker)" }
    /// Digests of objects that runs have copied that did not come to their end.
    static let journal = "copied"
    static let newState = "state.new"
    /// Of the state that is being removed.
    static let oldState = "state.old"
    static let parts = "parts"
    /// As `sha256sum --check` reads it, within the state's folder.
    static let digests = "SHA256SUMS"

    static let statePrefix = "state-"
    /// But for parts.
    static let filesOfState = [StoreLayout.header, StoreLayout.slots, StoreLayout.ledger, digests]

    /// `time`: seconds since 1970 at which it was taken, or one more than the state before it.
    static func stateName(_ time: UInt64) -> String { statePrefix + String(time) }

    /// Nil for a name that `stateName` does not give.
    static func stateTime(_ name: String) -> UInt64? {
        guard name.hasPrefix(statePrefix), let time = UInt64(name.dropFirst(statePrefix.count)),
            stateName(time) == name, time < .max
        else { return nil }
        return time
    }

    /// As seen from the backup's root.
    static func storedPath(_ id: ObjectID) -> String { "\(objects)/\(ObjectFolders.shardName(of: id))/\(id.hex)" }
    /// As seen from a state's folder.
    static func objectPath(_ id: ObjectID) -> String { "../" + storedPath(id) }
    static func partPath(_ id: ObjectID) -> String { "\(parts)/\(id.hex)" }
}

extension Folder {
    /// An empty folder for a state.
    func makeState(_ name: String) throws(StoreError) -> Folder {
        try makeFolder(name)
        let state = try folder(name)
        try state.makeFolder(BackupLayout.parts)
        return state
    }

    /// Removes a state, or what a run that was cut off has left of one, if there is any.
    func removeState(_ name: String) throws(StoreError) {
        guard contains(name) else { return }
        let state = try folder(name)
        if state.contains(BackupLayout.parts) {
            try state.folder(BackupLayout.parts).removeFiles()
            try state.removeFolder(BackupLayout.parts)
        }
        try state.removeFiles()
        try removeFolder(name)
    }
}
