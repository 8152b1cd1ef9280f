import Bytes
import HTTPTypes
import Hummingbird
import ImagingProtocol
import Logging
import Media
import NIOCore
import Records
import Vault
import Vaults

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
            return try context.answer(
                PhotoListPayload(
                    photos: page.photos.rows(from: context.allowance, PhotoPayload.init), cursor: page.cursor,
                    picturesLeft: try await session.photos.withoutPictures()))
        }
        // Of the page alone.
        if base == "/api" {
            routes.on(.get, "/api/blocks") { request, context in
                let session = try await access.sessionOrCredentials(of: request, context)
                let blocks = try await session.photos.blocks()
                return try context.answer(
                    PhotoBlockListPayload(
                        blocks: blocks.rows(from: context.allowance, PhotoBlockListPayload.Block.init)))
            }
        }
        routes.on(.get, "\(base)/photos/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let photo = try await session.photos.photo(try context.parameters.require("id"))
            return try context.answer(PhotoPayload(photo))
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

/// Thumbnails and previews: what every browser can show, whatever the original is.
struct PictureRoutes {
    private static let longestWait = 20.0
    private static let listByteCount = 16 * 1024

    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.get, "\(base)/photos/{id}/thumbnail") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try Self.answer(try await session.pictures.thumbnail(try context.parameters.require("id")))
        }
        routes.on(.get, "\(base)/photos/{id}/preview") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try Self.answer(try await session.pictures.preview(try context.parameters.require("id")))
        }
        routes.on(.put, "\(base)/photos/{id}/thumbnail") { request, context in
            let session = try await access.session(of: request, context)
            let body = try await request.collectBody(limit: Session.Pictures.provisionalByteLimit, context)
            guard let picture = Rendition(thumbnail: Array(body.readableBytesView)) else {
                throw WebError.unsupportedMediaType
            }
            try await session.pictures.keep(provisional: picture, of: try context.parameters.require("id"))
            return try context.answer(EmptyPayload())
        }
        routes.on(.post, "\(base)/thumbnails") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try await Self.answerList(request, context, in: session)
        }
    }

    /// Many thumbnails at once.
    static func answerList(_ request: Request, _ context: WebContext, in session: Session) async throws -> Response {
        let list = try await request.decodeJSON(ThumbnailListPayload.self, limit: listByteCount, context)
        guard list.ids.count <= Session.Pictures.mostPictures else {
            throw WebError.malformedRequest("at most \(Session.Pictures.mostPictures) thumbnails are given at once")
        }
        return try await answer(list, in: session, from: context.allowance)
    }

    static func answer(_ answer: PictureAnswer) throws -> Response {
        switch answer {
        case .made(let picture):
            return Response(
                status: .ok,
                headers: [
                    .contentType: picture.type,
                    .contentSecurityPolicy: "sandbox; default-src 'none'",
                    .contentDisposition: "inline",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
        case .pending, .provisional: throw WebError.pictureNotYet
        case .none: throw WebError.noPicture(reason: PictureState.none.text)
        case .unreadable(let reason): throw WebError.noPicture(reason: reason.text)
        case .unknown: throw VaultError.noSuchPhoto
        }
    }

    /// Until when somebody waits for what is being made; nil for who does not.
    static func deadline(afterSeconds wait: Double?) -> ContinuousClock.Instant? {
        let wait = wait.map { min(max($0, 0), longestWait) } ?? 0
        return wait > 0 ? ContinuousClock.now + .seconds(wait) : nil
    }

    /// By the parameter `wait`, in seconds.
    static func deadline(_ request: Request) throws -> ContinuousClock.Instant? {
        guard let text = try request.query("wait") else { return nil }
        guard let wait = Double(text), wait.isFinite else { throw WebError.malformedRequest("wait is no number") }
        return deadline(afterSeconds: wait)
    }

    // MARK: Many at once

    private static func answer(
        _ list: ThumbnailListPayload, in session: Session, from allowance: Allowance
    ) async throws -> Response {
        try allowance.take(.rows, list.ids.count)
        try await session.pictures.wish(for: list.ids)
        let deadline = deadline(afterSeconds: list.wait)
        let headers: HTTPFields = [
            .contentType: "application/octet-stream", .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
        // One at a time, so that no answer takes more memory than one thumbnail.
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                for id in list.ids {
                    let answer = try await session.pictures.thumbnail(id, until: deadline, own: list.own ?? false)
                    try await writer.write(part(answer))
                }
                try await writer.finish(nil)
            })
    }

    /// Length of what follows u32 ‖ kind u8 ‖ content.
    private static func part(_ answer: PictureAnswer) -> ByteBuffer {
        let (kind, content): (UInt8, [UInt8]) =
            switch answer {
            case .made(let picture): (0, picture.bytes)
            case .pending: (1, [])
            case .none: (2, Array(PictureState.none.text.utf8))
            case .unreadable(let reason): (2, Array(reason.text.utf8))
            case .unknown: (3, [])
            case .provisional(let picture): (4, picture.bytes)
            }
        var part = ByteBuffer()
        part.writeInteger(UInt32(content.count + 1))
        part.writeInteger(kind)
        part.writeBytes(content)
        return part
    }
}

