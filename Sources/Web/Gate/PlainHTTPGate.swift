import HTTPTypes
import Hummingbird

/// Keeps what other devices send unencrypted away from everything but the way to the secure address, and from doors whose
/// owners do not want it. No password of such a request is looked at, and no cookie but that of somebody at a door.
struct PlainHTTPGate: Sendable {
    private let landing: Landing
    private let rule: PlainHTTPRule

    init(landing: Landing) {
        self.landing = landing
        rule = PlainHTTPRule(
            open: landing.addresses.union(HealthRoutes.addresses).union(CertificateRoutes.addresses),
            openAtDoors: landing.addressesAtDoors)
    }

    /// - Returns: nil where the request goes on, without its cookies if it came unencrypted.
    func answer(_ request: inout Request, _ context: inout WebContext) throws -> Response? {
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
            request = request.withCookie(nil)
            return nil
        case .visit:
            let (fields, place) = (request.headers[values: .cookie], context.cookiePlace)
            request = request.withCookie(
                SessionCookie.visitor.value(in: fields, at: place).map {
                    "\(SessionCookie.visitor.name(at: place))=\($0)"
                })
            context.isReadableVisit = true
            return nil
        case .redirect(let address): return Response(status: .permanentRedirect, headers: [.location: address])
        case .refuse: throw WebError.tlsRequired
        }
    }
}

extension Request {
    fileprivate func withCookie(_ cookie: String?) -> Request {
        var head = head
        head.headerFields[.cookie] = cookie
        return Request(head: head, body: body)
    }
}
