package import Content
package import Logging
import Records
import Sealing
import Search
import Store
import Synchronization
import Threads
package import Unlocking
import Vault

/// The whole service behind the page: opens, creates, changes and erases vaults, and keeps their sessions.
package final class VaultService: Sendable {
    let configuration: VaultConfiguration
    let store: Store
    let registry: VaultRegistry
    let derivation: KeyDerivation
    let throttle: AttemptThrottle
    let windowThrottle: AttemptThrottle
    /// Held by whoever reads the list of a window for those who look.
    let windowOpening = AsyncLock()
    let devices: DeviceCookies
    let sessions = SessionTable()
    let basic: BasicSessions
    let engine: UploadEngine
    let probe: HealthProbe
    let doors: DoorMoves
    let ghosts: GhostVaults?
    /// The setup code as it was at the start; another may have taken its place since.
    package let setupCode: SetupCode
    let logger: Logger
    let passwordRules: PasswordRules?
    private let lacksPlaces: Bool
    private let hadPictures = Atomic(true)
    private static let mostFolders = 64
    private let folderTroubles = Mutex<[String: String?]>([:])
    private let upkeep = BlockingPool(name: "upkeep", threads: 1)

    /// Opens the data directory, makes it where there is none, and repairs what a power cut left. Blocking work runs
    /// elsewhere.
    /// - Throws: `StartFailure` with a text for the person who starts the daemon.
    package static func start(_ configuration: VaultConfiguration, logger: Logger) async throws -> VaultService {
        let pool = BlockingPool(name: "start", threads: 1)
        do {
            let service = try await pool.run { try VaultService(configuration, logger: logger) }
            await pool.shutdown()
            return service
        } catch {
            await pool.shutdown()
            throw StartFailure(error)
        }
    }

    private init(_ configuration: VaultConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        passwordRules = try configuration.commonPasswordsPath.map { path in
            PasswordRules(common: try CommonPasswords(path: path), hostNames: configuration.hostNames)
        }
        let opened = try OpenedStore(configuration, logger: logger)
        store = opened.store
        let gazetteer = Self.gazetteer(configuration, logger: logger)
        lacksPlaces = configuration.placesPath != nil && gazetteer == nil
        engine = UploadEngine(
            store: store, dataPath: configuration.dataPath, limits: configuration.limits,
            pictures: configuration.pictures, gazetteer: gazetteer)
        do {
            try engine.guestDiskUsage.measure(store)
            setupCode = try SetupCode.load(dataPath: configuration.dataPath, today: configuration.today())
            devices = try DeviceCookies.load(from: store.ledger)
            // Apart from those of the house, whom nobody locks out by them. On disk they would tell of windows.
            windowThrottle = try AttemptThrottle(
                ledger: nil, devices: devices, logger: logger, now: configuration.attemptClock)
            throttle = try AttemptThrottle(
                ledger: store.ledger, devices: devices, memoryPath: configuration.memoryPath,
                hostSalt: store.header.hostSalt, logger: logger, now: configuration.attemptClock)
            basic = try BasicSessions(table: sessions)
        } catch {
            _ = try? store.close()
            throw error
        }
        registry = VaultRegistry(
            engine: engine,
            secrets: SlotBudget(
                capacity: configuration.limits.newSecrets,
                present: Self.newVaults(in: opened, configuration, logger: logger), now: .now),
            checksFiles: opened.report.missingObjects > 0,
            today: { UInt64(configuration.today()) },
            logger: logger)
        doors = DoorMoves(
            registry: registry, sessions: sessions, quiet: configuration.limits.doorQuiet,
            settling: configuration.limits.doorSettling,
            patience: configuration.limits.doorPatience, logger: logger)
        derivation = KeyDerivation(
            hostSalt: store.header.hostSalt, record: opened.record, pepper: opened.pepper,
            waitingLimit: configuration.limits.waitingDerivations)
        probe = HealthProbe(
            store: store, backup: BackupAge(dataPath: configuration.dataPath, days: configuration.backupDays),
            isReceiving: { [engine] in engine.uploadsInFlight > 0 })
        ghosts = try Self.coverByteCount(configuration).map { [engine, devices] in
            GhostVaults(
                engine: engine, byteLimit: $0, isNewStore: opened.report.created, drawCookie: { try devices.draw() })
        }
        ghosts?.start()
        engine.whenRoomIsWanted { [weak ghosts] in await ghosts?.giveWay(to: $0) ?? false }
        if configuration.coverComesByItself {
            ghosts?.startVisits { [weak self] in await self?.quiesceIfLocked() }
        }
        engine.windows.whenOver { [sessions] window in Task { await sessions.endAll(through: window) } }
        engine.whenVaultCloses { [weak self] in Task { await self?.quiesceIfLocked() } }
    }

    /// Nil where places have no names: all else works.
    private static func gazetteer(_ configuration: VaultConfiguration, logger: Logger) -> Gazetteer? {
        do {
            return try configuration.placesPath.map(Gazetteer.init(path:))
        } catch {
            logger.warning("photos are not found by where they were taken", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// How many vaults may be made at once from the beginning: a gift, and what the owner's own setting gives beyond the
    /// usual, which is not in the sum of docs/format.md. A disk that takes no writes gives no gift.
    private static func newVaults(
        in opened: OpenedStore, _ configuration: VaultConfiguration, logger: Logger
    ) -> Int {
        let wanted = configuration.limits.newSecrets
        if opened.report.created { return wanted }
        let own = max(0, wanted - VaultLimits().newSecrets)
        do {
            return try own + SlotBudget.takeGift(on: configuration.today(), from: opened.store.ledger)
        } catch {
            logger.warning(
                "no new vaults can be counted at this start", metadata: ["reason": "\(VaultError(error).code)"])
            return own
        }
    }

    /// Takes down what a run over a drop folder says of itself, for the health report. It is forgotten with this process.
    /// - Parameters:
    ///   - folder: its path.
    ///   - trouble: for people; nil while all is well.
    package func note(_ trouble: String?, ofFolder folder: String) {
        folderTroubles.withLock { troubles in
            guard troubles[folder] != nil || troubles.count < Self.mostFolders else { return }
            troubles[folder] = .some(trouble)
        }
    }

    /// Nil as long as no folder was heard of.
    private var folderCheck: Health.Check? {
        let troubles = folderTroubles.withLock { $0 }
        guard !troubles.isEmpty else { return nil }
        let words = Set(troubles.values.compactMap(\.self)).sorted()
        return Health.Check(
            name: "inbox", status: words.isEmpty ? .pass : .warn,
            output: words.isEmpty ? nil : words.joined(separator: "; "))
    }

    private static func coverByteCount(_ configuration: VaultConfiguration) throws -> UInt64? {
        switch configuration.cover {
        case .none: nil
        case .upTo(let byteCount): byteCount
        case .byDisk: min(2 << 30, try DiskSpace.totalByteCount(configuration.dataPath) / 100)
        }
    }

    // MARK: Life

    /// From now on nothing is opened, and resumable uploads take no more bytes. On return what they brought is on
    /// disk: their clients go on with the next daemon. Other requests end in their own time.
    package func beginDraining() async {
        engine.beginDraining()
        await sessions.endRuns(.draining)
    }

    func requireNotDraining() throws {
        if engine.isDraining { throw VaultError.draining }
    }

    /// Ends all sessions, which wipes their keys; empties the ledger's log, renews its copies, gives up the lock.
    package func shutdown() async throws {
        await beginDraining()
        await sessions.endAll()
        await derivation.shutdown()
        await registry.shutdown()
        await ghosts?.end()
        await engine.threads.shutdown()
        await probe.shutdown()
        defer { logger.info("store closed") }
        let isCopied = try await upkeep.run { [store] in try store.close() }
        if !isCopied { logger.warning("the disk has no room for fresh copies of the ledger; the older ones are kept") }
        await upkeep.shutdown()
    }

    /// Daily work: what has passed its day, the reserve, fresh copies of the ledger. What fails is tried again the next
    /// day: a full disk must not stop the daemon.
    package func runDailyWork() async {
        let steps: [@Sendable (Store) throws -> Void] = [
            { _ = try $0.expire() }, { try $0.reserve.restoreIfPossible() }, { try $0.quiesce() },
            { try $0.finishRemovalIfNeeded() }, { try $0.renewSnapshot() },
            { try $0.compareWithBucket() },
        ]
        for step in steps { await runDaily(step) }
        await sessions.endAll(keptBefore: store.today)
        await sessions.endViewers(on: store.sessionDay)
        await runDaily { [engine] in try engine.guestDiskUsage.measure($0) }
        for vault in registry.openVaults { try? await vault.forgetSweptUploads() }
    }

    /// Once the last vault is locked the disk holds one moment, which does not tell how many were in use. What fails is
    /// done by the next lock, the daily work or the stop.
    func quiesceIfLocked() async {
        guard isLocked, !engine.isDraining else { return }
        do {
            await ghosts?.rest()
            try await upkeep.run { [self] in
                // Rows, lists and pictures of what was open went with it; what the allocator keeps of them is others'.
                FreedMemory.giveBack()
                if isLocked { try store.quiesce() }
            }
        } catch {
            logger.warning(
                "the ledger's log and copies still tell which rows changed lately",
                metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    private var isLocked: Bool { registry.openVaults.allSatisfy(\.isGuest) }

    /// Whether a damaged ledger could be put together again, so that health says it before it is needed.
    package func inspectCopies() async { try? await upkeep.run { [store] in store.ledger.inspectCopies() } }

    private func runDaily(_ step: @escaping @Sendable (Store) throws -> Void) async {
        do {
            try await upkeep.run { [store] in try step(store) }
        } catch {
            logger.warning("daily work failed", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    /// - Parameter isFresh: whether ledger and disk are touched now, however recent the last answer is
    package func health(isFresh: Bool = false) async -> Health {
        var checks = await probe.checks(isFresh: isFresh)
        let isDraining = engine.isDraining
        checks.append(
            Health.Check(name: "draining", status: isDraining ? .fail : .pass, output: isDraining ? "stopping" : nil))
        if let check = bucketCheck { checks.append(check) }
        if let pictures = configuration.pictures {
            let isAvailable = await pictures.isAvailable()
            if isAvailable, !hadPictures.exchange(true, ordering: .relaxed) { wakePictureWorkers() }
            if !isAvailable { hadPictures.store(false, ordering: .relaxed) }
            checks.append(
                Health.Check(
                    name: "pictures", status: isAvailable ? .pass : .warn, output: isAvailable ? nil : "missing"))
        }
        if let check = folderCheck { checks.append(check) }
        if lacksPlaces { checks.append(Health.Check(name: "places", status: .warn, output: "missing")) }
        return Health(checks: checks)
    }

    /// Nil where this disk is all there is.
    private var bucketCheck: Health.Check? {
        store.logStanding.map { standing in
            let error: VaultError? =
                switch standing {
                case .sound: nil
                case .unreachable: .bucketUnreachable
                case .superseded: .takenOver
                }
            if let error { return Health.Check(name: "bucket", status: .fail, output: error.code) }
            guard let losses = store.bucketLosses, losses.lost > 0 else {
                return Health.Check(name: "bucket", status: .pass)
            }
            return Health.Check(
                name: "bucket", status: .warn, output: "lost \(losses.lost), mended \(losses.mended)")
        }
    }

    /// What waits for the program that makes pictures need not wait for the next photo or glance.
    private func wakePictureWorkers() {
        for vault in registry.openVaults { vault.pictures.wake() }
    }
}

extension VaultService {
    /// Asks the bucket whether another host has taken over, which health knows from then on. Blocking; does nothing where
    /// this disk is all there is.
    /// - Throws: `StoreError.bucketUnreachable`
    package func lookForSuccessor() throws { try store.ledger.lookForSuccessor() }

    /// Whether the clock stands no earlier than on a day on which it was trusted before. After a jump forward it is
    /// plausible: the host may just have been off. Reads the ledger and blocks as long as that takes.
    package func isClockPlausible() -> Bool {
        // A ledger that cannot be read says nothing against the clock.
        guard let day = try? store.lastTrustedDay() else { return true }
        // One day more, so that a clock set back by minutes at midnight is no wrong one.
        return Int(StoreConfiguration.systemDay()) + 1 >= Int(day)
    }

    /// Whether the clock can be believed about what has ended: it did not jump, or has run on for a day since. Reads the
    /// ledger and blocks as long as that takes.
    package func isClockProven() -> Bool { (try? store.isClockTrusted()) ?? false }
}

extension VaultService {
    /// The counts of the day begin anew: new vaults, new guests, changes of what opens vaults. For the owner, at the host
    /// itself: who connects to the page from here may be anybody that a program of this host hands on.
    package func beginCountsAnew() {
        engine.guestAdmission.beginAnew()
        registry.beginCountsAnew()
    }
}
