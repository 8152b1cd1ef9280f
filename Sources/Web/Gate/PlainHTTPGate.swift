import HTTPTypes
import Hummingbird

/// Keeps what other devices send unencrypted away from everything but the way to the secure address. No cookie and no
/// password of such a request is looked at, and none is given.
struct PlainHTTPGate: Sendable {
    private let landing: Landing
    private let rule: PlainHTTPRule

    init(landing: Landing) {
        self.landing = landing
        rule = PlainHTTPRule(
            open: landing.addresses.union(HealthRoutes.addresses).union(CertificateRoutes.addresses))
    }

    /// - Returns: nil where the request goes on, without its cookies if it came unencrypted.
    func answer(_ request: inout Request, _ context: WebContext) throws -> Response? {
        guard !context.isSecure && !context.isLocalPeer else { return nil }
        let decision = rule.decision(
            method: request.method, target: request.head.path ?? "", host: request.head.authority ?? "",
            hasCredentials: request.headers.contains(.authorization))
        if let gap = context.proxyGap, decision != .serve {
            // It leads nowhere: the client may be at `https` already.
            if decision == .refuse { throw WebError.proxyIncomplete(gap) }
            return ProxyPage.answer(gap)
        }
        switch decision {
        case .landing: return try landing.page.answer(request)
        case .serve:
            request = request.withoutCookies
            return nil
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
