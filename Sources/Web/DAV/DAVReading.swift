import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Records
import Vaults

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
