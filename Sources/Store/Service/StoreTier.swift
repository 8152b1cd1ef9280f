internal import GRDB
import Glibc
import Synchronization
import Threads

/// What a store does besides, where everything goes along to a bucket: the log of its ledger, its objects, and a snapshot
/// now and then.
final class StoreTier: Sendable {
    let writing: LogWriting
    /// Nil where files stay for as long as their objects.
    let cache: ObjectCache?
    private let configuration: TierConfiguration
    private let root: Folder
    private let rootPath: String
    private let comparing = Mutex(())
    /// Takes one snapshot after the other.
    let keeping = BlockingPool(name: "snapshot", threads: 1)
    private let state: Mutex<State>
    private let note: @Sendable (String) -> Void

    private struct State {
        var isTaking = false
        var isTrimming = false
        var hasEnded = false
        var losses = BucketComparison.Losses()
        /// After how many entries the next snapshot is due.
        var dueEntryCount: Int
        /// After how many entries what could not be compared is tried again; nil where nothing is left of it.
        var comparisonPause: Int?
        /// How many it is the next time.
        var nextComparisonPause = 1
    }

    /// Brings the ledger to where the bucket's log ends. Nil where nothing goes along.
    /// - Throws: `unusable` for a data directory that goes along to a bucket and is opened without it: what was changed here
    ///   alone would be lost.
    static func open(
        _ pool: DatabasePool, _ store: StoreConfiguration, root: Folder, folders: ObjectFolders, slots: SlotTable,
        hostSalt: [UInt8]
    ) throws -> StoreTier? {
        // Of a copy nothing goes along.
        guard !folders.isReadOnly else { return nil }
        guard let tier = store.tier else {
            guard try !TierOpening.goesAlong(pool) else {
                throw StoreError.unusable(
                    "This data directory goes along to a bucket (objects, in the configuration), and this would change it "
                        + "here alone. Run it with that configuration, while the daemon runs if it speaks to one. Nothing "
                        + "was changed.")
            }
            return nil
        }
        let objects = ObjectTier(tier.remote, folders)
        var quick = tier
        quick.remote = tier.remote.urgent
        let opening = TierOpening(tier: quick, pool: pool, slots: slots, objects: objects, hostSalt: hostSalt)
        let writing = LogWriting(log: try opening.join(), slots: slots, objects: objects, folder: folders.objects)
        if writing.log.isUnsettled { try translatingLedgerErrors { try writing.settle(pool) } }
        return StoreTier(tier, writing, root: root, rootPath: store.path, folders: folders, note: store.note)
    }

    private init(
        _ tier: TierConfiguration, _ writing: LogWriting, root: Folder, rootPath: String, folders: ObjectFolders,
        note: @escaping @Sendable (String) -> Void
    ) {
        state = Mutex(State(dueEntryCount: tier.snapshotEntryCount))
        self.note = note
        let cache = tier.cacheByteCount.map { ObjectCache(limit: $0, folders: folders, objects: writing.objects) }
        writing.objects.whenSent { cache?.noteAdded($0) }
        self.cache = cache
        self.writing = writing
        configuration = tier
        self.root = root
        self.rootPath = rootPath
    }

