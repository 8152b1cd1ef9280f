import HTTPTypes
import Hummingbird

/// Refuses requests that a page of another site may have caused, and bodies that are not what they seem.
struct CrossSiteMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        switch CrossSiteProof(request).verdict {
        case .allowed: break
        case .crossSite: throw WebError.crossSite
        case .simpleContentType: throw WebError.unsupportedMediaType
        }
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw WebError.unsupportedContentEncoding
        }
        return try await next(request, context)
    }
}

extension CrossSiteProof {
    init(_ request: Request) {
        self.init(
            isSafeMethod: [.get, .head, .options].contains(request.method),
            fetchSite: request.headers[.secFetchSite], origin: request.headers[.origin],
            host: request.head.authority, hasCookie: request.headers[.cookie] != nil,
            contentType: request.headers[.contentType],
            hasBody: request.headers[.transferEncoding] != nil || (request.declaredByteCount ?? 0) > 0)
    }
}

extension Request {
    /// `Content-Length`, if the body was announced by one.
    var declaredByteCount: UInt64? { headers[.contentLength].flatMap { UInt64($0) } }
}
