import CLinux
import Content
import Discovery
import Glibc
import Listener
import Logging
import Printing
import Records
import ServiceLifecycle
import ServiceManager
import Store
import Synchronization
import UnixSignals
import Unlocking
import Upgrades
import Vaults
import Web

/// Wires the services, in the order in which they start; they stop in reverse.
struct Daemon {
    /// How long running requests may go on after SIGTERM: with what comes after it, the end takes less than 30 seconds.
    private static let drain: Duration = .seconds(25)

    private let settings: Settings
    private let endpoints: [Endpoint]
    private let repetitions = RepetitionLimiter()
    private let logger: Logger
    private let supervisor: Supervisor
    private let heartbeat: Heartbeat?
    private let stateFolder: String?
    private let standsBy: Bool

    /// - Parameters:
    ///   - standsBy: whether another host serves first, and this one follows it
    ///   - inherited: sockets of the service manager; they take the place of configured addresses
    ///   - environment: what else the service manager says
    init(_ settings: Settings, inherited: [InheritedSocket], environment: ServiceEnvironment, standsBy: Bool = false) {
        self.settings = settings
        self.standsBy = standsBy
        endpoints =
            inherited.isEmpty ? settings.listen : inherited.map { .inherited(descriptor: $0.descriptor) }
        var logger = Logger(label: "safelight") { [repetitions] label in
            LimitedLogHandler(
                PrintableLogHandler(StreamLogHandler.standardError(label: label)), limiter: repetitions)
        }
        logger.logLevel = settings.logLevel
        self.logger = logger
        supervisor = Supervisor(socket: environment.notifySocket, logger: logger)
        heartbeat = environment.watchdog.map { Heartbeat(watchdog: $0) }
        stateFolder = environment.stateFolder
    }

    func run() async throws {
        let reloadSignal = await UnixSignalsSequence(trapping: .sighup)
        forbidDumps()
        OpenFiles.raiseLimit(for: settings.listenerLimits, logger: logger)
        if settings.vaults.unsafeKDF != nil {
            logger.warning(
                "UNSAFE: unsafe.kdf.memory is set; passwords of a new store can be guessed quickly. For tests only.")
        }
        if settings.vaults.coversLittle {
            logger.warning("UNSAFE: unsafe.cover is off; a new store shows how many vaults it has. For tests only.")
        }
        let www = try settings.wwwPath ?? Page.defaultFolder()
        let studio = settings.imaging.map { Studio($0, logger: logger) }
        var vaults = settings.vaults
        vaults.pictures = studio?.making
        vaults.commonPasswordsPath = www + "/common-passwords.bin"
        vaults.placesPath = Page.placesPath(beside: www)
        vaults.memoryPath = "/dev/shm"
        vaults.knownPlacesPath = stateFolder.map { $0 + "/known-places" }
        vaults.hostNames = HostNames.current(configured: settings.hostNames).names
        do {
            try await serveAlong(vaults, www: www, reloadSignal: reloadSignal)
        } catch {
            await studio?.close()
            throw error
        }
        await studio?.close()
    }

    /// With the bucket that everything goes along to, where there is one.
    private func serveAlong(_ vaults: VaultConfiguration, www: String, reloadSignal: UnixSignalsSequence) async throws {
        guard let opened = try await patiently({ [settings] in try await Tier.open(settings.objects) }) else { return }
        let tier = opened
        do {
            if let tier {
                var vaults = vaults
                guard let intent = try await intent(vaults.dataPath, tier) else { return await tier.close() }
                vaults.tier = TierConfiguration(
                    tier.remote, intent: intent, cacheByteCount: settings.objects?.cacheByteCount)
                try await serve(vaults, www: www, reloadSignal: reloadSignal, TierSign(tier.remote))
            } else if standsBy {
                throw StartFailure(
                    description:
                        "To stand by, name the bucket that everything of the other host goes along to (objects).")
            } else {
                try await serve(vaults, www: www, reloadSignal: reloadSignal)
            }
        } catch {
            await tier?.close()
            throw error
        }
        await tier?.close()
    }

    /// Nil when the daemon is told to stop while it stands by.
    private func intent(_ path: String, _ tier: Tier) async throws -> TierConfiguration.Intent? {
        guard standsBy else { return .goOn }
        let begin: @Sendable () async throws -> StandBy = { [settings, logger] in
            try await .begin(at: path, following: tier.remote, settings.objects?.patience, logger: logger)
        }
        guard let standBy = try await patiently(begin, abandon: { try? await $0.end() }) else { return nil }
        return try await standBy.untilWanted(waiting(.standBy, "Standing by; another host serves."))
    }

