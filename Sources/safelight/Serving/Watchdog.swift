import Listener
import ServiceLifecycle
import ServiceManager
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
