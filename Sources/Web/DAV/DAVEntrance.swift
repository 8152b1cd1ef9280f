import Bytes
import HTTPTypes
import Hummingbird
import NIOCore

/// What the root says of itself to programs for WebDAV: that it is a folder, in which the tree lies.
enum DAVEntrance {
    /// - Throws: `Spent` where the answer has as much as the request may be answered.
    static func properties(
        _ query: PropertyQuery, withTree: Bool, from allowance: Allowance
    ) throws(Allowance.Spent) -> Response {
        let text = (["/", "/dav/"].prefix(withTree ? 2 : 1)).map { response(to: query, at: PageBase.current + $0) }
            .joined()
        try allowance.take(.answer, text.utf8.count)
        return DAVMultistatus.answer(
            ResponseBody(byteBuffer: ByteBuffer(string: DAVMultistatus.start + text + DAVMultistatus.end)))
    }

    private static func response(to query: PropertyQuery, at href: String) -> String {
        let kind = XMLName.dav("resourcetype")
        let known = DAVMultistatus.element(kind, "<D:collection/>")
        switch query {
        case .all: return DAVMultistatus.response(href, [(.ok, [known])])
        case .names: return DAVMultistatus.response(href, [(.ok, [DAVMultistatus.element(kind, nil)])])
        case .some(let names):
            let missing = names.filter { $0 != kind }.map { DAVMultistatus.element($0, nil) }
            return DAVMultistatus.response(
                href, [(.ok, names.contains(kind) ? [known] : []), (.notFound, missing)])
        }
    }
}

/// How deep a PROPFIND looks (RFC 4918, 10.2); without the field, to the bottom.
enum DAVDepth {
    case zero
    case one
    case infinity

    /// - Throws: `malformedRequest`.
    init(of request: Request) throws(WebError) {
        switch request.headers[.depth]?.lowercased() {
        case "0": self = .zero
        case "1": self = .one
        case "infinity", nil: self = .infinity
        default: throw .malformedRequest("Depth is 0, 1 or infinity")
        }
    }
}
