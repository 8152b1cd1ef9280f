import Bytes
import HTTPTypes
import Hummingbird
import NIOCore
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
            return try context.answer(AlbumPayload(album), status: .created)
        }
        routes.on(.patch, "/api/albums/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeChange(AlbumChangePayload.self, limit: limits.idListByteCount, context)
            let album = try await session.albums.change(
                try context.parameters.require("id"), name: wanted.name, cover: wanted.cover, behind: wanted.behind)
            return try context.answer(AlbumPayload(album))
        }
        routes.on(.delete, "/api/albums/{id}") { request, context in
            let session = try await access.session(of: request, context)
            let count = try await session.albums.remove(
                try context.parameters.require("id"), deletesPhotos: try Self.deletesPhotos(request))
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.post, "/api/albums/{id}/restore") { request, context in
            let session = try await access.session(of: request, context)
            let album = try await session.albums.bringBack(try context.parameters.require("id"))
            return try context.answer(AlbumPayload(album))
        }
        routes.on(.post, "/api/albums/{id}/photos") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.albums.add(list.ids, to: try context.parameters.require("id"))
            return try context.answer(CountPayload(count: count))
        }
        routes.on(.delete, "/api/albums/{id}/photos") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let count = try await session.albums.takeOut(list.ids, of: try context.parameters.require("id"))
            return try context.answer(CountPayload(count: count))
        }
    }

    private func addLists(to routes: RouteTable) {
        routes.on(.get, "/api/albums") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let albums = try await session.albums.all().rows(from: context.allowance, AlbumPayload.init)
            return try context.answer(AlbumListPayload(albums: albums))
        }
        routes.on(.get, "/api/albums/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let album = try await session.albums.album(try context.parameters.require("id"))
            return try context.answer(AlbumPayload(album))
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

/// Uploads that belong together, and the receipt of what was read back from disk.
struct BatchRoutes {
    private struct Creation: Encodable {
        let id: String
    }

    let access: Access
    let reminder: UpgradeReminder
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/batches") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            return try context.answer(Creation(id: try await session.batches.create()), status: .created)
        }
        routes.on(.post, "\(base)/batches/{id}/finish") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let status = try await session.batches.finish(try context.parameters.require("id"))
            return try await answer(.accepted, status, of: session, request, context)
        }
        // To be asked again and again until all is read back: that must not keep a page open that somebody has left.
        routes.on(.get, "\(base)/batches/{id}") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context, isUse: false)
            let status = try await session.batches.status(of: try context.parameters.require("id"))
            return try await answer(.ok, status, of: session, request, context)
        }
    }

    /// A receipt has a line for each photo, and there may be as many as in a library: it is written in parts.
    private func answer(
        _ code: HTTPResponse.Status, _ status: BatchStatus, of session: Session, _ request: Request,
        _ context: WebContext
    ) async throws -> Response {
        let isPage = request.headers[.authorization] == nil
        let payload = BatchPayload(
            status, upgrade: await reminder.payload(after: status, of: session, isPage: isPage))
        guard status.isDone else { return try context.answer(payload, status: code) }
        var head = try ByteBuffer(from: context.allowance, json: payload)
        // Without the brace that ends it.
        head.moveWriterIndex(to: head.writerIndex - 1)
        head.writeString(#","receipt":["#)
        let body = ResponseBody { [head, allowance = context.allowance] writer in
            try await writer.write(head)
            var isFirst = true
            try await session.batches.receipt(of: status.id) { lines in
                guard !lines.isEmpty else { return }
                var part = ByteBuffer(string: isFirst ? "" : ",")
                isFirst = false
                let list = try ByteBuffer(from: allowance, json: lines.rows(from: allowance, BatchPayload.Line.init))
                // Without its brackets.
                part.writeBytes(list.readableBytesView.dropFirst().dropLast())
                try await writer.write(part)
            }
            try await writer.write(ByteBuffer(string: "]}"))
            try await writer.finish(nil)
        }
        return Response(status: code, headers: [.contentType: "application/json"], body: body)
    }
}

/// How far a batch is; the receipt comes when it is done.
struct BatchPayload: Encodable {
    struct Line: Encodable {
        let name: String
        let size: UInt64
        let sha256: String

        init(_ line: ReceiptLine) {
            name = line.name
            size = line.byteCount
            sha256 = Hexadecimal.encode(line.sha256)
        }
    }

    struct Sidecars: Encodable {
        /// Their photos have come; or they wait for them.
        let joined: Int
        let waiting: Int
        let partial: Int
    }

    let id: String
    let total: Int
    let saved: Int
    let duplicates: Int
    let failed: Int
    let verified: Int
    let finished: Bool
    let done: Bool
    let sidecars: Sidecars
    let files: Int
    let albums: Int
    let trashed: Int
    let settled: Bool
    /// Nil in memory: it is written behind the rest, part by part.
    let receipt: [Line]?
    let upgrade: UpgradePayload?

    init(_ status: BatchStatus, upgrade: UpgradePayload?) {
        self.upgrade = upgrade
        id = status.id
        total = status.total
        saved = status.saved
        duplicates = status.duplicates
        failed = status.failed
        verified = status.verified
        finished = status.isFinished
        done = status.isDone
        sidecars = Sidecars(
            joined: status.movingIn.joined, waiting: status.movingIn.waiting, partial: status.movingIn.partial)
        files = status.movingIn.files
        albums = status.movingIn.albums
        trashed = status.movingIn.trashed
        settled = status.movingIn.isSettled
        receipt = nil
    }
}
