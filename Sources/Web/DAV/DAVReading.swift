import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vaults
import XML

/// GET, HEAD and PROPFIND.
struct DAVReading {
    private static let longestPart = 32 << 10

    let tree: DAVTree

    func get(_ path: DAVPath, _ request: Request) async throws -> Response {
        guard let node = try await tree.node(at: path) else { throw WebError.notFound }
        guard let tag = node.entityTag else {
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: "A folder. Programs for WebDAV show what is in it.\n")))
        }
        let known = request.tags(.ifNoneMatch)
        if known.contains(where: { $0 == tag || $0 == "W/" + tag || $0 == "*" }) {
            return Response(status: .notModified, headers: [.entityTag: tag])
        }
        switch node {
        case .photo where tree.sendsOnly && request.method == .get: throw VaultError.onlySends
        case .taken(let sent):
            guard request.method == .head else { throw VaultError.onlySends }
            return Response(
                status: .ok,
                headers: [.contentType: sent.type, .contentLength: String(sent.byteCount), .entityTag: tag])
        case .photo(let photo):
            tree.memory.noteLook(at: path, photo.id)
            let original = try await tree.session.photos.original(photo.id)
            var headers = OriginalRoutes.headers(for: original.photo, asDownload: true)
            headers[.entityTag] = tag
            return try OriginalRoutes.answer(request, &headers, original, part: 0..<original.byteCount)
        case .empty:
            return Response(status: .ok, headers: [.contentType: "application/octet-stream", .entityTag: tag])
        case .forgotten, .folder: throw WebError.notFound
        }
    }

    /// - Throws: `infiniteDepth`.
    func properties(of path: DAVPath, _ request: Request, _ context: WebContext) async throws -> Response {
        let depth = try DAVDepth(of: request)
        let query = try PropertyQuery(try await request.xmlBody(context))
        guard let node = try await node(at: path) else { throw WebError.notFound }
        if case .photo(let photo) = node { tree.memory.noteLook(at: path, photo.id) }
        // Below a file there is nothing, however deep one looks.
        guard depth != .infinity || !node.isFolder else { throw DAVRefusal.infiniteDepth }
        let folder: DAVNode.Folder? = if depth == .one, case .folder(let folder) = node { folder } else { nil }
        if folder != nil { tree.memory.noteListing(of: path) }
        let answer = DAVMultistatus(tree: tree, storage: try await storage(for: query))
        // Before the answer has begun a refusal can still be said.
        let first = try answer.response(to: query, at: path, node)
        let body = ResponseBody { [tree, base = PageBase.current] writer in
            var part = DAVMultistatus.start + first
            if let folder {
                try await PageBase.$current.withValue(base) {
                    try await tree.forEachChild(of: folder, at: path) { children in
                        for child in children {
                            part += try answer.response(to: query, at: child.path, child.node)
                            guard part.utf8.count >= Self.longestPart else { continue }
                            try await writer.write(ByteBuffer(string: part))
                            part = ""
                        }
                    }
                }
            }
            try await writer.write(ByteBuffer(string: part + DAVMultistatus.end))
            try await writer.finish(nil)
        }
        return DAVMultistatus.answer(body)
    }

    /// Asked for only where it is wanted: it looks at the disk.
    private func storage(for query: PropertyQuery) async throws -> VaultStorage? {
        guard case .some(let names) = query, names.contains(where: LiveProperties.quota.contains), !tree.sendsOnly
        else {
            return nil
        }
        return try await tree.session.storage()
    }

    /// What a client sent to that address a moment ago counts there, wherever it stands: clients look whether it has come
    /// as it was.
    private func node(at path: DAVPath) async throws -> DAVNode? {
        if let sent = tree.memory.sentElsewhere(to: path), let node = try await tree.node(of: sent) { return node }
        return try await tree.node(at: path)
    }
}

typealias XMLName = XMLPullParser.Name

/// What a PROPFIND wants to know (RFC 4918, 14.20).
enum PropertyQuery: Equatable {
    case all
    case names
    /// Each once.
    case some([XMLName])

