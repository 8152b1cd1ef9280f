import HTTPTypes
import Hummingbird

/// Puts the version of tus on every answer about uploads, errors included, as tus asks.
struct TusMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let path = request.uri.path
        if path == "/api/uploads" || path.hasPrefix("/api/uploads/") {
            response.headers[.tusResumable] = TusProtocol.version
        }
        return response
    }
}
