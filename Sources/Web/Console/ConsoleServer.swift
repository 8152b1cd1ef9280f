import HTTPTypes
import Hummingbird
package import Listener
package import Logging
import NIOCore
import Records
package import Vaults

/// What the host's own programs may look at: `/metrics`, `/health`, `/status`. For listeners on loopback or a socket
/// file, never for those of the page.
package struct ConsoleServer: Sendable {
    /// Answers one request of a connection.
    package let responder: PeerConnection.Responder

    /// - Parameters:
    ///   - actions: what the owner may do besides looking; nil on listeners that others of this host reach
    ///   - figures: of the moment; asked for every answer
    package init(
        service: VaultService, version: String, actions: ConsoleActions? = nil,
        figures: @escaping @Sendable () async -> HostFigures, logger: Logger
    ) {
        let router = Router(context: WebContext.self)
        router.add(middleware: AnswerMiddleware())
        router.add(middleware: ConsoleMiddleware())
        let routes = RouteTable(router: router)
        HealthRoutes(version: version) { await service.health() }.add(to: routes)
        routes.on(.get, "/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: MetricsText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: MetricsText(await figures()).text)))
        }
        let isForKeeper = actions != nil
        routes.on(.get, "/status") { _, context in
            try Response(
                from: context.allowance, status: .ok,
                json: StatusPayload(await figures(), await service.health(), isForKeeper: isForKeeper))
        }
        if let actions {
            actions.add(to: routes)
            GuestSpaceRoutes(service: service).add(to: routes)
            ImportRoutes(service: service, access: Access(service: service)).add(to: routes)
        }
        routes.refuseOtherMethods()
        responder = router.buildResponder().answeringPeers(logger: logger)
    }
}

/// Refuses everybody who is not of this host.
struct ConsoleMiddleware: RouterMiddleware {
    private let access = ConsoleAccess()

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        try access.check(
            remote: context.remote, local: context.local, host: request.head.authority, fields: request.headers)
        context.allowance.admit(as: .host)
        return try await next(request, context)
    }
}

/// Who may look at figures of the host: programs on the host itself, at its own hand.
///
/// The console is listened to on loopback or a socket file only. That alone keeps neither a proxy of this host from
/// handing it on, whose connections come from here too, nor a page that a browser of this host has open: it reaches
/// loopback under a name of its own.
struct ConsoleAccess {
    private let hosts = HostAllowList(configured: [], hostname: nil)

    /// - Parameter host: what the request calls this host.
    /// - Throws: `notFound` for those from elsewhere, `wrongHost`, `crossSite` for pages of browsers.
    func check(remote: ClientAddress, local: ClientAddress, host: String?, fields: HTTPFields) throws(WebError) {
        guard remote.isLoopback, local.isLoopback, !ProxySigns.areIn(fields, host: host) else {
            throw .notFound
        }
        guard hosts.allows(host: host, local: local) else { throw .wrongHost }
        guard !fields.contains(.origin), fields[.secFetchSite] ?? "none" == "none" else { throw .crossSite }
    }
}
