import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Media
import NIOCore
import Records
import Vault
import Vaults

/// A photo's own bytes, whole or in part.
struct OriginalRoutes {
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.get, "/api/photos/{id}/original", answer)
        routes.on(.get, "/api/photos/{id}/motion", answerMotion)
    }

    @Sendable private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        try await Self.answer(request, context, in: try await access.sessionOrCredentials(of: request, context))
    }

    /// - Parameter showsPlaces: otherwise the original is always a clean copy.
    static func answer(
        _ request: Request, _ context: WebContext, in session: Session, showsPlaces: Bool = true
    ) async throws -> Response {
        let isClean = try wantsCleanCopy(request) || !showsPlaces
        let original = try await session.photos.original(try context.parameters.require("id"))
        var headers = Self.headers(for: original.photo, asDownload: try request.query("download") != nil)
        guard isClean else { return try Self.answer(request, &headers, original, part: 0..<original.byteCount) }
        guard let overwrites = try await original.cleaning() else { throw WebError.noCleanCopy }
        headers[.entityTag] = headers[.entityTag].map { "\"clean\(Overwrites.cleaningVersion)-" + $0.dropFirst() }
        return try Self.answer(request, &headers, original, part: 0..<original.byteCount, with: overwrites)
    }

    private static func wantsCleanCopy(_ request: Request) throws -> Bool {
        switch try request.query("metadata") {
        case "none": return true
        case nil, "all": return false
        default: throw WebError.malformedRequest("metadata is all or none")
        }
    }

    /// The video in the file of a Motion Photo, as if it were a file of its own.
    @Sendable private func answerMotion(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.sessionOrCredentials(of: request, context)
        let original = try await session.photos.original(try context.parameters.require("id"))
        guard let motion = original.photo.details.facts.motion, motion.upperBound <= original.byteCount else {
            throw WebError.noMotion
        }
        var headers = Self.headers(for: original.photo, asDownload: false)
        headers[.contentType] = "video/mp4"
        headers[.contentDisposition] = "inline"
        headers[.entityTag] = headers[.entityTag].map { "\"motion-" + $0.dropFirst() }
        return try Self.answer(request, &headers, original, part: motion)
    }

    /// A part of the file, of which the client may want a range.
    static func answer(
        _ request: Request, _ headers: inout HTTPFields, _ original: Original, part: Range<UInt64>,
        with overwrites: Overwrites? = nil
    ) throws -> Response {
        let size = part.upperBound - part.lowerBound
        switch ByteRangeRequest(request, entityTag: headers[.entityTag], size: size) {
        case .whole: return Response(status: .ok, headers: headers, body: try body(of: original, part, overwrites))
        case .partial(let offset, let byteCount):
            headers[.contentRange] = "bytes \(offset)-\(offset + byteCount - 1)/\(size)"
            let start = part.lowerBound + offset
            let range = start..<start + byteCount
            return Response(status: .partialContent, headers: headers, body: try body(of: original, range, overwrites))
        case .unsatisfiable: throw WebError.rangeNotSatisfiable(byteCount: size)
        }
    }

    /// Whatever the photo holds, the browser neither guesses its type nor runs anything in it.
    static func headers(for photo: Photo, asDownload: Bool) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: photo.type,
            .acceptRanges: "bytes",
            .contentSecurityPolicy: "sandbox; default-src 'none'",
            .contentDisposition: ContentDisposition.format(
                inline: photo.servedInline && !asDownload, filename: photo.name),
        ]
        // What other programs take for the time of the file; one in the future would be none (RFC 9110 section 8.8.2.1).
        let changed = photo.modifiedAt ?? photo.receivedAt
        if changed <= Date() { headers[.lastModified] = UTCTime(changed).httpDate }
        headers[.entityTag] = photo.sha256.map { "\"\(Hexadecimal.encode($0))\"" }
        return headers
    }

    private static func body(
        of original: Original, _ range: Range<UInt64>, _ overwrites: Overwrites?
    ) throws -> ResponseBody {
        let pieces = try original.pieces(range, with: overwrites)
        return ResponseBody(contentLength: range.count) { writer in
            try await pieces.write(to: &writer)
            try await writer.finish(nil)
        }
    }
}

extension OriginalPieces {
    /// Sends them.
    /// - Throws: also when the photo turns out to be damaged, which ends the connection: the client must not take what
    ///   came for complete.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        var pieces = self
        while let piece = try await pieces.next() {
            try await writer.write(piece)
        }
    }
}

