import HTTPTypes
import Hummingbird

/// Answers with the page's files, which were read at start; other addresses go on to the routes.
struct StaticFilesMiddleware: RouterMiddleware {
    let files: StaticFiles

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard let file = files[request.uri.path] else { return try await next(request, context) }
        guard request.method == .get || request.method == .head else {
            throw WebError.methodNotAllowed(allowed: [.get, .head])
        }
        var headers: HTTPFields = [.entityTag: file.entityTag, .cacheControl: "no-cache"]
        if request.headers[.ifNoneMatch] == file.entityTag {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.contentType
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
