import FoundationEssentials
import Listener
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Vaults

@testable import Certificates
@testable import Content
@testable import Web

/// A real service on a fresh data folder, with a cheap key derivation.
struct TestHost {
    static let password = "seven wooden lamps"

    let folder: String
    let service: VaultService
    let server: WebServer
    private let logger: Logger

    /// The page, as far as the tests look at it.
    static let www = [
        "index.html": "<!DOCTYPE html>", "js/main.js": "export {}", ".secret": "no",
        "connect.html": "<link href=\"/css/page.css\"><script src='/js/connect.js'></script><a href=\"/index.html\">",
        "js/connect.js": "import { t } from \"./words.js\"; import(`../i18n/${t}.js`)", "js/words.js": "export {}",
        "i18n/en.js": "export {}", "i18n/zh.js": "export {}", "css/page.css": "a { background: url(../lamp.svg#on) }",
        "lamp.svg": "<svg/>", "js/long.js": String(repeating: "export {}\n", count: 100),
    ]

    static let authority = CertificateFacts(
        kind: .authority, name: "Safelight on darkroom", der: [0x30, 1, 2], fingerprint: .init(bytes: Array(0..<32)),
        notAfter: Date(timeIntervalSince1970: 2_000_000_000))
    static let addresses = ["http://darkroom.local:8080/", "http://192.168.1.20:8080/"]

    /// Runs `body` with a host of its own, which is gone afterwards.
    static func run(
        fileByteCount: UInt64 = 64 << 30, listByteCount: Int = 192 << 20, limits: WebLimits = .init(),
        plainHTTP: WebConfiguration.PlainHTTP = .landing, certificate: CertificateFacts? = authority,
        _ body: (TestHost) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path() + "safelight-web-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try writePage(to: folder + "/www")
        var configuration = VaultConfiguration(dataPath: folder + "/data")
        configuration.coversLittle = true
        configuration.commonPasswordsPath = commonPasswordsPath
        configuration.registration = .open
        configuration.limits.fileByteCount = fileByteCount
        configuration.limits.listByteCount = listByteCount
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = try await VaultService.start(configuration, logger: logger)
        let web = WebConfiguration(
            wwwPath: folder + "/www", hostNames: ["photos.example"], hostname: "darkroom", version: "1.2.3",
            plainHTTP: plainHTTP, certificate: { certificate }, addresses: { addresses }, reached: { true },
            limits: limits)
        let server = try WebServer(service: service, configuration: web, logger: logger)
        do {
            try await body(TestHost(folder: folder, service: service, server: server, logger: logger))
        } catch {
            try await service.shutdown()
            throw error
        }
        try await service.shutdown()
    }

    private static func writePage(to folder: String) throws {
        for name in ["/js", "/css", "/i18n"] {
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
            endpoint: endpoint, tls: try SelfSigned(), limits: limits, limiter: ConnectionLimiter(limits: limits),
            logger: logger, responder: server.responder, onListening: { bound.yield($0?.port ?? 0) })
        let group = ServiceGroup(configuration: .init(services: [listener], logger: logger))
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
