internal import GRDB
import Glibc

/// The disk of the host that wrote to the bucket before. It may know changes whose entries the bucket has lost: with them it
/// is the later state of the same log, and a data directory is made of it instead of the bucket's snapshot.
///
/// What another host has changed since would have to be joined row by row, and nobody can who has no key. So this is done
/// before that one serves.
package struct FormerDisk {
    private let path: String
    private let remote: any RemoteObjects

    /// - Parameter path: of its data directory, which is only read
    package init(_ path: String, remote: any RemoteObjects) {
        self.path = path
        self.remote = remote
    }

    /// Blocking. Makes a data directory that a take-over goes on with. Can be interrupted and run again.
    /// - Parameters:
    ///   - target: absent or empty
    ///   - progress: gets objects looked at and all
    /// - Returns: false where the bucket has all that this disk knows; nothing is made then.
    /// - Throws: `inUse`; `unusable` for a data directory of another bucket, and where another host has changed something
    package func join(to target: String, progress: (_ done: Int, _ of: Int) -> Void) throws -> Bool {
        let copy = try WorkingCopy(of: path)
        defer { copy.remove() }
        try copy.settleLedger()
        return try ObjectTier.reaching {
            let ledger = try ImmutableLedger.open(path: copy.path + "/" + StoreLayout.ledger)
            guard let known = LogMark(bytes: try ledger.metaValue(LedgerSchema.MetaKey.logPosition)) else {
                throw StoreError.unusable("The data directory at \(path) goes along to no bucket. Nothing was changed.")
            }
            let root = try Folder.open(path: copy.path)
            try TierOrigin.require(HeaderFile.require(in: root, path: copy.path).hostSalt, in: remote)
            guard let start = try start(behind: known) else { return false }
            let made = try RestorationTarget.open(target)
            defer { made.lock.release() }
            try send(ListedFiles(ledger: ledger).objects, progress)
            try restore(root, start, to: made.folder, target)
            try made.finish()
            return true
        }
    }

    // MARK: What the bucket lacks

    /// Where a take-over goes on from, once everything that this disk knows counts; nil where the bucket has all of it.
    private func start(behind known: LogMark) throws -> LogMark? {
        let epoch = known.position.epoch
        if let seal = try remote.seal(of: epoch) {
            guard seal <= known.position.number else { return nil }
            return try behindTakeOver(at: LogPosition(epoch: epoch, number: seal))
        }
        return try isMissing(upTo: known.position) ? known : nil
    }

    /// Nobody else has begun an epoch: whether an entry is missing that the newest snapshot does not have.
    private func isMissing(upTo known: LogPosition) throws -> Bool {
        if let newest = try TierSnapshot.epochs(in: remote).first, newest > known.epoch { return false }
        let listed = try Set(LogList(remote).entries)
        guard known.number > 0 else { return false }
        return try (1...known.number).map { LogPosition(epoch: known.epoch, number: $0) }.contains { position in
            // A list may be behind.
            try !listed.contains(position)
                && remote.askingAgain({ try $0.look(at: LogNames.entry(position)) }, until: { $0 != nil }) == nil
        }
    }

    /// - Parameter seal: of the host that took over without what this disk knows
    /// - Returns: the end of the log, up to which that host has changed nothing of anybody's.
    private func behindTakeOver(at seal: LogPosition) throws -> LogMark {
        let walk = LogWalk(remote: remote)
        guard case .readable(let header) = try LogHole(remote: remote).entry(at: seal), header.kind == .seal else {
            throw StoreError.bucketUnreachable("\(LogNames.entry(seal)) does not come as the seal that it is.")
        }
        var mark = LogMark(seal.nextEpoch, header.writer)
        do {
            while let next = try walk.step(from: mark, { entry, _ in try requireNothingChanged(by: entry) }) {
                mark = next
            }
        } catch is LogWalk.Gap {
            throw Self.changed
        }
        return mark
    }

    /// What a host notes of itself at a take-over takes nobody's change away.
    private func requireNothingChanged(by entry: LogEntryReader) throws {
        guard entry.header.kind == .changes else { return }
        var isChanged = false
        try entry.forEachRow { if $0.table != LogTable.meta.number { isChanged = true } }
        if isChanged { throw Self.changed }
    }

    private static let changed = StoreError.unusable(
        "The host that took over has changed something since, so what this disk may know beyond the bucket cannot be joined "
            + "any more. Nothing was changed. safelight export brings it out of this disk, with the same configuration; send to "
            + "the other host what that one lacks.")

    // MARK: What is made of it

    /// Each is in the bucket before a ledger there lists it. What is in neither place is told by the start.
    private func send(_ ids: [ObjectID], _ progress: (_ done: Int, _ of: Int) -> Void) throws {
        let origin = try ObjectOrigin(Folder.open(path: path).folder(StoreLayout.objects))
        var listed: [ObjectID: UInt64] = [:]
        try remote.list(StoreLayout.objects + "/") { name, byteCount in
            if let id = ObjectID(at: name, by: LogNames.object) { listed[id] = byteCount }
        }
        var done = 0
        progress(done, ids.count)
        let send: @Sendable (ObjectID) throws -> Void = { [remote, listed] id in
            guard let file = try origin.openHere(id) else { return }
            let byteCount = try file.byteCount()
            guard listed[id] ?? 0 < byteCount else { return }
            do {
                _ = try remote.put(LogNames.object(id), byteCount: byteCount, isOnce: true) {
                    try file.read(into: $0, at: $1)
                }
            } catch StoreError.objectUnreadable {
                throw StoreError.ioFailed(operation: "reading what is to be sent", errno: EIO)
            }
        }
        try SideBySide.run(
            ids, threads: remote.concurrency, worker: { _ in send },
            each: { _, _ in
                done += 1
                progress(done, ids.count)
            })
    }

    private func restore(_ root: Folder, _ start: LogMark, to target: Folder, _ path: String) throws {
        let copier = VerifiedCopy(root: target)
        try LedgerSuccession.clear(in: target)
        _ = try copier.copy(root.open(StoreLayout.ledger, O_RDONLY), to: StoreLayout.newLedger, in: target)
        try TierSnapshot.leaveOutWhatIsLocal(path + "/" + StoreLayout.newLedger) { database in
            try LogReplay.set(start, database)
            try database.run(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [.text(LedgerSchema.MetaKey.snapshotDue), .blob([1])])
        }
        let ledger = try target.open(StoreLayout.newLedger, O_RDONLY)
        for name in StoreLayout.ledgerCopies { _ = try copier.copy(ledger, to: name, in: target) }
        try LedgerSuccession.takePlace(in: target)
        _ = try copier.copy(root.open(StoreLayout.slots, O_RDONLY), to: StoreLayout.slots, in: target)
        try ObjectFolders.create(in: target)
        try target.synchronize()
        _ = try copier.copy(root.open(StoreLayout.header, O_RDONLY), to: StoreLayout.header, in: target)
    }
}