    private func serve(
        _ vaults: VaultConfiguration, www: String, reloadSignal: UnixSignalsSequence, _ sign: TierSign? = nil
    ) async throws {
        await supervisor.tell(.status("Opening the data directory."))
        guard let service = try await started(vaults) else { return }
        do {
            try await serve(service, www: www, reloadSignal: reloadSignal, sign)
        } catch {
            try? await service.shutdown()
            throw error
        }
        try await service.shutdown()
    }

    /// Nil when the daemon is told to stop before the disk of the vaults is there, or what else is waited for.
    private func started(_ vaults: VaultConfiguration) async throws -> VaultService? {
        var hasWaited = false
        while true {
            do {
                let isWaitedFor = hasWaited
                let start: @Sendable () async throws -> VaultService = { [self] in
                    try await alive(isWaitedFor) { try await VaultService.start(vaults, logger: logger) }
                }
                return try await patiently(start, abandon: { try? await $0.shutdown() })
            } catch let failure as StartFailure where failure.isAbsence {
                let wait = DiskWait(
                    reason: failure.description, vaults: vaults,
                    waiting: waiting(.disk, "Waiting: \(failure.description)"), logger: logger)
                guard try await wait.untilThere() else { return nil }
                hasWaited = true
            }
        }
    }

    /// What a start needs, tried until it goes well, for as long as what keeps it from that passes by itself. Meanwhile whoever
    /// asks is told why.
    /// - Parameter abandon: gets what came when the daemon had been told to stop
    /// - Returns: nil when it was told to stop before.
    private func patiently<R: Sendable>(
        _ body: @escaping @Sendable () async throws -> R, abandon: (R) async -> Void = { _ in }
    ) async throws -> R? {
        var outcome = try await Self.outcome(of: body)
        while case .failure(let failure) = outcome {
            guard let wait = StartWait(failure, dataPath: settings.vaults.dataPath, logger: logger) else {
                throw failure
            }
            let found = Found<Result<R, StartFailure>>()
            let waiting = waiting(wait.reason, "Waiting: \(failure.description)", detail: { wait.detail })
            let isOver = try await waiting.until(pauses: wait.pause) {
                let tried = try await Self.outcome(of: body)
                if case .failure(let failure) = tried, wait.goesOn(with: failure) { return false }
                found.value.withLock { $0 = tried }
                return true
            }
            let last = found.value.withLock { $0 }
            guard isOver, let last else {
                if let made = try? last?.get() { await abandon(made) }
                return nil
            }
            logger.notice("what was waited for is over")
            outcome = last
        }
        return try outcome.get()
    }

    private static func outcome<R>(of body: () async throws -> R) async throws -> Result<R, StartFailure> {
        do { return .success(try await body()) } catch let failure as StartFailure { return .failure(failure) }
    }

    private func waiting(
        _ reason: AbsenceServer.Reason, _ status: String, detail: @escaping @Sendable () -> String? = { nil }
    ) -> Waiting {
        Waiting(
            reason: reason, detail: detail, status: status, endpoints: endpoints, limits: settings.listenerLimits,
            supervisor: supervisor, heartbeat: heartbeat, logger: logger)
    }

