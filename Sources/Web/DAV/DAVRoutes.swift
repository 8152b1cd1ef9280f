import Bytes
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vaults

/// WebDAV of classes 1 and 2 (RFC 4918) below `/dav/`, for phones that save their photos by themselves, and for file
/// managers.
struct DAVRoutes {
    static let allowed =
        "OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, MOVE, COPY, LOCK, UNLOCK"

    let access: Access

    func add(to routes: RouteTable) {
        routes.onTree("/dav", answer)
        for method in WebDAVMethods.above { routes.on(method, "/", answerAbove) }
    }

    /// Windows looks at the root of a host before it looks at an address below it, and takes a host that does not know
    /// PROPFIND there for none with WebDAV. Anybody may know that there is a tree.
    @Sendable private func answerAbove(_ request: Request, _ context: WebContext) async throws -> Response {
        do {
            if request.method == .options { return Self.options(allowed: "OPTIONS, GET, HEAD, PROPFIND") }
            let depth = try DAVDepth(of: request)
            let query = try PropertyQuery(try await request.xmlBody(context))
            guard depth != .infinity else { throw DAVRefusal.infiniteDepth }
            return try DAVEntrance.properties(query, withTree: depth == .one, from: context.allowance)
        } catch let refusal as DAVRefusal {
            return refusal.response
        }
    }

    /// The one place where credentials become a view of the tree. Cookies do not count: whoever comes by WebDAV sends the
    /// password with each request, and a page has addresses of its own.
    private func tree(for request: Request, _ context: WebContext) async throws -> DAVTree {
        try DAVTree(
            try await access.passwordOrCodeSession(of: request, context), from: context.allowance)
    }

    @Sendable private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        do {
            // Asked before anybody has typed a password; it tells what is in the documents.
            if request.method == .options { return Self.options(allowed: Self.allowed) }
            let tree = try await tree(for: request, context)
            let path = try DAVPath(of: request)
            try tree.requireMay(request.method, path)
            return try await answer(request, context, tree, try await tree.canonical(path))
        } catch let refusal as DAVRefusal {
            return request.method == .head ? refusal.response.createHeadResponse() : refusal.response
        }
    }

    private func answer(
        _ request: Request, _ context: WebContext, _ tree: DAVTree, _ path: DAVPath
    ) async throws -> Response {
        switch request.method {
        case .get: return try await DAVReading(tree: tree).get(path, request)
        case .head: return try await DAVReading(tree: tree).get(path, request).createHeadResponse()
        case .propfind: return try await DAVReading(tree: tree).properties(of: path, request, context)
        case .put: return try await DAVUpload(tree: tree, path: path, request: request).answer()
        default: break
        }
        let change = DAVChange(tree: tree, path: path, request: request)
        switch request.method {
        case .delete: return try await change.delete()
        case .mkcol: return try await change.makeFolder()
        case .move: return try await change.move(isCopy: false)
        case .copy: return try await change.move(isCopy: true)
        case .proppatch: return try await change.setProperties(try await request.xmlBody(context))
        case .lock: return try await change.lock(try await request.xmlBody(context))
        case .unlock: return try await change.unlock()
        default: throw DAVRefusal(status: .methodNotAllowed, title: "This address does not take that method.")
        }
    }

    private static func options(allowed: String) -> Response {
        Response(status: .ok, headers: [.dav: "1, 2", .allow: allowed, .msAuthorVia: "DAV", .contentLength: "0"])
    }
}

extension HTTPField.Name {
    static let dav = known("DAV")
    static let msAuthorVia = known("MS-Author-Via")
    static let depth = known("Depth")
    static let destination = known("Destination")
    static let overwrite = known("Overwrite")
    static let ifCondition = known("If")
    static let lockToken = known("Lock-Token")
    static let timeout = known("Timeout")
    static let ownCloudTime = known("X-OC-Mtime")
}

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