    /// Once the ledger is open. Without a snapshot nobody could begin anywhere, so the first is taken at once.
    func begin(with store: Store) throws {
        try TierSnapshot.removeCopy(in: root)
        // Nothing of here is on its way yet, and what a host from before has there counts no more.
        try? configuration.remote.urgent.endUnfinished()
        writing.slots.setRoute { [weak store] slots in
            guard let store else { throw StoreError.failure("writing slots of a closed store", EBADF) }
            try store.ledger.commitSlots(slots)
        }
        let isDue = try store.ledger.readBlocking { try $0.metaValue(LedgerSchema.MetaKey.snapshotDue) } != nil
        if !isDue, let newest = try ObjectTier.reaching({ try TierSnapshot.epochs(in: configuration.remote).first }) {
            writing.log.noteEntries(
                try ObjectTier.reaching { try TierSnapshot.entryCount(since: newest, in: configuration.remote) })
        } else {
            try take(writing.log.mark.position.epoch, store.ledger, store.header)
        }
        if isDue {
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(LedgerSchema.MetaKey.snapshotDue, nil)
                })
        }
        writing.log.whenCommitted { [weak self, weak store] in
            guard let self, let store else { return }
            self.takeIfDue(store)
            self.trimIfDue(store)
            self.compareIfDue(store)
        }
        trimIfDue(store)
    }

    private func trimIfDue(_ store: Store) {
        guard let cache, cache.isDue else { return }
        let mayTrim = state.withLock { state in
            defer { state.isTrimming = true }
            return !state.isTrimming && !state.hasEnded
        }
        guard mayTrim else { return }
        keeping.submit { [weak self, weak store] mayRun in
            guard let self else { return }
            defer { self.state.withLock { $0.isTrimming = false } }
            // What cannot go now goes behind a later change.
            guard mayRun, let store else { return }
            let outcome = try? cache.trim(store.ledger) { try self.requireWanted() }
            self.noteMended(outcome?.mended ?? 0)
        }
    }

    /// - Throws: `Unwanted` once the store ends, which waits for what is under way.
    private func requireWanted() throws {
        if state.withLock(\.hasEnded) { throw ObjectTier.Unwanted() }
    }

    /// No snapshot begins any more, and the one that is being taken is over.
    func end() {
        state.withLock { $0.hasEnded = true }
        _ = keeping.start {}.waitForResult()
    }

    private func takeIfDue(_ store: Store) {
        let since = writing.log.sinceSnapshot.entryCount
        let mayTake = state.withLock { state in
            guard since >= state.dueEntryCount, !state.isTaking, !state.hasEnded else { return false }
            state.isTaking = true
            return true
        }
        guard mayTake else { return }
        keeping.submit { [weak self, weak store] mayRun in
            guard let self else { return }
            var failure: (any Error)?
            if mayRun, let store {
                do { try self.takeInNewEpoch(store.ledger, store.header) } catch { failure = error }
            }
            let usual = self.configuration.snapshotEntryCount
            self.state.withLock { state in
                state.isTaking = false
                // Not with every change: each attempt begins an epoch.
                state.dueEntryCount = failure == nil ? usual : self.writing.log.sinceSnapshot.entryCount + usual / 4
            }
            if let failure, !(failure is ObjectTier.Unwanted) {
                self.note("No snapshot could be put into the bucket (\(failure)); it is tried again later.")
            }
        }
    }

    /// Rows that were replaced or removed stand in the log until a snapshot takes the place of their entries.
    func takeDaily(_ store: Store) throws {
        if writing.log.sinceSnapshot.entryCount > 0 { try takeInNewEpoch(store.ledger, store.header) }
    }

    func takeInNewEpoch(_ ledger: Ledger, _ header: HostHeader) throws {
        var change = LedgerChange(mayUseReserve: true, runsAlone: true) { _, _ in }
        change.beginsEpoch = true
        let before = writing.log.sinceSnapshot.entryCount
        try ledger.commitBlocking(change)
        try take(writing.log.mark.position.epoch, ledger, header)
        writing.log.noteSnapshot(entryCount: before)
    }

    // MARK: What the bucket should have, and has

    /// Once everything here is in order: in the background, but where another host's log was taken over. What that has put
    /// and no entry lists was on its way when it ended, or its entry is lost.
    func compareAtStart(_ store: Store) throws {
        guard configuration.intent == .takeOver else { return compareSoon(store) }
        let finder = configuration.mayLoseUnlisted ? StrayObjects.Finder.takeOverWithout : .takeOver
        let kept = try compare(store, finder)
        guard kept > 0, finder == .takeOver else { return }
        note(
            "\(kept) objects in the bucket are in no list: photos that were on their way when the former host ended, or whose "
                + "entry of the log the bucket has lost. They stay there. If that host's disk is there, join it before "
                + "this host serves: safelight take-over --from-disk, with an empty data directory. Where nothing is missing: "
                + "safelight take-over --without-unlisted.")
    }

    func compareSoon(_ store: Store) {
        keeping.submit { [weak self, weak store] mayRun in
            guard mayRun, let self, let store else { return }
            do {
                try self.compare(store)
            } catch is ObjectTier.Unwanted {
            } catch {
                self.state.withLock { state in
                    state.comparisonPause = state.nextComparisonPause
                    state.nextComparisonPause *= 2
                }
                self.note(
                    "What the bucket has was not compared with what it should have (\(error)); that is done with one of the "
                        + "next changes, or the next day.")
            }
        }
    }

    /// What gets to the bucket shows that it answers; each attempt that fails may cost it a long list.
    private func compareIfDue(_ store: Store) {
        let isDue = state.withLock { state in
            guard let pause = state.comparisonPause, !state.hasEnded else { return false }
            state.comparisonPause = pause > 1 ? pause - 1 : nil
            return pause == 1
        }
        if isDue { compareSoon(store) }
    }

    /// Blocking. Called daily: what the bucket has lost is put again, and what nothing lists goes once its days are over.
    /// - Returns: how many objects stay there that nothing lists
    @discardableResult
    func compare(_ store: Store, _ finder: StrayObjects.Finder = .daily) throws -> Int {
        // What one has listed before another one noted it would be noted as new again.
        try comparing.withLock { _ in try compareAlone(store, finder) }
    }

    private func compareAlone(_ store: Store, _ finder: StrayObjects.Finder) throws -> Int {
        let comparison = BucketComparison(
            remote: configuration.remote.urgent, objects: writing.objects, ledger: store.ledger,
            requireWanted: { [self] in try requireWanted() })
        let found = try ObjectTier.reaching { try comparison.differences() }
        let losses = try ObjectTier.reaching { try comparison.mend(found.suspects) }
        state.withLock { state in
            state.losses = losses
            (state.comparisonPause, state.nextComparisonPause) = (nil, 1)
        }
        if losses.lost > 0 {
            note(
                "The bucket had lost \(losses.lost) objects that it had said it had; \(losses.mended) of them were put again "
                    + "from this disk.")
        }
        let strays = StrayObjects(
            objects: writing.objects, ledger: store.ledger, firstDay: store.firstDay,
            today: try store.isClockTrusted() ? store.today : nil, finder: finder)
        let (doomed, kept) = try strays.doomExpired(found.strays)
        guard doomed > 0 else { return kept }
        _ = try store.objects.reapDoomed()
        note("\(doomed) objects in the bucket that nothing listed for \(Expiry.quarantineDays) days were removed.")
        return kept
    }

    /// What the last comparison has found, and what was put again since.
    var losses: BucketComparison.Losses { state.withLock(\.losses) }

    private func noteMended(_ count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.losses = .init(lost: $0.losses.lost + count, mended: $0.losses.mended + count) }
        note("The bucket had lost \(count) objects before this disk gave them up; they were put again from here.")
    }

    private func take(_ epoch: UInt64, _ ledger: Ledger, _ header: HostHeader) throws {
        let snapshot = TierSnapshot(
            remote: configuration.remote, root: root, rootPath: rootPath, slots: writing.slots, header: header
        ) { [self] in try requireWanted() }
        try snapshot.take(epoch) { try ledger.copy(to: $0) }
        try snapshot.removeWhatWasBefore(epoch)
    }
}
