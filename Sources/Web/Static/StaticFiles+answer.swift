import HTTPTypes
import Hummingbird

extension StaticFiles.File {
    /// The page's files alone are sent packed: nothing in them is secret, so their length tells nobody anything.
    func answer(_ request: Request) throws -> Response {
        guard request.method == .get || request.method == .head else {
            throw WebError.methodNotAllowed(allowed: [.get, .head])
        }
        let isPacked = packed != nil && GzipEncoding.isWanted(by: request.headers[.acceptEncoding])
        let chosen = isPacked ? packed ?? plain : plain
        var headers: HTTPFields = [.entityTag: chosen.entityTag, .cacheControl: "no-cache"]
        if packed != nil { headers[.vary] = "Accept-Encoding" }
        if request.headers[.ifNoneMatch] == chosen.entityTag {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = contentType
        if isPacked { headers[.contentEncoding] = "gzip" }
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: chosen.bytes))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