/// Thumbnails that a client wants, in the order in which it shows them.
struct ThumbnailListPayload: Decodable {
    let ids: [String]
    /// Seconds for which those are waited for that are not made yet.
    let wait: Double?
    /// Those that a client made count as not made.
    let own: Bool?
}

/// What people say of their photos: hearts, captions, dates, which side is up, which part is shown.
struct KeepingRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/photos/favourite") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(MarkPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.setFavourite(wanted.ids, wanted.on)
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.post, "/api/photos/archived") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(MarkPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.setArchived(wanted.ids, wanted.on)
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.post, "/api/photos/shift") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(ShiftPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.photos.shift(wanted.ids, minutes: wanted.minutes)
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.patch, "/api/photos/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeChange(PhotoChangePayload.self, limit: limits.idListByteCount, context)
            let photo = try await session.photos.correct(
                try context.parameters.require("id"), try Self.correction(wanted, session.places))
            return try context.answer(PhotoPayload(photo))
        }
    }

    private static func correction(_ wanted: PhotoChangePayload, _ places: Session.Places) throws -> PhotoCorrection {
        var correction = PhotoCorrection()
        switch wanted.place {
        case .said(let place): correction.place = .said(try places.said(place.wanted))
        case .some(.none): correction.place = .some(.none)
        case nil: break
        }
        correction.rotation = wanted.rotation
        switch wanted.edit {
        case .said(let said):
            guard let edit = said.edit else { throw VaultError.editInvalid }
            correction.edit = .said(edit)
        case .some(.none): correction.edit = .some(.none)
        case nil: break
        }
        switch wanted.caption {
        case .said(let text):
            // Before anything is made of it: a character has four bytes at most.
            guard text.utf8.count <= 4 * Keeping.longestCaption, text.isStreamSafe else {
                throw VaultError.captionTooLong
            }
            // An empty one says nothing.
            let caption = text.filter { $0 != "\0" }
            correction.caption = caption.allSatisfy(\.isWhitespace) ? .some(.none) : .said(caption)
        case .some(.none): correction.caption = .some(.none)
        case nil: break
        }
        switch wanted.takenAt {
        case .said(let text):
            guard let time = CaptureTime(said: text) else { throw VaultError.takenAtInvalid }
            correction.takenAt = .said(time)
        case .some(.none): correction.takenAt = .some(.none)
        case nil: break
        }
        return correction
    }
}

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
            return try context.answer(
                PhotoListPayload(
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
        try context.answer(CountPayload(count: count))
    }

    private static func answer(_ removal: Removal, _ context: WebContext) throws -> Response {
        if let obstacle = removal.obstacle {
            context.logger.warning(
                "sealed remains of deleted photos are still on the disk; the daily work removes them",
                metadata: ["reason": "\(obstacle.code)"])
        }
        let pending = removal.obstacle == nil ? nil : true
        return try context.answer(CountPayload(count: removal.count, pending: pending))
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
