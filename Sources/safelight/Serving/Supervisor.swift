import Logging
import ServiceManager
import Store
import Threads

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
