import CLinux
import Glibc
import Listener
import Logging
import ServiceLifecycle
import ServiceManager
import Store
import Threads
import UnixSignals
import Vaults

/// Tells the supervisor that the daemon lives, each time after it has been proved: the threads of the connections did
/// something, and, where something was written since the last time, the ledger took a row, the disk wrote and gave back a
/// file. What fails at once is shown in the status and
/// by /health, and is no reason to be started again, which mends no disk; what hangs is.
struct Watchdog: Service {
    let heartbeat: Heartbeat
    let service: VaultService
    let supervisor: Supervisor

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            let clock = ContinuousClock()
            while true {
                let began = clock.now
                let health = try await Self.probe(service)
                await supervisor.tell(.alive, .status(health.statusLine))
                try await Task.sleep(for: heartbeat.pause(afterProbeOf: began.duration(to: clock.now)))
            }
        }
    }

    /// Comes back only when everything that serves photos has moved.
    /// - Throws: when nothing serves connections any more
    static func probe(_ service: VaultService) async throws -> Health {
        try await ConnectionThreads.touch()
        return await service.health(isFresh: true)
    }
}

extension Health {
    /// For everybody on this host: nothing about vaults.
    var statusLine: String {
        let troubles = checks.filter { $0.status != .pass }.map { check in
            check.name + (check.output.map { " (\($0))" } ?? "")
        }
        return troubles.isEmpty ? "Serving; all is well." : "Serving, with trouble: " + troubles.joined(separator: ", ")
    }
}

/// SIGHUP, which asks a daemon to read its files again, and which a terminal sends when it is closed: neither may end
/// the daemon.
struct ReloadSignal: Service {
    let signals: UnixSignalsSequence
    let certificate: ServedCertificate
    let supervisor: Supervisor

    /// Until somebody listens to the signal, and from then on that nobody does any more.
    static func ignore() { signal(SIGHUP, SIG_IGN) }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            // By that time the service manager tells a reload from an older one.
            await supervisor.tell(
                .reloading(microseconds: UInt64(linux_clock_nanoseconds(CLOCK_MONOTONIC) / 1000)),
                .status("Reading the certificate again."))
            await certificate.reload()
            await supervisor.tell(.ready, .status("Serving."))
        }
        Self.ignore()
    }
}

/// Tells whoever stands by that this host lives, as long as it serves without trouble and nobody has taken its place.
struct SignsOfLife: Service {
    let sign: TierSign
    /// Several of them come before anybody's patience ends.
    let pause: Duration
    let service: VaultService
    let logger: Logger

    func run() async throws {
        let pool = BlockingPool(name: "sign", threads: 1)
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await pool.run { try service.lookForSuccessor() }
                    if await service.health().status != .fail { try await pool.run { try sign.give() } }
                } catch let error as StoreError {
                    logger.warning("no sign of life could be given", metadata: ["reason": "\(error)"])
                }
                try await Task.sleep(for: pause)
            }
        }
        await pool.shutdown()
    }
}

/// The program that started this one and watches it, where there is such a program: systemd.
final class Supervisor: Sendable {
    private let socket: NotifySocket?
    private let logger: Logger
    /// One thread: notices arrive in their order, and a supervisor that reads nothing keeps nobody else waiting.
    private let thread = BlockingPool(name: "notify", threads: 1)

    init(socket: NotifySocket?, logger: Logger) {
        self.socket = socket
        self.logger = logger
    }

    /// Returns when the notices are on their way. What cannot be told is logged; the daemon goes on.
    func tell(_ notices: ServiceNotice...) async {
        guard let socket else { return }
        let problem = try? await thread.run { socket.send(notices) }
        guard let problem, problem != 0 else { return }
        logger.warning("the service manager could not be told something", metadata: ["errno": "\(problem)"])
    }
}
