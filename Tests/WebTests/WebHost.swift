import FoundationEssentials
import HostSupport
import Listener
import ListenerSupport
import Logging
import NIOCore
import ServiceLifecycle
import Vaults

@testable import Certificates
@testable import Web

/// A host with the web application in front of its vault service.
struct WebHost {
    static let password = "seven wooden lamps"

    let folder: String
    let service: VaultService
    let server: WebServer

    private static let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

    /// The page, as far as the tests look at it.
    static let www = [
        "index.html": "<!DOCTYPE html>", "js/main.js": "export {}", ".secret": "no",
        "connect.html": "<link href=\"/css/page.css\"><script src='/js/connect.js'></script><a href=\"/index.html\">",
        "js/connect.js": "import { t } from \"./words.js\"; import(`../i18n/${t}.js`)", "js/words.js": "export {}",
        "i18n/en.js": "export {}", "i18n/zh.js": "export {}", "css/page.css": "a { background: url(../lamp.svg#on) }",
        "give/index.html": "<script src='/js/give.js'></script>", "js/give.js": "export {}",
        "lamp.svg": "<svg/>", "js/long.js": String(repeating: "export {}\n", count: 100),
    ]

    static let authority = CertificateFacts(
        kind: .authority, name: "Safelight on darkroom", der: [0x30, 1, 2], fingerprint: .init(bytes: Array(0..<32)),
        notAfter: Date(timeIntervalSince1970: 2_000_000_000))
    static let addresses = ["http://darkroom.local:8080/", "http://192.168.1.20:8080/"]

    /// Runs `body` with a host of its own, which is gone afterwards.
    static func run(
        fileByteCount: UInt64 = 64 << 30, listByteCount: Int = 192 << 20, windowBytesPerDay: UInt64 = 64 << 30,
        limits: WebLimits = .init(),
        plainHTTP: WebConfiguration.PlainHTTP = .landing, certificate: CertificateFacts? = authority,
        _ body: (WebHost) async throws -> Void
    ) async throws {
        let host = try TestHost { configuration in
            configuration.registration = .open
            configuration.limits.fileByteCount = fileByteCount
            configuration.limits.listByteCount = listByteCount
            configuration.limits.windowBytesPerDay = windowBytesPerDay
        }
        try writePage(to: host.folder.path + "/www")
        let web = WebConfiguration(
            wwwPath: host.folder.path + "/www", hostNames: ["photos.example"], hostname: "darkroom", version: "1.2.3",
            plainHTTP: plainHTTP, certificate: { certificate }, addresses: { addresses }, reached: { true },
            limits: limits)
        let service = try await host.start()
        let server = try WebServer(service: service, configuration: web, logger: logger)
        do {
            try await body(WebHost(folder: host.folder.path, service: service, server: server))
        } catch {
            try await host.stop()
            throw error
        }
        try await host.stop()
    }

    private static func writePage(to folder: String) throws {
        for name in ["/js", "/css", "/i18n", "/give"] {
            try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
        }
        for (name, text) in www { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
    }

    /// A browser without cookies.
    func browser(at place: Place = .host) -> Browser { Browser(router: server.router, place: place) }

    /// A browser at the host itself.
    func client<Result>(_ body: (Browser) async throws -> Result) async throws -> Result {
        try await body(browser())
    }

    /// Listens while `body` runs; returns once every connection is finished.
    /// - Parameter body: is given the port, where there is one
    func listening(
        on endpoint: Endpoint = .tcp(host: "127.0.0.1", port: 0), limits: ListenerLimits = .unhurried,
        _ body: @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let listener = Listener(
            endpoint: endpoint, tls: TestTLS.ready, limits: limits, limiter: ConnectionLimiter(limits: limits),
            logger: Self.logger, responder: server.responder, onListening: { bound.yield($0?.port ?? 0) })
        let group = ServiceGroup(configuration: .init(services: [listener], logger: Self.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                try await body(port)
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
