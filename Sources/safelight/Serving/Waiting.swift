import Content
import Glibc
import Listener
import Logging
import Records
import ServiceLifecycle
import ServiceManager
import Synchronization
import Threads
import UnixSignals
import Vaults
import Web

/// While there is nothing to be served: says so to whoever asks, and to the service manager, until there is. Nothing is
/// encrypted meanwhile, for the certificate belongs to what is not there.
struct Waiting {
    let reason: AbsenceServer.Reason
    /// Why, in words of now; for health.
    var detail: @Sendable () -> String? = { nil }
    /// For the service manager.
    let status: String
    let endpoints: [Endpoint]
    let limits: ListenerLimits
    let supervisor: Supervisor
    let heartbeat: Heartbeat?
    let logger: Logger

    /// - Parameter isOver: asked again and again, on a thread that may wait
    /// - Returns: false when the daemon was told to stop before.
    func until(every pause: Duration, _ isOver: @escaping @Sendable () throws -> Bool) async throws -> Bool {
        let pool = BlockingPool(name: "waiting", threads: 1)
        do {
            let isThere = try await until(pauses: { _ in pause }, { try await pool.run(isOver) })
            await pool.shutdown()
            return isThere
        } catch {
            await pool.shutdown()
            throw error
        }
    }

    /// - Parameters:
    ///   - pauses: how long to wait behind so many attempts, from 1 on
    ///   - isOver: asked again and again
    /// - Returns: false when the daemon was told to stop before.
    func until(
        pauses: @escaping @Sendable (_ attempts: Int) -> Duration, _ isOver: @escaping @Sendable () async throws -> Bool
    ) async throws -> Bool {
        let look = Look(pauses: pauses, supervisor: heartbeat == nil ? nil : supervisor, isOver: isOver)
        var configuration = ServiceGroupConfiguration(
            services: listeners.map { .init(service: $0) }
                + [.init(service: look, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
        return look.isOver
    }

    private var listeners: [any Service] {
        let limiter = ConnectionLimiter(limits: limits)
        let server = AbsenceServer(reason, detail: detail, version: Version.text, logger: logger)
        let missing = MissingListeners(count: endpoints.count)
        return endpoints.map { endpoint in
            Listener(
                endpoint: Self.lent(endpoint), tls: nil, limits: limits, limiter: limiter, logger: logger,
                responder: server.responder,
                onListening: { _ in
                    // Who starts the service may ask how it is.
                    if missing.isLast() { await supervisor.tell(.ready, .status(status)) }
                })
        }
    }

    /// A socket that was handed over is closed with its listener; it is needed once more.
    private static func lent(_ endpoint: Endpoint) -> Endpoint {
        guard case .inherited(let descriptor) = endpoint else { return endpoint }
        return .inherited(descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
    }
}

private final class Look: Service {
    /// Between signs of life: an attempt may take longer than a service manager waits.
    private static let beat: Duration = .seconds(5)

    private let pauses: @Sendable (Int) -> Duration
    /// Nil where nobody waits for signs of life.
    private let supervisor: Supervisor?
    private let ask: @Sendable () async throws -> Bool
    private let wasOver = Mutex(false)

    init(
        pauses: @escaping @Sendable (Int) -> Duration, supervisor: Supervisor?,
        isOver: @escaping @Sendable () async throws -> Bool
    ) {
        self.pauses = pauses
        self.supervisor = supervisor
        ask = isOver
    }

    var isOver: Bool { wasOver.withLock { $0 } }

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { [self] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    if let supervisor { group.addTask { try await Self.live(supervisor) } }
                    defer { group.cancelAll() }
                    try await lookUntilOver()
                }
            }
        } catch is CancellationError {
            // Told to stop.
        }
    }

    private static func live(_ supervisor: Supervisor) async throws {
        while true {
            await supervisor.tell(.alive)
            try await Task.sleep(for: beat)
        }
    }

    private func lookUntilOver() async throws {
        var attempts = 0
        while try await !isOverNow() {
            attempts += 1
            try await Task.sleep(for: pauses(attempts))
        }
        // What came while somebody said that it is to stop is not begun with any more.
        try Task.checkCancellation()
        wasOver.withLock { $0 = true }
    }

    private func isOverNow() async throws -> Bool {
        do {
            return try await ask()
        } catch {
            // An attempt that is cut short by a stop fails for whatever reason it gives.
            try Task.checkCancellation()
            throw error
        }
    }
}

/// Those that do not listen yet.
private final class MissingListeners: Sendable {
    private let count: Mutex<Int>

