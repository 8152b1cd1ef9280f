import HTTPTypes
import Hummingbird

extension CrossSiteProof {
    /// Refuses requests that a page of another site may have caused, and bodies that are not what they seem.
    static func check(_ request: Request, _ context: WebContext) throws {
        switch CrossSiteProof(request, context).verdict {
        case .allowed: break
        case .crossSite: throw WebError.crossSite
        case .simpleContentType: throw WebError.unsupportedMediaType
        }
        if let encoding = request.field(.contentEncoding), encoding.lowercased() != "identity" {
            throw WebError.unsupportedContentEncoding
        }
    }

    private static let safeMethods: [HTTPRequest.Method] = [.get, .head, .options]

    private init(_ request: Request, _ context: WebContext) {
        self.init(
            isSafeMethod: Self.safeMethods.contains(request.method), fetchSite: request.field(.secFetchSite),
            origin: request.field(.origin), host: request.head.authority, isSecure: context.isSecure,
            hasCookie: request.headers.contains(.cookie), contentType: request.field(.contentType),
            hasBody: request.hasBody)
    }
}
