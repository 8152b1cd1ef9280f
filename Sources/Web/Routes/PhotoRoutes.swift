import Hummingbird

/// The list of a vault's photos.
struct PhotoRoutes {
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/photos") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let page = try await session.photos.page(cursor: try request.query("cursor"))
            return try Response(
                status: .ok,
                json: PhotoListPayload(photos: page.photos.map(PhotoPayload.init), cursor: page.cursor))
        }
        routes.on(.get, "/api/photos/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let photo = try await session.photos.photo(try context.parameters.require("id"))
            return try Response(status: .ok, json: PhotoPayload(photo))
        }
    }
}
