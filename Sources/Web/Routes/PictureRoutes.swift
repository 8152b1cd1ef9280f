import Bytes
import HTTPTypes
import Hummingbird
import ImagingProtocol
import NIOCore
import Records
import Vaults

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
            return try Response(from: context.allowance, status: .ok, json: EmptyPayload())
        }
        routes.on(.post, "\(base)/thumbnails") { request, context in
            let session = try await access.sessionOrCredentials(of: request, context)
            let list = try await request.decodeJSON(ThumbnailListPayload.self, limit: Self.listByteCount, context)
            guard list.ids.count <= Session.Pictures.mostPictures else {
                throw WebError.malformedRequest("at most \(Session.Pictures.mostPictures) thumbnails are given at once")
            }
            return try await Self.answer(list, in: session, from: context.allowance)
        }
    }

    private static func answer(_ answer: PictureAnswer) throws -> Response {
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
