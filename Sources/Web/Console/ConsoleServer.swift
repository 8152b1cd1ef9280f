import HTTPTypes
import Hummingbird
package import Listener
package import Logging
import NIOCore
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
        routes.on(.get, "/status") { _, _ in
            try Response(status: .ok, json: StatusPayload(await figures(), await service.health()))
        }
        if let actions {
            actions.add(to: routes)
            GuestSpaceRoutes(service: service).add(to: routes)
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
        return try await next(request, context)
    }
}