    static let most = 64
    /// Bytes that an answer has of names which none but the client knows: each row tells again that it has none of them.
    static let mostForeignBytes = 2048

    /// Nil stands for a request without a body, which asks for everything.
    init(_ body: XMLElement?) throws(DAVRefusal) {
        guard let body else {
            self = .all
            return
        }
        guard body.name == .dav("propfind") else { throw .malformed }
        let asked = body.elements.filter { [.dav("allprop"), .dav("propname"), .dav("prop")].contains($0.name) }
        guard asked.count == 1, let one = asked.first else { throw .malformed }
        switch one.name.local {
        case "allprop": self = .all
        case "propname": self = .names
        default: self = .some(try Self.distinct(one.elements.map(\.name)))
        }
    }

    private static func distinct(_ names: [XMLName]) throws(DAVRefusal) -> [XMLName] {
        var (seen, distinct, foreignByteCount) = (Set<XMLName>(), [XMLName](), 0)
        for name in names where seen.insert(name).inserted {
            distinct.append(name)
            if !LiveProperties.isLive(name) { foreignByteCount += DAVMultistatus.element(name, nil).utf8.count }
            guard distinct.count <= most, foreignByteCount <= mostForeignBytes else { throw .tooManyProperties }
        }
        return distinct
    }
}

/// The steps of a PROPPATCH (RFC 4918, 14.19), in their order.
struct PropertyUpdate {
    enum Step {
        case set(XMLElement)
        case remove(XMLName)

        var name: XMLName {
            switch self {
            case .set(let element): element.name
            case .remove(let name): name
            }
        }
    }

    private static let most = 64
    /// Of one property, written as XML, in bytes.
    static let longestValue = 16 << 10
    let steps: [Step]

    init(_ body: XMLElement?) throws(DAVRefusal) {
        guard let body, body.name == .dav("propertyupdate") else { throw .malformed }
        var steps: [Step] = []
        for part in body.elements where part.name == .dav("set") || part.name == .dav("remove") {
            for property in part.elements.filter({ $0.name == .dav("prop") }).flatMap(\.elements) {
                steps.append(part.name.local == "set" ? .set(property) : .remove(property.name))
            }
        }
        guard !steps.isEmpty else { throw .malformed }
        guard steps.count <= Self.most else { throw .tooManyProperties }
        self.steps = steps
    }
}

/// The lock that a LOCK asks for (RFC 4918, 14.11).
struct LockWish {
    private static let longestOwner = 2048
    let isShared: Bool
    /// XML, as the client gave it.
    let owner: String

    init(_ body: XMLElement, from allowance: Allowance) throws(DAVRefusal) {
        guard body.name == .dav("lockinfo"), body.first(.dav("locktype"))?.first(.dav("write")) != nil,
            let scope = body.first(.dav("lockscope"))?.elements.first?.name,
            scope == .dav("exclusive") || scope == .dav("shared")
        else { throw .malformed }
        isShared = scope.local == "shared"
        do {
            owner = try body.first(.dav("owner"))?.inner(atMost: Self.longestOwner, from: allowance) ?? ""
        } catch { throw .longOwner }
    }
}

extension Request {
    /// The body as XML; nil for none.
    func xmlBody(_ context: WebContext) async throws -> XMLElement? {
        guard (declaredByteCount ?? 0) <= UInt64(XMLPullParser.mostBytes) else {
            throw WebError.bodyTooLarge(limit: XMLPullParser.mostBytes)
        }
        var bytes: [UInt8] = []
        for try await piece in body {
            guard bytes.count + piece.readableBytes <= XMLPullParser.mostBytes else {
                throw WebError.bodyTooLarge(limit: XMLPullParser.mostBytes)
            }
            context.allowance.note(asked: piece.readableBytes)
            bytes += piece.readableBytesView
        }
        guard !bytes.isEmpty else { return nil }
        do { return try XMLElement(document: bytes, from: context.allowance) } catch {
            throw error.spent == nil ? DAVRefusal.unreadable(error.reason) : .tooMuch
        }
    }
}

extension XMLPullParser.Name {
    static func dav(_ local: String) -> Self { Self("DAV:", local) }
}
