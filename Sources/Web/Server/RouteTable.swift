import HTTPTypes
import Hummingbird

/// The routes of the router, remembered by path, so that a known path answers 405 to the methods it does not take.
final class RouteTable {
    typealias Handler = @Sendable (Request, WebContext) async throws -> Response

    /// All methods that some route takes.
    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

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
