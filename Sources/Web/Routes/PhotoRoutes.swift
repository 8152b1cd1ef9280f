import Hummingbird

/// The list of a vault's photos.
struct PhotoRoutes {
    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.get, "\(base)/photos") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let page = try await session.photos.page(
                cursor: try request.query("cursor"), since: try request.query("since"))
            return try Response(
                from: context.allowance, status: .ok,
                json: PhotoListPayload(
                    photos: page.photos.rows(from: context.allowance, PhotoPayload.init), cursor: page.cursor,
                    picturesLeft: try await session.photos.withoutPictures()))
        }
        routes.on(.get, "\(base)/photos/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let photo = try await session.photos.photo(try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: PhotoPayload(photo))
        }
    }
}

/// A page of photos; `cursor` is null on the last one.
struct PhotoListPayload: Encodable {
    let photos: [PhotoPayload]
    let cursor: String?
    /// Photos of the vault whose pictures are still to be made; nil where nobody asks.
    var picturesLeft: Int?

    private enum Key: String, CodingKey { case photos, cursor, picturesLeft }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(photos, forKey: .photos)
        try container.encode(cursor, forKey: .cursor)
        try container.encodeIfPresent(picturesLeft, forKey: .picturesLeft)
    }
}
