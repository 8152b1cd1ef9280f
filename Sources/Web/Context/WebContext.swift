import Bytes
import HTTPTypes
package import Hummingbird
import Listener
package import Logging
package import NIOCore
package import Records

/// A request's surroundings: the connection it came by.
package struct WebContext: RequestContext {
    package typealias Source = Connection

    package var coreContext: CoreRequestContextStorage
    /// Who asks: the connection's other end, or whom a trusted proxy there has seen.
    package let remote: ClientAddress
    /// This end of the connection.
    package let local: ClientAddress
    /// Whether what the client sends is encrypted.
    package let isSecure: Bool
    /// Somebody is at a door with what others may read: only a door whose owner wants that takes it.
    var isReadableVisit = false
    /// The link-layer address of `remote`, where that is known to be a device on one of this host's links.
    package let neighbour: [UInt8]?
    /// What the configuration lacks for the proxy that handed this on.
    let proxyGap: ProxyGap?
    /// Where the browser keeps the cookies that it sends here.
    package let cookiePlace: SessionCookie.Place
    let channel: any Channel
    /// What the request may take. It grows with the right that the request shows, see `Access`.
    let allowance = Allowance(.nobody)
    /// To be called when the request has shown an open vault.
    let noteVault: @Sendable () -> Void
    /// To be called before each further upload of the request, which costs what a request by itself does.
    let waitForTurn: @Sendable () async throws -> Void

    package init(source: Connection) {
        coreContext = .init(source: source)
        channel = source.channel
        remote = source.remote
        local = source.local
        isSecure = source.isSecure
        neighbour = source.neighbour
        proxyGap = source.proxyGap
        cookiePlace = SessionCookie.Place(isSecure: source.isSecure, host: source.host)
        noteVault = source.noteVault
        waitForTurn = source.waitForTurn
        // Lines about one request can be told from those about others; Hummingbird's `id` ends the program without it.
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
    }

    /// The other end is a program on this very host.
    var isLocalPeer: Bool { remote.isLoopback }

    /// Where each device has addresses of its own.
    var isOnLink: Bool { neighbour != nil || remote.sharesLink(with: local) }
}

extension WebContext {
    /// What a request's surroundings are made of.
    package struct Connection: RequestContextSource {
        package let channel: any Channel
        package let remote: ClientAddress
        package let local: ClientAddress
        package let isSecure: Bool
        package let neighbour: [UInt8]?
        /// What the client calls this host, with the port.
        package let host: String?
        package let noteVault: @Sendable () -> Void
        package let waitForTurn: @Sendable () async throws -> Void
        package let logger: Logger
        fileprivate var proxyGap: ProxyGap?

        package init(
            channel: any Channel, remote: ClientAddress, local: ClientAddress, isSecure: Bool,
            neighbour: [UInt8]? = nil, host: String? = nil, noteVault: @escaping @Sendable () -> Void = {},
            waitForTurn: @escaping @Sendable () async throws -> Void = {}, logger: Logger
        ) {
            self.channel = channel
            self.remote = remote
            self.local = local
            self.isSecure = isSecure
            self.neighbour = neighbour
            self.host = host
            self.noteVault = noteVault
            self.waitForTurn = waitForTurn
            self.logger = logger
        }

        /// - Parameter proxies: whose word about the client is believed
        init(_ connection: PeerConnection, request: Request, proxies: TrustedProxies, logger: Logger) {
            let channel = connection.channel
            let local = ClientAddress(channel.localAddress)
            // Peers of a unix socket mostly have no name; the socket's own end says what it is.
            let remote = local == .unixSocket ? local : ClientAddress(channel.remoteAddress)
            // The listener writes the scheme down from the connection's first byte, whatever the target says.
            let origin = proxies.origin(
                peer: remote, isSecure: request.head.scheme == "https",
                forwardedFor: request.headers[values: .xForwardedFor],
                forwardedProtocol: request.headers[values: .xForwardedProto],
                isHandedOn: ProxySigns.areIn(request.headers, host: request.head.authority))
            // A proxy's clients are no more one device than those of a router.
            let isDirect = origin.client == remote && !remote.isLoopback
            self.init(
                channel: channel, remote: origin.client, local: local, isSecure: origin.isSecure,
                neighbour: isDirect ? connection.neighbour : nil, host: request.head.authority,
                noteVault: connection.noteVault, waitForTurn: connection.waitForTurn, logger: logger)
            proxyGap = origin.gap
        }
    }
}

extension ClientAddress {
    /// A peer that is gone before its address was asked for counts as a stranger, never as this host.
    static let unknown = ClientAddress.ip(.unspecified)

    init(_ address: SocketAddress?) {
        switch address {
        case .unixDomainSocket: self = .unixSocket
        case .some(let address): self = IPAddress(address).map { .ip($0) } ?? .unknown
        case nil: self = .unknown
        }
    }

    fileprivate func sharesLink(with other: ClientAddress) -> Bool {
        guard case .ip(let address) = self, case .ip(let other) = other else { return false }
        return address.sharesLink(with: other)
    }
}

/// The routes of the router, remembered by path, so that a known path answers 405 to the methods it does not take.
final class RouteTable {
    typealias Handler = @Sendable (Request, WebContext) async throws -> Response

    /// All methods that some route takes.
    static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options] + WebDAVMethods.all

    private let router: Router<WebContext>
    private var methodsByPath: [String: [HTTPRequest.Method]] = [:]

    init(router: Router<WebContext>) {
        self.router = router
    }

    /// Adds a route; one for GET answers HEAD too, with the same header.
    func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        methodsByPath[path, default: []].append(method)
        router.on(RouterPath(path), method: method, use: handler)
        guard method == .get else { return }
        methodsByPath[path, default: []].append(.head)
        router.on(RouterPath(path), method: .head) { request, context in
            try await handler(request, context).createHeadResponse()
        }
    }

    /// A tree of addresses of any depth, whose handler knows all methods, those of WebDAV as well.
    func onTree(_ path: String, _ handler: @escaping Handler) {
        for method in Self.methods {
            router.on(RouterPath(path), method: method, use: handler)
            router.on(RouterPath(path + "/**"), method: method, use: handler)
        }
    }

    /// To be called after the last route.
    func refuseOtherMethods() {
        for (path, allowed) in methodsByPath {
            for method in Self.methods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw WebError.methodNotAllowed(allowed: allowed)
                }
            }
        }
    }
}

extension RouterResponder<WebContext> {
    /// For listeners on which nobody speaks for others: whoever is at the other end of a connection asks for itself.
    func answeringPeers(logger: Logger) -> PeerConnection.Responder {
        { request, writer, connection in
            let source = WebContext.Connection(connection, request: request, proxies: .none, logger: logger)
            let response = try await respond(to: request, context: WebContext(source: source))
            try await writer.write(response: response.head, body: response.body)
        }
    }
}

extension WebContext {
    /// An answer in JSON.
    /// - Throws: `Spent` where it is longer than the request may be answered.
    func answer(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: try ByteBuffer(from: allowance, json: value)))
    }
}
