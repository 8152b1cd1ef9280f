import Hummingbird
import Logging
import Records
import Vault

/// Deleting to "Recently deleted", restoring, emptying.
struct TrashRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/photos/delete") { request, context in
            let session = try await access.session(of: request, context)
            return try Self.answer(try await session.trash.move(try await ids(of: request, context)), context)
        }
        routes.on(.post, "/api/photos/restore") { request, context in
            let session = try await access.session(of: request, context)
            return try Self.answer(try await session.trash.restore(try await ids(of: request, context)), context)
        }
        routes.on(.delete, "/api/photos/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let count = try await session.trash.move([try context.parameters.require("id")])
            guard count > 0 else { throw VaultError.noSuchPhoto }
            return try Self.answer(count, context)
        }
        routes.on(.get, "/api/trash") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let page = try await session.trash.page(cursor: try request.query("cursor"))
            return try Response(
                from: context.allowance, status: .ok,
                json: PhotoListPayload(
                    photos: page.photos.rows(from: context.allowance, PhotoPayload.init), cursor: page.cursor))
        }
        routes.on(.post, "/api/trash/delete") { request, context in
            let session = try await access.session(of: request, context)
            return try Self.answer(try await session.trash.delete(try await ids(of: request, context)), context)
        }
        routes.on(.delete, "/api/trash") { request, context in
            try Self.answer(try await access.session(of: request, context).trash.empty(), context)
        }
    }

    private func ids(of request: Request, _ context: WebContext) async throws -> [String] {
        try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context).ids
    }

    private static func answer(_ count: Int, _ context: WebContext) throws -> Response {
        try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
    }

    private static func answer(_ removal: Removal, _ context: WebContext) throws -> Response {
        if let obstacle = removal.obstacle {
            context.logger.warning(
                "sealed remains of deleted photos are still on the disk; the daily work removes them",
                metadata: ["reason": "\(obstacle.code)"])
        }
        let pending = removal.obstacle == nil ? nil : true
        return try Response(
            from: context.allowance, status: .ok, json: CountPayload(count: removal.count, pending: pending))
    }
}

/// How many photos a request has changed.
struct CountPayload: Encodable {
    let count: Int
    /// True when sealed remains of photos that were deleted for good leave the disk later; else nil.
    var pending: Bool?
}

/// A list of photos from the client.
struct IDListPayload: Decodable {
    let ids: [String]
}