    /// The service manager was told of readiness while the disk was waited for, and counts the time of a start from then on.
    private func alive<R: Sendable>(
        _ isWatched: Bool, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        guard isWatched, heartbeat != nil else { return try await body() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [supervisor] in
                while !Task.isCancelled {
                    await supervisor.tell(.alive)
                    try await Task.sleep(for: .seconds(5))
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func serve(
        _ service: VaultService, www: String, reloadSignal: UnixSignalsSequence, _ sign: TierSign?
    ) async throws {
        let finding = HostFinding(
            configuredNames: settings.hostNames, isCertificateOwn: settings.ownCertificate != nil)
        let certificate = try await ServedCertificate.load(
            settings, names: { finding.certificateNames }, isClockTrusted: { service.isClockPlausible() },
            isClockProven: { service.isClockProven() }, logger: logger)
        let limiter = ConnectionLimiter(limits: settings.listenerLimits)
        let upgrades = settings.upgrade.map { UpgradeMonitor($0, service: service, logger: logger) }
        var webConfiguration = WebConfiguration(
            wwwPath: www, base: settings.base, hostNames: settings.hostNames, contact: settings.contact,
            version: Version.text,
            plainHTTP: settings.plainHTTP,
            proxies: settings.proxies,
            certificate: { certificate.facts }, addresses: { finding.addresses(for: certificate) },
            reached: { limiter.strangerCount > 0 }, upgrade: { upgrades?.upgrade },
            searchDomains: SearchDomains.current)
        webConfiguration.importCommand = HostCommand.text("import", dataPath: settings.vaults.dataPath)
        let server = try WebServer(service: service, configuration: webConfiguration, logger: logger)
        let announcement = Announcement(endpoints: endpoints, finding: finding) { pageURLs in
            announcedText(pageURLs, finding: finding, certificate: certificate, setupCode: service.setupCode)
        }
        let neighbours = Neighbours()
        let listeners = endpoints.enumerated().map { index, endpoint in
            Listener(
                endpoint: endpoint, tls: certificate.source, limits: settings.listenerLimits, limiter: limiter,
                logger: logger, neighbours: neighbours, responder: server.responder,
                onListening: { address in
                    if announcement.isListening(index, at: address) { await sayReady(service) }
                })
        }
        let console = Console(
            settings, service: service, limiter: limiter, tally: server.tally, version: Version.text,
            actions: ConsoleActions(
                renewAuthority: { try await certificate.renewAuthority() },
                beginCountsAnew: { service.beginCountsAnew() }),
            logger: logger)
        let watchdog = heartbeat.map { Watchdog(heartbeat: $0, service: service, supervisor: supervisor) }
        let signs = settings.objects?.patience.flatMap { patience in
            sign.map { SignsOfLife(sign: $0, pause: patience / 4, service: service, logger: logger) }
        }
        let occasional: [(any Service)?] = [upgrades, watchdog, signs]
        try await run(
            occasional.compactMap(\.self) + [
                LogWindows(repetitions: repetitions),
                DailyWork(service: service, certificate: certificate),
                ReloadSignal(signals: reloadSignal, certificate: certificate, supervisor: supervisor),
                FirstVisit(finding: finding, limiter: limiter),
                console,
                Listeners(all: listeners, console: console),
                Draining(service: service, supervisor: supervisor),
            ])
    }

    /// Everything is listened on; whether what lies behind answers is tried before anybody hears of it.
    private func sayReady(_ service: VaultService) async {
        guard let health = try? await Watchdog.probe(service) else { return }
        await supervisor.tell(.ready, .status(health.statusLine))
    }

    private func run(_ services: [any Service]) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.drain
        try await ServiceGroup(configuration: configuration).run()
    }

    private func announcedText(
        _ pageURLs: [String], finding: HostFinding, certificate: ServedCertificate, setupCode: SetupCode
    ) -> PrintableText {
        let text = AnnouncementText(
            pageURLs: pageURLs, addresses: finding.addresses(for: certificate), port: finding.port,
            setupCode: settings.vaults.registration == .code ? setupCode : nil,
            codeCommand: "safelight code --data \(settings.vaults.dataPath)", certificate: certificate.facts,
            isPlainHTTPOpen: settings.plainHTTP == .allow,
            firewallHint: finding.port.flatMap { FirewallFacts.read().hint(port: $0)?.explanation(port: $0) })
        return Screen.current().map(text.forScreen) ?? text.forLog
    }

    /// Keys are in this process: no core file, and no debugger of the same user.
    private func forbidDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        guard linux_forbid_dumps() == 0, setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else {
            logger.warning("core dumps could not be turned off")
            return
        }
    }
}

/// What an attempt brought that was made elsewhere.
private final class Found<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// Has the log say hourly, and at the end, how often something was repeated.
struct LogWindows: Service {
    let repetitions: RepetitionLimiter

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: RepetitionLimiter.window)
                repetitions.endWindow()
            }
        }
        repetitions.endWindow()
    }
}

/// All doors at once: stopped one after the other, the last would still let people in while the first is empty.
struct Listeners: Service {
    let all: [Listener]
    /// Opened first: who hears that the daemon is ready may ask how it is.
    let console: Console

    func run() async throws {
        await console.waitUntilOpen()
        try Task.checkCancellation()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for listener in all { group.addTask { try await listener.run() } }
            try await group.waitForAllOrFailure()
        }
    }
}

/// Stops first: from then on health says that the daemon is going, nothing new is opened, and resumable uploads end
/// where they are, for a client that is silent would keep the daemon waiting.
struct Draining: Service {
    let service: VaultService
    let supervisor: Supervisor

    func run() async throws {
        try? await gracefulShutdown()
        await supervisor.tell(.stopping, .status("Stopping; uploads in flight may end."))
        await service.beginDraining()
    }
}

extension ThrowingTaskGroup where ChildTaskResult == Void {
    /// Until all tasks have ended, or until one fails, which ends the group: `waitForAll` would go on waiting for the
    /// others then.
    mutating func waitForAllOrFailure() async throws {
        while try await next() != nil {}
    }
}
