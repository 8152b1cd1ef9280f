import HTTPTypes
import Hummingbird
import Listener
import Logging

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
