import FoundationEssentials
import HTTPTypes
import Hummingbird
import Vaults

/// Several photos as one streamed ZIP, at an address that works until ten minutes after its last use.
struct ArchiveRoutes {
    private struct Payload: Encodable {
        let url: String
    }

    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/archive") { request, context in
            let session = try await access.session(of: request, context)
            let wanted = try await request.decodeJSON(
                ArchiveRequestPayload.self, limit: limits.idListByteCount, context)
            let name = try await session.archives.make(
                wanted.ids ?? [], albums: wanted.albums ?? [], favourites: wanted.favourites ?? Album.favouritesName)
            return try Response(
                from: context.allowance, status: .created, json: Payload(url: "\(PageBase.current)/api/archive/\(name)")
            )
        }
        routes.on(.post, "/api/archive/{name}") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let name = try context.parameters.require("name")
            try await session.archives.add(list.ids, to: name)
            return try Response(
                from: context.allowance, status: .ok, json: Payload(url: "\(PageBase.current)/api/archive/\(name)"))
        }
        routes.on(.get, "/api/archive/{name}") { request, context in
            let session = try await access.session(of: request, context)
            let name = try context.parameters.require("name")
            let archive = try session.archives.archive(name)
            return try answer(
                request, try await ArchiveDownload(archive, of: session, over: context.channel), name: name,
                title: archive.name)
        }
    }

    private func answer(_ request: Request, _ download: ArchiveDownload, name: String, title: String?) throws
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

    private func body(of download: ArchiveDownload, _ range: Range<UInt64>) -> ResponseBody {
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
