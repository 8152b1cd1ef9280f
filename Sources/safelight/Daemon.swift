import CLinux
import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import Vaults
import Web

/// Wires the services, in the order in which they start; they stop in reverse.
struct Daemon {
    /// How long running requests may go on after SIGTERM.
    private static let drain: Duration = .seconds(30)

    private let settings: Settings
    private let logger: Logger

    init(_ settings: Settings) {
        self.settings = settings
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        logger = Logger(label: "safelight")
    }

    func run() async throws {
        forbidDumps()
        if settings.vaults.unsafeKDF != nil {
            logger.warning(
                "UNSAFE: unsafe.kdf.memory is set; passwords of a new store can be guessed quickly. For tests only.")
        }
        let www = try settings.wwwPath ?? Page.defaultFolder()
        let service = try await VaultService.start(settings.vaults, logger: logger)
        do {
            try await serve(service, www: www)
        } catch {
            try? await service.shutdown()
            throw error
        }
        try await service.shutdown()
    }

    private func serve(_ service: VaultService, www: String) async throws {
        let server = try WebServer(
            service: service,
            configuration: WebConfiguration(
                wwwPath: www, hostNames: settings.hostNames, version: Version.text, plainHTTP: .allow),
            logger: logger)
        let announcement = Announcement(
            expected: settings.listen.count, setupCode: service.setupCode, settings: settings)
        let listeners = try settings.listen.map { address in
            try server.listener(host: address.host, port: address.port) { bound in
                announcement.listening(on: address, port: bound?.port)
            }
        }
        let services: [any Service] = [DailyWork(service: service)] + listeners + [Draining(service: service)]
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.drain
        try await ServiceGroup(configuration: configuration).run()
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

/// Copies of the ledger, expiry, the reserve: once a day.
struct DailyWork: Service {
    let service: VaultService

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(86_400))
                await service.runDailyWork()
            }
        }
    }
}

/// Stops first: from then on health says that the daemon is going, and nothing new is opened.
struct Draining: Service {
    let service: VaultService

    func run() async throws {
        try? await gracefulShutdown()
        service.beginDraining()
    }
}
