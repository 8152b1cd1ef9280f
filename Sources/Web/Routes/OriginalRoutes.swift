import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Media
import NIOCore
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
        let session = try await access.sessionOrCredentials(of: request, context)
        let original = try await session.photos.original(try context.parameters.require("id"))
        switch try request.query("metadata") {
        case "none": return try await CleanCopy.answer(original)
        case nil, "all": break
        default: throw WebError.malformedRequest("metadata is all or none")
        }
        var headers = Self.headers(for: original.photo, asDownload: try request.query("download") != nil)
        return try Self.answer(request, &headers, original, part: 0..<original.byteCount)
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
        _ request: Request, _ headers: inout HTTPFields, _ original: Original, part: Range<UInt64>
    ) throws -> Response {
        let size = part.upperBound - part.lowerBound
        switch ByteRangeRequest(request, entityTag: headers[.entityTag], size: size) {
        case .whole: return Response(status: .ok, headers: headers, body: try body(of: original, part))
        case .partial(let offset, let byteCount):
            headers[.contentRange] = "bytes \(offset)-\(offset + byteCount - 1)/\(size)"
            let start = part.lowerBound + offset
            return Response(
                status: .partialContent, headers: headers, body: try body(of: original, start..<start + byteCount))
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

    private static func body(of original: Original, _ range: Range<UInt64>) throws -> ResponseBody {
        let pieces = try original.pieces(range)
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
