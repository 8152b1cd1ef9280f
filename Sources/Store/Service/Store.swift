import Bytes
import Glibc
import Synchronization

/// Keeps opaque objects, rows and slots durably in one data directory. It never sees a key: what the bytes mean is
/// the business of others. All functions block; run them on a `BlockingPool`.
package final class Store: Sendable {
    package let slots: SlotTable
    package let objects: ObjectStore
    package let ledger: Ledger
    package let previews: Previews
    package let reserve: DiskReserve
    package let condition: StoreCondition
    /// What goes along to a bucket; nil where this disk is all there is.
    let tier: StoreTier?

    let headerFile: HeaderFile
    private let expiry: Expiry
    private let lock: StoreLock
    private let logMark: LedgerLogMark
    private let isClosed = Mutex(false)
    private let removal = LastOutcome()
    /// How many groups the ledger had committed when the disk was last made one moment.
    private let quiescing = Mutex<UInt64?>(nil)

    /// Takes the lock, creates the layout in an absent or empty folder, opens everything and sweeps.
    ///
    /// `makeHeader` is called for a new store only; its header is written last. Throws `inUse` at once when another
    /// process holds the lock, `absent`, `insecurePermissions`, `newerFormat` (the directory stays as it is, byte for byte) and
    /// `unusable` with a text for the person who runs the host. A folder that holds something without a header is
    /// never made a store.
    package static func open(
        _ configuration: StoreConfiguration, makeHeader: () throws -> HostHeader
    ) throws -> (store: Store, report: StartupReport) {
        if let reason = StorePresence.absence(configuration) { throw StoreError.absent(reason) }
        guard !DirectoryState.isReadOnly(configuration.path) else {
            throw StoreError.readOnlyDisk(path: configuration.path)
        }
        var report = StartupReport()
        // A working copy that went meanwhile, at the end of its command, is never begun anew.
        let isCopy = configuration.originalPath != nil
        let root = try (isCopy ? DirectoryState.openExisting : DirectoryState.openRoot)(configuration.path)
        // Looked at before the lock file may be made, and again under the lock.
        _ = try DirectoryState.inspect(root, path: configuration.path)
        if let header = try HeaderFile.inspect(in: root) {
            if !isCopy { try header.requireChangeable() }
            try configuration.accepts(header)
        }
        let lock = try StoreLock.acquire(in: root)
        do {
            switch try DirectoryState.inspect(root, path: configuration.path) {
            case .empty, .unfinished:
                guard !isCopy else { throw StoreError.absent("The working copy of the data directory is gone.") }
                if let tier = configuration.tier { try TierOpening.requireNone(in: tier.remote) }
                lock.writeHolder()
                try StoreCreation.run(in: root, configuration: configuration, makeHeader: makeHeader)
                report.created = true
            case .store:
                lock.writeHolder()
                try StoreCreation.finish(in: root)
            }
            let store = try Store(root: root, lock: lock, configuration, &report)
            remember(configuration)
            return (store, report)
        } catch {
            lock.release()
            throw StoreError.translating(error)
        }
    }

    /// What is not remembered keeps nobody from the photos.
    private static func remember(_ configuration: StoreConfiguration) {
        guard let places = configuration.knownPlaces, let mounts = MountTable.current() else { return }
        do {
            try places.remember(configuration.path, in: mounts)
        } catch {
            configuration.note(
                "It cannot be remembered that a data directory is at \(configuration.path) (\(error)): where its disk is "
                    + "missing at a start, a new one would be made there.")
        }
    }

    private init(
        root: Folder, lock: StoreLock, _ configuration: StoreConfiguration, _ report: inout StartupReport
    ) throws {
        // Somebody may have removed it to make room; nothing that is known lies in it.
        try root.makeFolder(StoreLayout.quarantine)
        let original = try configuration.originalPath.map { try DirectoryState.openExisting($0) }
        let folders = try ObjectFolders(root: root, original: original)
        let condition = StoreCondition(folder: folders.isReadOnly ? root : folders.objects)
        if !folders.isReadOnly { try Self.requireTemporaryFiles(in: folders.objects) }
        let headerFile = try HeaderFile.open(in: root, condition: condition, &report)
        let slots = try SlotTable.open(in: root, condition: condition)
        let reserve = try DiskReserve(
            in: root, byteCount: configuration.reserveByteCount, floorByteCount: configuration.floorByteCount)

        let copies = LedgerCopies(root: root, path: configuration.path, today: configuration.today)
        try copies.removeUnfinished()
        let recovery = LedgerRecovery(
            root: root, path: configuration.path, today: configuration.today(), copies: copies, reserve: reserve)
        let naming = ObjectNaming(folders, madeAtOnce: configuration.filesMadeAtOnce)
        let logMark = LedgerLogMark(root: root, path: configuration.path)
        let isLogLost = try logMark.isLogLost()
        let wasCutOff = logMark.isSet
        let pool = try recovery.open(&report)
        let tier = try StoreTier.open(
            pool, configuration, root: root, folders: folders, slots: slots, hostSalt: headerFile.header.hostSalt)
        let ledger = Ledger(
            pool: pool, copies: copies, naming: naming, reserve: reserve, condition: condition, along: tier?.writing,
            logMark: logMark)

        // What the bucket's log tells has been done again by now.
        if isLogLost, report.ledgerRestoredFromCopy == nil, tier == nil {
            try Self.noteLostLog(in: ledger, on: configuration.today())
            report.isLedgerLogLost = true
        }
        try ledger.setLogMark()

        self.lock = lock
        self.logMark = logMark
        self.condition = condition
        self.headerFile = headerFile
        self.slots = slots
        self.reserve = reserve
        self.ledger = ledger
        self.tier = tier
        objects = ObjectStore(
            folders: folders, naming: naming, ledger: ledger, reserve: reserve, condition: condition,
            tier: tier?.writing.objects ?? configuration.tier.map { ObjectTier($0.remote, folders) }, cache: tier?.cache
        )
        previews = Previews(
            PreviewFile(
                root: root, path: configuration.path, today: configuration.today, note: configuration.note),
            ledger: ledger, reserve: reserve)
        expiry = Expiry(configuration: configuration, ledger: ledger, root: root, folders: folders)

        // Nothing of the original goes, and nothing of it is put in order.
        guard !folders.isReadOnly else { return }
        do {
            try tier?.begin(with: self)
            try putInOrder(root, folders, &report)
            forgetFormerRun(root, wasCutOff, &report)
            try tier?.compareAtStart(self)
        } catch {
            // Log and mark stay as they are, for the next start.
            try? ledger.close(keepingLog: true)
            throw error
        }
    }

    private func putInOrder(_ root: Folder, _ folders: ObjectFolders, _ report: inout StartupReport) throws {
        var notes: [String] = []
        report.expired = try expiry.run { error in
            // They are nobody's photos: no reason to keep anybody from theirs.
            notes.append("Files in quarantine whose days are over could not be removed (\(error)); they go later.")
        }
        report.notes += notes
        let sweep = Sweep(
            folders: folders, objects: objects, ledger: ledger, slots: slots, today: expiry.firstDay,
            goesAlong: tier != nil)
        try sweep.run(&report)
        do {
            try previews.reapDoomed()
        } catch {
            // They can be made again, and the list of those to remove stays: no reason to keep anybody from the photos.
            report.notes.append("Previews of deleted photos could not be removed (\(error)); they go later.")
        }
        try root.synchronize()
    }

    /// What a run that was cut off has left in the log tells which rows changed together. Nobody is kept from the photos by
    /// a disk that does not take what that needs.
    private func forgetFormerRun(_ root: Folder, _ wasCutOff: Bool, _ report: inout StartupReport) {
        do {
            guard wasCutOff else { return try slots.rewriteSome() }
            // The last of what is replaced at each moment.
            if let moment = try root.changeTime(of: StoreLayout.ledgerCopies[0]) {
                try objects.noteChanges(since: moment)
            }
            try quiesce()
        } catch {
            report.notes.append(
                "The ledger's log and copies still tell of the run before (\(error)); the next lock ends that.")
        }
    }

    /// Nor are the sessions known that were ended since.
    private static func noteLostLog(in ledger: Ledger, on day: UInt32) throws {
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                try transaction.renewSessionMark()
                try transaction.setMetaValue(LedgerSchema.MetaKey.logLostDay, day.bigEndianBytes)
            })
    }

    /// Whether the ledger's log was missing at a start in the last thirty days, and with it what was saved last.
    package func wasLogLost() throws -> Bool {
        let day = try ledger.readBlocking { try $0.metaValue(LedgerSchema.MetaKey.logLostDay) }
        guard let day, day.count == 4 else { return false }
        return today < day.reduce(0) { $0 << 8 | UInt32($1) } + LedgerLogMark.toldDays
    }

    /// Called daily, where everything goes along to a bucket: a snapshot takes the place of what the log still tells.
    package func renewSnapshot() throws { try tier?.takeDaily(self) }

    /// Called daily, where everything goes along to a bucket: what that has lost is put again, and what nothing lists goes
    /// once its days are over.
    package func compareWithBucket() throws { try tier?.compare(self) }

    /// Objects that the bucket had lost when it was last compared; nil where this disk is all there is.
    package var bucketLosses: (lost: Int, mended: Int)? { tier.map { ($0.losses.lost, $0.losses.mended) } }

    /// How the log in the bucket stands; nil where this disk is all there is.
    package var logStanding: LogStanding? { ledger.log?.standing }

    /// The current header.
    package var header: HostHeader { headerFile.header }

    /// After a removal: doomed files are unlinked, and neither the log nor a copy of the ledger keeps what was removed.
    /// Files go even where the copies cannot be written: on a full disk they are the very room that is missing.
    package func finishRemoval() throws {
        try removal.noting {
            let checkpoint = Result { try mergeLog() }
            let renewal = Result { try ledger.renewCopies() }
            let reaping = Result { try reapDoomed() }
            try? previews.checkpoint()
            if case .failure = checkpoint { try ledger.checkpoint() }
            if case .failure = renewal { try ledger.renewCopies() }
            try reaping.get()
        }
    }

    /// Why sealed remains of what was removed may still lie on the disk. The daily work removes them, too.
    package var removalFailure: (any Error)? { removal.failure }

    /// The daily end of removals that were not finished.
    package func finishRemovalIfNeeded() throws {
        if removalFailure != nil { try finishRemoval() }
    }

    /// Unlinks and takes out what the ledger lists as doomed. Call it after deletes, but never from within a change or a
    /// participant.
    package func reapDoomed() throws {
        _ = try objects.reapDoomed()
        try previews.reapDoomed()
    }

    /// Whether what is due by the calendar may be deleted at this moment.
    package func isClockTrusted() throws -> Bool { try expiry.isClockTrusted() }

    /// Days since 1970, by the clock.
    package var today: UInt32 { expiry.today }

    /// The day by which the last day of what begins now is reckoned; `today`, unless the clock is behind.
    package var firstDay: UInt32 { expiry.firstDay }

    /// The same for sessions, which had better end too early than too late.
    package var sessionDay: UInt32 { expiry.sessionDay }

    /// The last day, since 1970, on which the clock was trusted.
    package func lastTrustedDay() throws -> UInt32? { try expiry.lastDay() }

    /// The latest of all days, since 1970, on which the clock was trusted; never goes back.
    package func latestTrustedDay() throws -> UInt32? { try expiry.latestDay() }

    /// Removes what has passed its day. Called daily; does nothing while the clock is not trusted.
    package func expire() throws -> ExpiryReport {
        var failure: (any Error)?
        let report = try expiry.run { failure = $0 }
        try reapDoomed()
        if let failure { throw failure }
        return report
    }

    /// Makes one moment of what lies on the disk, while nobody changes anything: both copies of the ledger are what the
    /// ledger is, the logs are emptied and overwritten, and the times of all these files are of now. Differences between
    /// moments would tell which rows changed together, and so how many vaults were in use. Does nothing where nothing was
    /// committed since the last time, and once the store is closed, which makes one moment itself.
    package func quiesce() throws {
        try quiescing.withLock { last in
            guard !isClosed.withLock({ $0 }) else { return }
            let before = ledger.figures.groupCount
            guard before != last else { return }
            last = nil
            let moment = makeOneMoment()
            // They can do without.
            try? previews.checkpoint()
            for result in [moment.slots, moment.copies] { try result.get() }
            try moment.requireLog()
            // One group is that of the copies. With more, somebody has changed something meanwhile, and comes here later.
            if ledger.figures.groupCount == before + 1 { last = before + 1 }
        }
    }

    /// What came of making one moment: all of it is attempted, for each is one trace less.
    private struct OneMoment {
        let slots, copies, log: Result<Void, any Error>

        /// A log that stays has everything, and is merged at the next start; a backup may be reading it.
        func requireLog() throws {
            do { try log.get() } catch StoreError.ioFailed(_, EBUSY) {}
        }
    }

    private func makeOneMoment() -> OneMoment {
        OneMoment(
            slots: Result { try slots.rewriteSome() }, copies: Result { try ledger.renewCopies() },
            log: Result { try mergeLog() })
    }

    /// Makes one moment of the disk, and unlocks. Further calls do nothing. The lock is given up even if something fails.
    /// - Returns: whether the copies were renewed. A full disk has no room for them, and nothing is lost by that.
    @discardableResult
    package func close() throws -> Bool {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return true }
        defer { lock.release() }
        tier?.end()
        objects.close()
        let moment = makeOneMoment()
        let previewsClosing = Result { try previews.close() }
        if case .success = moment.log { try? logMark.clear() }
        try ledger.close()
        try? logMark.clearIfLogIsGone()
        do {
            try previewsClosing.get()
            try moment.requireLog()
            try moment.copies.get()
            return true
        } catch StoreError.diskFull {
            return false
        }
    }

    /// Some file systems want room for what is written anew in its place.
    private func mergeLog() throws {
        do {
            try ledger.checkpoint()
        } catch StoreError.diskFull where reserve.isIntact {
            try reserve.release()
            try ledger.checkpoint()
        }
    }

    private static func requireTemporaryFiles(in folder: Folder) throws {
        do {
            _ = try folder.openTemporary()
        } catch StoreError.diskFull {
            // Whoever opens a vault then can delete.
        } catch StoreError.ioFailed(_, EOPNOTSUPP) {
            throw StoreError.unusable(
                "The file system of the data directory cannot make unnamed files (O_TMPFILE). Use ext4, xfs or btrfs.")
        }
    }
}