/// Several photos as one streamed ZIP, at an address that works until ten minutes after its last use.
struct ArchiveRoutes {
    private struct Payload: Encodable {
        let url: String
        /// Photos of which there are no clean copies, in an archive that has such.
        let missing: Int?
    }

    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/archive") { request, context in
            let session = try await access.session(of: request, context)
            return try await Self.make(request, context, in: session, limits)
        }
        routes.on(.post, "/api/archive/{name}") { request, context in
            let session = try await access.session(of: request, context)
            return try await Self.extend(request, context, in: session, limits)
        }
        routes.on(.get, "/api/archive/{name}") { request, context in
            try await Self.answer(request, context, in: try await access.session(of: request, context))
        }
    }

    /// - Parameters:
    ///   - base: where it can be fetched.
    ///   - isClean: it has clean copies.
    static func make(
        _ request: Request, _ context: WebContext, in session: Session, _ limits: WebLimits, base: String = "/api",
        isClean: Bool = false
    ) async throws -> Response {
        let wanted = try await request.decodeJSON(ArchiveRequestPayload.self, limit: limits.idListByteCount, context)
        let name = try await session.archives.make(
            wanted.ids ?? [], albums: wanted.albums ?? [], favourites: wanted.favourites ?? Album.favouritesName,
            cleaning: cleaning(isClean, context))
        return try told(name, .created, context, in: session, base)
    }

    private static func told(
        _ name: String, _ status: HTTPResponse.Status, _ context: WebContext, in session: Session, _ base: String
    ) throws -> Response {
        let missing = try session.archives.archive(name).missing
        return try context.answer(
            Payload(url: "\(PageBase.current)\(base)/archive/\(name)", missing: missing), status: status)
    }

    static func extend(
        _ request: Request, _ context: WebContext, in session: Session, _ limits: WebLimits, base: String = "/api",
        isClean: Bool = false
    ) async throws -> Response {
        let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
        let name = try context.parameters.require("name")
        try await session.archives.add(list.ids, to: name, cleaning: cleaning(isClean, context))
        return try told(name, .ok, context, in: session, base)
    }

    /// Only for somebody who is still there is a list of photos looked into.
    private static func cleaning(_ isClean: Bool, _ context: WebContext) -> Session.Archives.Cleaning? {
        isClean ? Session.Archives.Cleaning { [channel = context.channel] in channel.isActive } : nil
    }

    /// - Parameter isClean: an archive of files themselves, which was made before, is gone.
    static func answer(
        _ request: Request, _ context: WebContext, in session: Session, isClean: Bool = false
    ) async throws -> Response {
        let name = try context.parameters.require("name")
        let archive = try session.archives.archive(name)
        guard archive.isClean || !isClean else { throw VaultError.archiveGone }
        return try answer(
            request, try await ArchiveDownload(archive, of: session, over: context.channel), name: name,
            title: archive.name)
    }

    private static func answer(_ request: Request, _ download: ArchiveDownload, name: String, title: String?) throws
        -> Response
    {
        let title = title ?? "Safelight \(UTCTime.onHost(Date()).rfc3339.prefix(10))"
        let size = download.layout.byteCount
        var headers: HTTPFields = [
            .contentType: "application/zip",
            .acceptRanges: "bytes",
            .entityTag: "\"\(name)-\(download.contents.fingerprint)\"",
            .contentSecurityPolicy: "sandbox; default-src 'none'",
            .contentDisposition: ContentDisposition.format(inline: false, filename: PortableName("\(title).zip").text),
        ]
        switch ByteRangeRequest(request, entityTag: headers[.entityTag], size: size) {
        case .whole:
            return Response(status: .ok, headers: headers, body: body(of: download, 0..<size))
        case .partial(let offset, let byteCount):
            headers[.contentRange] = "bytes \(offset)-\(offset + byteCount - 1)/\(size)"
            return Response(
                status: .partialContent, headers: headers, body: body(of: download, offset..<offset + byteCount))
        case .unsatisfiable:
            throw WebError.rangeNotSatisfiable(byteCount: size)
        }
    }

    private static func body(of download: ArchiveDownload, _ range: Range<UInt64>) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            try await download.write(range, to: &writer)
            try await writer.finish(nil)
        }
    }
}

/// Photos and albums that are wanted as one file.
struct ArchiveRequestPayload: Decodable {
    let ids: [String]?
    /// Ids of albums.
    let albums: [String]?
    /// What the page calls the album of all hearts, or another one that nobody has made and named.
    let favourites: String?
}
