import Content
import Glibc
import Listener
import Logging
import ServiceLifecycle
import ServiceManager
import Store
import Synchronization
import Threads
import UnixSignals
import Web

/// While the disk of the vaults is not there: says so in the log, to whoever asks, and to the service manager, until it
/// is. Nothing is encrypted meanwhile, for the certificate lies on that disk.
struct DiskWait {
    let reason: String
    let vaults: VaultConfiguration
    let endpoints: [Endpoint]
    let limits: ListenerLimits
    let supervisor: Supervisor
    let heartbeat: Heartbeat?
    let logger: Logger

    /// - Returns: false when the daemon was told to stop before.
    func untilThere() async throws -> Bool {
        logger.error(
            "waiting for the disk of the data directory. \(reason) This goes on by itself once it is there.",
            metadata: ["path": "\(vaults.dataPath)", "onPurpose": "safelight create --data \(vaults.dataPath)"])
        let look = Look(wait: self)
        var configuration = ServiceGroupConfiguration(
            services: listeners.map { .init(service: $0) }
                + [.init(service: look, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
        guard look.hasCome else { return false }
        logger.notice("the data directory is there")
        return true
    }

    private var listeners: [any Service] {
        let limiter = ConnectionLimiter(limits: limits)
        let server = AbsenceServer(version: Version.text, logger: logger)
        let missing = MissingListeners(count: endpoints.count)
        return endpoints.map { endpoint in
            Listener(
                endpoint: Self.lent(endpoint), tls: nil, limits: limits, limiter: limiter, logger: logger,
                responder: server.responder,
                onListening: { _ in
                    // Who starts the service may ask how it is.
                    if missing.isLast() { await supervisor.tell(.ready, .status("Waiting: \(reason)")) }
                })
        }
    }

    /// A socket that was handed over is closed with its listener; it is needed once more.
    private static func lent(_ endpoint: Endpoint) -> Endpoint {
        guard case .inherited(let descriptor) = endpoint else { return endpoint }
        return .inherited(descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
    }
}

/// Looks for the data directory every other second: a mount could be awaited, but not a folder on a disk that is there,
/// nor one that is made on purpose.
private final class Look: Service {
    private static let pause: Duration = .seconds(2)

    private let wait: DiskWait
    private let isThere = Mutex(false)

    init(wait: DiskWait) { self.wait = wait }

    var hasCome: Bool { isThere.withLock { $0 } }

    func run() async throws {
        let pool = BlockingPool(name: "absence", threads: 1)
        try? await cancelWhenGracefulShutdown { [wait] in
            while try await !pool.run({ wait.vaults.hasCome }) {
                if wait.heartbeat != nil { await wait.supervisor.tell(.alive) }
                try await Task.sleep(for: Self.pause)
            }
            self.isThere.withLock { $0 = true }
        }
        await pool.shutdown()
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
