import Discovery
import Listener
import Printing
import ServiceLifecycle

/// Looks once, five minutes after the start, whether any other device has come, and says what may keep them away.
struct FirstVisit: Service {
    private static let patience: Duration = .seconds(300)

    let finding: HostFinding
    let limiter: ConnectionLimiter

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.patience)
            sayWhatMayKeepDevicesAway()
        }
        try? await gracefulShutdown()
    }

    private func sayWhatMayKeepDevicesAway() {
        guard let port = finding.port else { return }
        let advice = Reachability.read(strangerCount: limiter.strangerCount).advice(port: port)
        guard let text = advice.explanation(port: port) else { return }
        Terminal.print("No other device has connected in five minutes. \(text)")
    }
}
