import Bytes
import Hummingbird
import Records
import Vault

/// The list of a vault's photos.
struct PhotoRoutes {
    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.get, "\(base)/photos") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let page =
                if let block = try request.query("block") {
                    try await session.photos.page(ofBlock: try Self.number(block))
                } else {
                    try await session.photos.page(
                        cursor: try request.query("cursor"), since: try request.query("since"))
                }
            return try Response(
                from: context.allowance, status: .ok,
                json: PhotoListPayload(
                    photos: page.photos.rows(from: context.allowance, PhotoPayload.init), cursor: page.cursor,
                    picturesLeft: try await session.photos.withoutPictures()))
        }
        // Of the page alone.
        if base == "/api" {
            routes.on(.get, "/api/blocks") { request, context in
                let session = try await access.sessionOrCredentials(of: request, context)
                let blocks = try await session.photos.blocks()
                return try Response(
                    from: context.allowance, status: .ok,
                    json: PhotoBlockListPayload(
                        blocks: blocks.rows(from: context.allowance, PhotoBlockListPayload.Block.init)))
            }
        }
        routes.on(.get, "\(base)/photos/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let photo = try await session.photos.photo(try context.parameters.require("id"))
            return try Response(from: context.allowance, status: .ok, json: PhotoPayload(photo))
        }
    }

    private static func number(_ block: String) throws(VaultError) -> UInt64 {
        guard let number = TusProtocol.byteCount(block) else { throw .invalidCursor }
        return number
    }
}

/// Blocks of a vault's photos, the oldest first.
struct PhotoBlockListPayload: Encodable {
    struct Block: Encodable {
        let number: UInt64
        /// Another one when a list says something else of these photos.
        let state: String

        init(_ block: PhotoBlock) { (number, state) = (block.number, Base64URL.encode(block.state)) }
    }

    let blocks: [Block]
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
