import Bytes
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport

@testable import Records
@testable import Web

/// Where a browser stands, as the host sees it.
struct Place: Sendable {
    var remote = ClientAddress.unixSocket
    var local = ClientAddress.unixSocket
    /// What it has in its address bar, without the scheme.
    var host = "localhost"
    var isSecure = false

    /// At the host itself.
    static let host = Place()
    /// On another device of the network.
    static let lan = Place(
        remote: .ip(.ipv4(192, 168, 1, 30)), local: .ip(.ipv4(192, 168, 1, 20)), host: "192.168.1.20:8080")
    static let secureLAN = Place(remote: lan.remote, local: lan.local, host: lan.host, isSecure: true)

    var origin: String { (isSecure ? "https://" : "http://") + host }
}

/// Sends requests as a page of ours would, without a socket, and keeps the cookies.
final class Browser: Sendable {
    private let router: RouterResponder<WebContext>
    private let place: Place
    private let cookies = Mutex<[String: String]>([:])
    /// How often a request has waited for another turn.
    let turns = Counter()

    init(router: RouterResponder<WebContext>, place: Place) {
        self.router = router
        self.place = place
    }

    /// All cookies it has, as it sends them.
    var cookieField: String { cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") } }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> Answer {
        try await send(method, uri, headers: headers, bytes: body.map { Array($0.utf8) })
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], bytes: [UInt8]?, takesBody: Bool = true
    ) async throws -> Answer {
        var headers = headers
        let cookie = cookieField
        if !cookie.isEmpty, headers[.cookie] == nil { headers[.cookie] = cookie }
        if headers[.secFetchSite] == nil { headers[.secFetchSite] = "same-origin" }
        let answer = try await exchange(method, uri, headers: headers, bytes: bytes, takesBody: takesBody)
        for field in answer.headers[values: .setCookie] { keep(field) }
        return answer
    }

    /// Sends these fields and no others.
    /// - Parameter takesBody: false for a browser that is gone once it has the head
    func exchange(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields, bytes: [UInt8]? = nil, takesBody: Bool = true
    ) async throws -> Answer {
        var headers = headers
        if let bytes { headers[.contentLength] = "\(bytes.count)" }
        let head = HTTPRequest(
            method: method, scheme: place.isSecure ? "https" : "http", authority: place.host, path: uri,
            headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes ?? [])))
        // Of a channel that is not connected the daemon takes the other side for gone.
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let context = WebContext(
            source: .init(
                channel: channel, remote: place.remote, local: place.local,
                isSecure: place.isSecure, host: place.host, waitForTurn: { [turns] in turns.add() },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let response = try await router.respond(to: request, context: context)
        let body = Collector()
        if takesBody { try await response.body.write(body) }
        return Answer(response, body: body.bytes.withLock { $0 })
    }

    /// Creates the vault of `WebHost.password` and stays in it.
    func createVault() async throws {
        let password = WebHost.password
        _ = try await send(
            .post, "/api/vaults", body: "{\"password\":\"\(password)\",\"confirmation\":\"\(password)\"}")
    }

    /// Sends a photo that is nobody's duplicate: its bytes say its name; its id.
    func upload(_ name: String) async throws -> String { try await upload(name, Array("photo \(name)".utf8)) }

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

/// Takes an answer's body.
private final class Collector: ResponseBodyWriter {
    let bytes = Mutex(ByteBuffer())

    func write(_ buffer: ByteBuffer) {
        bytes.withLock { _ = $0.writeImmutableBuffer(buffer) }
    }

    func finish(_ trailingHeaders: HTTPFields?) {}
}
