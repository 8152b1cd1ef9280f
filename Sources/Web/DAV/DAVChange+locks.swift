import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import XML

extension DAVChange {
    /// LOCK: makes one, or, without a body, makes one last longer. Where nothing stands, a file without a byte does from
    /// then on (RFC 4918, 7.3).
    func lock(_ body: XMLElement?) async throws -> Response {
        let node = try await tree.node(at: path)
        let conditions = try DAVConditions(tree: tree, request: request)
        guard let body else {
            let lock = try memory.withLocks {
                try $0.refresh(conditions.tokens, at: path, seconds: seconds, .now)
            }
            return answer(lock, isNew: false, status: .ok)
        }
        let wish = try LockWish(body, from: tree.allowance)
        try await conditions.require(at: path, node)
        if node == nil {
            try await tree.makeFolders(above: path)
            guard try await tree.node(at: path.parent)?.isFolder == true, !path.hasSlash else {
                throw DAVRefusal.noParent
            }
            try conditions.requireUnlocked(path.parent)
        }
        let lock = DAVLock(
            token: DAVLock.tokenPrefix + UUID().uuidString.lowercased(), path: path, isShared: wish.isShared,
            isDeep: try isDeep(node), owner: wish.owner, seconds: seconds, deadline: .now + .seconds(seconds))
        try memory.addLock { locks in
            if tree.sendsOnly {
                try locks.addForNobody(lock, from: tree.allowance)
            } else {
                try locks.add(lock, from: tree.allowance)
            }
        }
        if node == nil {
            do { try memory.put(.empty(since: .now), at: path) } catch {
                try memory.withLocks { try $0.remove(lock.token, at: path) }
                throw error
            }
        }
        return answer(lock, isNew: true, status: node == nil ? .created : .ok)
    }

    func unlock() async throws -> Response {
        guard let field = request.headers[.lockToken], field.hasPrefix("<"), field.hasSuffix(">") else {
            throw WebError.malformedRequest("Lock-Token is missing")
        }
        try memory.withLocks { try $0.remove(String(field.dropFirst().dropLast()), at: path) }
        return Response(status: .noContent)
    }

    private func isDeep(_ node: DAVNode?) throws -> Bool {
        switch request.headers[.depth]?.lowercased() {
        case nil, "infinity": node?.isFolder == true
        case "0": false
        default: throw WebError.malformedRequest("Depth is 0 or infinity")
        }
    }

    /// As long as the client wants, up to an hour; it may ask again.
    private var seconds: Int {
        let wishes = (request.headers[.timeout] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        for wish in wishes where wish.lowercased().hasPrefix("second-") {
            if let seconds = Int(wish.dropFirst(7)), seconds > 0 { return min(seconds, DAVLocks.longestSeconds) }
        }
        return DAVLocks.longestSeconds
    }

    private func answer(_ lock: DAVLock, isNew: Bool, status: HTTPResponse.Status) -> Response {
        let text =
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:prop xmlns:D=\"DAV:\"><D:lockdiscovery>"
            + "\(LiveProperties.activeLock(lock, withOwner: true))</D:lockdiscovery></D:prop>\n"
        var response = Response(
            status: status, headers: [.contentType: "application/xml; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        if isNew { response.headers[.lockToken] = "<\(lock.token)>" }
        return response
    }
}