    init(count: Int) { self.count = Mutex(count) }

    /// Whether all listen now.
    func isLast() -> Bool {
        count.withLock { count in
            count -= 1
            return count == 0
        }
    }
}

/// Copies of the ledger, expiry, the reserve, the certificate: once a day.
struct DailyWork: Service {
    let service: VaultService
    let certificate: ServedCertificate

    func run() async throws {
        await service.inspectCopies()
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(86_400))
                await service.runDailyWork()
                await certificate.renewIfDue()
            }
        }
    }
}

/// While the disk of the vaults is not there: says so in the log, to whoever asks, and to the service manager, until it
/// is.
struct DiskWait {
    /// A mount could be awaited, but not a folder on a disk that is there, nor one that is made on purpose.
    private static let pause: Duration = .seconds(2)

    let reason: String
    let vaults: VaultConfiguration
    let waiting: Waiting
    let logger: Logger

    /// - Returns: false when the daemon was told to stop before.
    func untilThere() async throws -> Bool {
        logger.error(
            "waiting for the disk of the data directory. \(reason) This goes on by itself once it is there.",
            metadata: ["path": "\(vaults.dataPath)", "onPurpose": "safelight create --data \(vaults.dataPath)"])
        guard try await waiting.until(every: Self.pause, { [vaults] in vaults.hasCome }) else { return false }
        logger.notice("the data directory is there")
        return true
    }
}

/// What a start waits for that passes by itself, as it is known now.
final class StartWait: Sendable {
    private static let longestPause: Double = 60
    /// Somebody who ends a command wants to see the daemon go on.
    private static let longestPauseBehindCommand: Double = 4

    let reason: AbsenceServer.Reason
    private let dataPath: String
    private let logger: Logger
    private let failure: Mutex<StartFailure>

    /// Nil for what has to be told and ends the daemon, as another daemon that serves the same data directory.
    init?(_ failure: StartFailure, dataPath: String, logger: Logger) {
        guard let reason = Self.reason(failure, dataPath) else { return nil }
        self.reason = reason
        self.dataPath = dataPath
        self.logger = logger
        self.failure = Mutex(failure)
        tell(failure)
    }

    /// Why, in words of now.
    var detail: String { failure.withLock(\.description) }

    /// Whether an attempt failed for what is waited for already.
    func goesOn(with failure: StartFailure) -> Bool {
        guard Self.reason(failure, dataPath) == reason else { return false }
        let isNews = self.failure.withLock { known in
            defer { known = failure }
            return known.description != failure.description
        }
        if isNews { tell(failure) }
        return true
    }

    /// Grows, so that nobody is asked without a pause for as long as a night.
    func pause(after attempts: Int) -> Duration {
        let longest = reason == .inUse ? Self.longestPauseBehindCommand : Self.longestPause
        var pause = 1.0
        for _ in 1..<max(1, attempts) where pause < longest { pause = min(longest, 2 * pause) }
        return .seconds(pause)
    }

    private func tell(_ failure: StartFailure) {
        let end =
            reason == .inUse ? "This goes on by itself once that has ended." : "It is tried again until it goes well."
        logger.error("waiting to start. \(failure.sentence) \(end)")
    }

    private static func reason(_ failure: StartFailure, _ dataPath: String) -> AbsenceServer.Reason? {
        if failure.isOfBucket { return .bucket }
        if failure.isOfDisk { return failure.isOfFullDisk ? .fullDisk : .failingDisk }
        // A command, or a daemon that is about to end: one that serves answers there.
        return failure.isInUse && !ConsoleSocket(dataPath: dataPath).isListenedTo ? .inUse : nil
    }
}
