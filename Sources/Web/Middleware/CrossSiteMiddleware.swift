import HTTPTypes
import Hummingbird

/// Refuses requests that a page of another site may have caused, and bodies that are not what they seem.
struct CrossSiteMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        switch CrossSiteProof(request, context).verdict {
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
    init(_ request: Request, _ context: WebContext) {
        self.init(
            isSafeMethod: [.get, .head, .options].contains(request.method),
            fetchSite: request.headers[.secFetchSite], origin: request.headers[.origin],
            host: request.head.authority, isSecure: context.isSecure, hasCookie: request.headers[.cookie] != nil,
            contentType: request.headers[.contentType],
            hasBody: request.hasBody)
    }
}

extension Request {
    /// Whether a body of at least one byte was announced.
    var hasBody: Bool { headers[.transferEncoding] != nil || (declaredByteCount ?? 0) > 0 }

    /// `Content-Length`, if the body was announced by one.
    var declaredByteCount: UInt64? { headers[.contentLength].flatMap { UInt64($0) } }
}
