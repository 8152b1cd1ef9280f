import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Vaults

@testable import Web

/// A real service on a fresh data folder, with a cheap key derivation.
struct TestHost {
    static let password = "seven wooden lamps"

    let folder: String
    let service: VaultService
    let server: WebServer
    private let logger: Logger

    /// Runs `body` with a host of its own, which is gone afterwards.
    static func run(
        fileByteCount: UInt64 = 64 << 30, limits: WebLimits = .init(), _ body: (TestHost) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path() + "safelight-web-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder + "/www/js", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in [("index.html", "<!DOCTYPE html>"), ("js/main.js", "export {}"), (".secret", "no")] {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/www/\(name)"))
        }
        var configuration = VaultConfiguration(dataPath: folder + "/data")
        configuration.registration = .open
        configuration.limits.fileByteCount = fileByteCount
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = try await VaultService.start(configuration, logger: logger)
        let web = WebConfiguration(
            wwwPath: folder + "/www", hostNames: ["photos.example"], hostname: "darkroom", version: "1.2.3",
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

    /// A client that speaks to the routes without a socket, from a socket file's address.
    func client<Result>(_ body: @Sendable (Browser) async throws -> Result) async throws -> Result {
        let application = Application(responder: server.router, server: server.builder, logger: logger)
        return try await application.test(.router) { client in try await body(Browser(client: client)) }
    }

    /// Listens on a free port of 127.0.0.1 while `body` runs; returns once every connection is finished.
    func listening(_ body: @Sendable (Int) async throws -> Void) async throws {
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let listener = try server.listener(host: "127.0.0.1", port: 0) { address in
            bound.yield(address?.port ?? 0)
        }
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

/// Sends requests as a page of ours would, and keeps the cookies.
final class Browser: Sendable {
    private let client: any TestClientProtocol
    private let cookies = Mutex<[String: String]>([:])

    init(client: any TestClientProtocol) {
        self.client = client
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> Answer {
        try await send(method, uri, headers: headers, bytes: body.map { Array($0.utf8) })
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], bytes: [UInt8]?
    ) async throws -> Answer {
        var headers = headers
        let cookie = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        if !cookie.isEmpty { headers[.cookie] = cookie }
        if headers[.secFetchSite] == nil { headers[.secFetchSite] = "same-origin" }
        let response = try await client.execute(
            uri: uri, method: method, headers: headers, body: bytes.map { ByteBuffer(bytes: $0) })
        for field in response.headers[values: .setCookie] { keep(field) }
        return Answer(response)
    }

    /// Creates the vault of `TestHost.password` and stays in it.
    func createVault() async throws {
        let password = TestHost.password
        _ = try await send(
            .post, "/api/vaults", body: "{\"password\":\"\(password)\",\"confirmation\":\"\(password)\"}")
    }

    /// Sends a photo; its id.
    func upload(_ name: String, _ bytes: [UInt8]) async throws -> String {
        try await send(.put, "/api/photos/\(PercentEncoding.encodeAttribute(name))", bytes: bytes).string("id")
    }

    private func keep(_ field: String) {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isExpired = field.contains("Max-Age=0")
        cookies.withLock { $0[String(pair[0])] = isExpired ? nil : String(pair[1]) }
    }
}

/// An answer, with its JSON at hand.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        bytes = Array(response.body.readableBytesView)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// A string at the top of the answer's object, or a sign that it is missing.
    func string(_ name: String) throws -> String {
        try json(Object.self).fields[name] ?? "(no \(name) in \(status) \(text))"
    }

    func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    private struct Object: Decodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var fields: [String: String] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                fields[key.stringValue] =
                    (try? container.decode(String.self, forKey: key))
                    ?? (try? container.decode(Int.self, forKey: key)).map(String.init)
                    ?? (try? container.decode(Bool.self, forKey: key)).map(String.init)
            }
        }
    }
}

/// A list of photos as the interface answers it.
struct PhotoList: Decodable {
    struct Photo: Decodable {
        let id: String?
        let name: String
        let size: Int?
        let error: String?
        let deletedAt: String?
    }

    let photos: [Photo]
    let cursor: String?
    var names: [String] { photos.map(\.name) }
}
