import FoundationEssentials
import HTTPTypes
import Hummingbird
import Vaults

/// Several photos as one streamed ZIP, at an address that works once.
struct ArchiveRoutes {
    private struct Payload: Encodable {
        let url: String
    }

    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/archive") { request, context in
            let session = try await access.session(of: request, context)
            let list = try await request.decodeJSON(IDListPayload.self, limit: limits.idListByteCount, context)
            let name = try await session.makeArchive(list.ids)
            return try Response(status: .created, json: Payload(url: "/api/archive/\(name)"))
        }
        routes.on(.get, "/api/archive/{name}") { request, context in
            // HEAD would use the address up without giving anything.
            guard request.method == .get else { throw WebError.methodNotAllowed(allowed: [.get]) }
            let session = try await access.session(of: request, context)
            let ids = try session.takeArchive(try context.parameters.require("name"))
            return try await answer(session, try await Self.photos(ids, in: session))
        }
    }

    /// The photos of the list that are still there. Two ids lead to one where the vault has dropped a duplicate.
    private static func photos(_ ids: [String], in session: Session) async throws -> [Photo] {
        var photos: [Photo] = []
        var known: Set<String> = []
        for id in ids {
            do {
                let photo = try await session.photo(id)
                if known.insert(photo.id).inserted { photos.append(photo) }
            } catch VaultError.noSuchPhoto {
                continue
            }
        }
        return photos
    }

    private func answer(_ session: Session, _ photos: [Photo]) async throws -> Response {
        let entries = photos.map {
            ZipEntry(name: $0.name, byteCount: $0.byteCount, modifiedAt: $0.modifiedAt ?? $0.receivedAt)
        }
        let zip = ZipStream(entries: entries)
        let day = CivilTime(Date()).rfc3339.prefix(10)
        let headers: HTTPFields = [
            .contentType: "application/zip",
            .contentSecurityPolicy: "sandbox; default-src 'none'",
            .contentDisposition: ContentDisposition.format(inline: false, filename: "Safelight \(day).zip"),
        ]
        let body = ResponseBody(contentLength: Int(zip.byteCount)) { writer in
            try await write(photos, of: session, as: zip, to: &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private func write(
        _ photos: [Photo], of session: Session, as archive: ZipStream, to writer: inout any ResponseBodyWriter
    ) async throws {
        var zip = archive
        for photo in photos {
            try await writer.write(zip.beginEntry())
            let original = try await session.original(photo.id)
            guard original.byteCount == photo.byteCount else { throw VaultError.damaged }
            try await original.pieces(0..<photo.byteCount).write(to: &writer) { zip.append($0) }
            try await writer.write(zip.endEntry())
        }
        try await writer.write(zip.finish())
    }
}
