import Hummingbird
import Records
import Vault
import Vaults

/// Albums, and the album of all hearts.
struct AlbumRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        addLists(to: routes)
        routes.on(.post, "/api/albums") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(AlbumRequestPayload.self, limit: limits.idListByteCount, context)
            let album = try await session.albums.make(wanted.name, with: wanted.ids ?? [])
            return try Response(from: context.allowance, status: .created, json: AlbumPayload(album))
        }
        routes.on(.patch, "/api/albums/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeChange(AlbumChangePayload.self, limit: limits.idListByteCount, context)
            let album = try await session.albums.change(
                try context.parameters.require("id"), name: wanted.name, cover: wanted.cover, behind: wanted.behind)
            return try Response(from: context.allowance, status: .ok, json: AlbumPayload(album))
        }
        routes.on(.delete, "/api/albums/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let count = try await session.albums.remove(
                try context.parameters.require("id"), deletesPhotos: try Self.deletesPhotos(request))
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
        routes.on(.post, "/api/albums/{id}/restore") { request, context in
            let session = try await access.session(of: request, context)
            let album = try await session.albums.bringBack(try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: AlbumPayload(album))
        }
        routes.on(.post, "/api/albums/{id}/photos") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.albums.add(list.ids, to: try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
        routes.on(.delete, "/api/albums/{id}/photos") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.albums.takeOut(list.ids, of: try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: CountPayload(count: count))
        }
    }

    private func addLists(to routes: RouteTable) {
        routes.on(.get, "/api/albums") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let albums = try await session.albums.all().rows(from: context.allowance, AlbumPayload.init)
            return try Response(from: context.allowance, status: .ok, json: AlbumListPayload(albums: albums))
        }
        routes.on(.get, "/api/albums/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let album = try await session.albums.album(try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: AlbumPayload(album))
        }
        routes.on(.get, "/api/albums/{id}/timeline") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let scope = try await session.albums.scope(of: try context.parameters.require("id"))
            return try await TimelineRoutes.months(of: scope, session, context)
        }
        routes.on(.get, "/api/albums/{id}/timeline/{month}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let scope = try await session.albums.scope(of: try context.parameters.require("id"))
            return try await TimelineRoutes.month(of: scope, session, request, context)
        }
    }

    private static func deletesPhotos(_ request: Request) throws -> Bool {
        switch try request.query("photos") {
        case nil: return false
        case "delete": return true
        default: throw WebError.malformedRequest("photos is delete, or absent")
        }
    }
}
