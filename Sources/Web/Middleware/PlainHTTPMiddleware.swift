import HTTPTypes
import Hummingbird

/// Keeps what other devices send unencrypted away from everything but the way to the secure address. No cookie and no
/// password of such a request is looked at, and none is given.
struct PlainHTTPMiddleware: RouterMiddleware {
    private let landing: Landing
    private let rule: PlainHTTPRule

    init(landing: Landing) {
        self.landing = landing
        rule = PlainHTTPRule(
            open: landing.addresses.union(HealthRoutes.addresses).union(CertificateRoutes.addresses))
    }

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard !context.isSecure && !context.isLocalPeer else { return try await next(request, context) }
        let decision = rule.decision(
            method: request.method, target: request.head.path ?? "", host: request.head.authority ?? "",
            hasCredentials: request.headers[.authorization] != nil)
        switch decision {
        case .landing: return try landing.page.answer(request)
        case .serve: return try await next(request.withoutCookies, context)
        case .redirect(let address): return Response(status: .permanentRedirect, headers: [.location: address])
        case .refuse: throw WebError.tlsRequired
        }
    }
}

extension Request {
    fileprivate var withoutCookies: Request {
        var head = head
        head.headerFields[.cookie] = nil
        return Request(head: head, body: body)
    }
}
