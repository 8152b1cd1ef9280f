import Bytes
import Glibc
import Listener
import Logging
import ServiceLifecycle
import Vaults
import Web

/// Shows figures to programs of this host: on a socket in the data directory, which nobody but the daemon's user can
/// reach, and where the configuration says so.
struct Console: Service {
    private let socket: ConsoleSocket
    private let inData: Listener
    private let configured: Listener?
    private let doors: AsyncStream<Void>
    private let opened: AsyncStream<Void>.Continuation
    private let logger: Logger

    init(
        _ settings: Settings, service: VaultService, limiter: ConnectionLimiter, tally: RequestTally, version: String,
        actions: ConsoleActions, logger: Logger
    ) {
        let server = { (actions: ConsoleActions?) in
            ConsoleServer(
                service: service, version: version, actions: actions,
                figures: {
                    var figures = HostFigures(version: version)
                    figures.service = await service.figures()
                    figures.process = ProcessFigures.current()
                    figures.requests = tally.countsByKind
                    figures.receivedByteCount = limiter.traffic.receivedByteCount
                    figures.sentByteCount = limiter.traffic.sentByteCount
                    let connections = limiter.snapshot
                    figures.strangerConnectionCount = connections.strangers
                    figures.hostConnectionCount = connections.host
                    figures.displacedConnectionCount = limiter.displacedCount
                    figures.refusedConnectionCount = limiter.refusedCount
                    return figures
                }, logger: logger)
        }
        // Its own seats: whoever fills the page's must not keep the owner from seeing that.
        let own = ConnectionLimiter(limits: settings.listenerLimits)
        let (doors, opened) = AsyncStream.makeStream(of: Void.self)
        let listener = { (endpoint: Endpoint, actions: ConsoleActions?) in
            Listener(
                endpoint: endpoint, tls: nil, limits: settings.listenerLimits, limiter: own, logger: logger,
                responder: server(actions).responder, onListening: { _ in opened.yield() })
        }
        socket = ConsoleSocket(dataPath: settings.vaults.dataPath)
        inData = listener(.unix(path: socket.path, isPrivate: true), actions)
        // Everybody on this host may reach it: it shows, and does nothing.
        configured = settings.metricsListen.map { listener($0, nil) }
        self.doors = doors
        self.opened = opened
        self.logger = logger
    }

    /// Returns when it can be spoken to, as far as it ever will be. To be called once.
    func waitUntilOpen() async {
        var missing = configured == nil ? 1 : 2
        for await _ in doors {
            missing -= 1
            if missing == 0 { return }
        }
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listenInData() }
            if let configured { group.addTask { try await configured.run() } }
            try await group.waitForAllOrFailure()
        }
    }

    /// Photos are safe without it.
    private func listenInData() async throws {
        do {
            try await inData.run()
        } catch let error as ListenerError {
            logger.warning(
                "there is no socket for safelight status and figures in the data directory",
                metadata: ["reason": "\(error)"])
            opened.yield()
            try? await gracefulShutdown()
        }
        withExtendedLifetime(socket) {}
    }
}

/// The socket file `console.sock` in a data directory, under a path that is short enough for a socket.
final class ConsoleSocket: Sendable {
    static let fileName = "console.sock"
    /// SwiftNIO, which connects to it, refuses longer ones; unix(7) would take 107.
    private static let mostPathBytes = 103

    let path: String
    private let folder: CInt?

    init(dataPath: String) {
        let direct = "\(dataPath)/\(Self.fileName)"
        let isLong = direct.utf8.count > Self.mostPathBytes
        let opened = isLong ? open(dataPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
        folder = opened >= 0 ? opened : nil
        path = folder.map { "/proc/self/fd/\($0)/\(Self.fileName)" } ?? direct
    }

    deinit {
        if let folder { close(folder) }
    }
}

extension ConsoleSocket {
    var isListenedTo: Bool { UnixSocketFile.isListenedTo(path) }

    /// As the HTTP client takes it: the path of the socket in percent signs, then that of the request.
    func url(_ request: String) -> String {
        "http+unix://\(PercentEncoding.encode(path) { _ in false })\(request)"
    }
}
