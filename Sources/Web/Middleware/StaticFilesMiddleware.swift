import HTTPTypes
import Hummingbird

/// Answers with the page's files, which were read at start; other addresses go on to the routes.
struct StaticFilesMiddleware: RouterMiddleware {
    let files: StaticFiles

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard let file = files[request.uri.path] else { return try await next(request, context) }
        return try file.answer(request)
    }
}

extension StaticFiles.File {
    func answer(_ request: Request) throws -> Response {
        guard request.method == .get || request.method == .head else {
            throw WebError.methodNotAllowed(allowed: [.get, .head])
        }
        var headers: HTTPFields = [.entityTag: entityTag, .cacheControl: "no-cache"]
        if request.headers[.ifNoneMatch] == entityTag {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = contentType
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
