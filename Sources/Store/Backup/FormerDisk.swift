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

    /// Blocking. Makes a data directory that a take-over goes on with. Can be interrupted and run again, also once it is made
    /// and nobody has taken over with it.
    /// - Parameters:
    ///   - target: absent or empty
    ///   - mayLose: whether it goes on without objects that neither this disk gives nor the bucket has
    ///   - note: gets what the disk could not read, for people
    ///   - progress: gets objects looked at and all
    /// - Returns: false where the bucket has all that this disk knows; nothing is made then.
    /// - Throws: `inUse`; `unusable` for a data directory of another bucket, where another host has changed something, and
    ///   where objects are missing
    package func join(
        to target: String, mayLose: Bool = false, note: (String) -> Void = { _ in },
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> Bool {
        guard try !Self.hasJoined(target) else { return true }
        let copy = try WorkingCopy(of: path)
        defer { copy.remove() }
        copy.notes.forEach(note)
        if try copy.settleLedger().ledgerRestoredFromCopy != nil {
            note("The ledger of that disk is damaged. A copy of it is used, which may lack what was saved last.")
        }
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
            let ids = try ListedFiles(ledger: ledger).objects
            let missingCount = try send(ids, progress)
            guard missingCount == 0 || mayLose else {
                throw StoreError.unusable(
                    "That disk does not give \(missingCount) of \(ids.count) photos and pieces that the bucket lacks. All "
                        + "others are in the bucket. Run this again, for a disk may give later what it does not give now; "
                        + "with --without-lost it goes on without them.")
            }
            try restore(root, start, knownWriter: known.writer, to: made.folder, target)
            try made.finish()
            return true
        }
    }

    /// Whether a run before has made a data directory at a path, and nobody has taken over with it.
    /// - Throws: `inUse`
    private static func hasJoined(_ path: String) throws -> Bool {
        guard access(path, F_OK) == 0 else { return false }
        let root = try DirectoryState.openExisting(path)
        guard !root.contains(StoreLayout.restoring), try HeaderFile.inspect(in: root) != nil,
            root.contains(StoreLayout.ledger)
        else { return false }
        let lock = try StoreLock.acquire(in: root)
        defer { lock.release() }
        return try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.ledger)
            defer { try? pool.close() }
            return try pool.read { try JoinedLedger.writers($0) } != nil
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
        let newest = try TierSnapshot.epochs(in: remote).first ?? known.epoch
        guard newest <= known.epoch else { return false }
        let listed = try Set(LogList(remote).entries)
        var ends = [known]
        for epoch in newest..<known.epoch {
            // Nobody gets past an epoch whose end is not there.
            guard let end = try end(of: epoch, listed) else { return true }
            ends.append(end)
        }
        return try ends.contains { end in
            guard end.number > 0 else { return false }
            return try (1...end.number).map { LogPosition(epoch: end.epoch, number: $0) }.contains { position in
                // A list may be behind.
                try !listed.contains(position)
                    && remote.askingAgain({ try $0.look(at: LogNames.entry(position)) }, until: { $0 != nil }) == nil
            }
        }
    }

    /// The place of an epoch's seal; the mark that says so is a help, which nobody waits for.
    private func end(of epoch: UInt64, _ listed: Set<LogPosition>) throws -> LogPosition? {
        if let number = try remote.seal(of: epoch) { return LogPosition(epoch: epoch, number: number) }
        guard let last = listed.filter({ $0.epoch == epoch }).max(),
            case .readable(let header) = try LogHole(remote: remote).entry(at: last), header.kind == .seal
        else { return nil }
        return last
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
            throw JoinedLedger.changed
        }
        return mark
    }

    /// What a host notes of itself at a take-over takes nobody's change away.
    private func requireNothingChanged(by entry: LogEntryReader) throws {
        guard entry.header.kind == .changes else { return }
        var isChanged = false
        try entry.forEachRow { if $0.table != LogTable.meta.number { isChanged = true } }
        if isChanged { throw JoinedLedger.changed }
    }

    // MARK: What is made of it

    /// Each is in the bucket before a ledger there lists it.
    /// - Returns: how many the disk does not give, and the bucket lacks
    private func send(_ ids: [ObjectID], _ progress: (_ done: Int, _ of: Int) -> Void) throws -> Int {
        let origin = try ObjectOrigin(Folder.open(path: path).folder(StoreLayout.objects))
        var listed: [ObjectID: UInt64] = [:]
        try remote.list(StoreLayout.objects + "/") { name, byteCount in
            if let id = ObjectID(at: name, by: LogNames.object) { listed[id] = byteCount }
        }
        var (done, missingCount) = (0, 0)
        progress(done, ids.count)
        // One that the disk does not give is no reason to leave the others on it.
        let send: @Sendable (ObjectID) throws -> Bool = { [remote, listed] id in
            do {
                if let file = try origin.openHere(id) {
                    let byteCount = try file.byteCount()
                    guard listed[id] ?? 0 < byteCount else { return true }
                    _ = try remote.put(LogNames.object(id), byteCount: byteCount, isOnce: true) {
                        try file.read(into: $0, at: $1)
                    }
                    return true
                }
            } catch StoreError.objectUnreadable {} catch StoreError.ioFailed {}
            return try listed[id] != nil || remote.look(at: LogNames.object(id)) != nil
        }
        try SideBySide.run(
            ids, threads: remote.concurrency, worker: { _ in send },
            each: { _, isThere in
                done += 1
                if !isThere { missingCount += 1 }
                progress(done, ids.count)
            })
        return missingCount
    }

    /// - Parameter knownWriter: who wrote what this disk knows last
    private func restore(
        _ root: Folder, _ start: LogMark, knownWriter: LogWriterID, to target: Folder, _ path: String
    ) throws {
        let copier = VerifiedCopy(root: target)
        try LedgerSuccession.clear(in: target)
        _ = try copier.copy(root.open(StoreLayout.ledger, O_RDONLY), to: StoreLayout.newLedger, in: target)
        try TierSnapshot.leaveOutWhatIsLocal(path + "/" + StoreLayout.newLedger) { database in
            try LogReplay.set(start, database)
            // Behind a take-over nobody's changes can come in, else those of the host whose disk this is.
            try JoinedLedger.set(start.writer == knownWriter ? [knownWriter] : [], database)
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
