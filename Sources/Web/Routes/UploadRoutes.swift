import FoundationEssentials
import HTTPTypes
import Hummingbird
import Vault

/// Photos on their way in: as a raw body, by name, or in a form.
struct UploadRoutes {
    struct Payload: Encodable {
        let photos: [PhotoPayload]
    }

    let access: Access
    let limits: WebLimits
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/photos") { request, context in
            let contentType = request.headers[.contentType] ?? ""
            if contentType.lowercased().hasPrefix("multipart/") {
                try WholeFile.require(request)
                return try await FormUpload(access: access, limits: limits).answer(request, context)
            }
            if let answer = try await resumable(request)?.create(
                named: { try Self.rawName(of: request) }, .photos, request, context)
            {
                return answer
            }
            let photo = try await receive(try Self.rawName(of: request), request, context)
            return try Response(from: context.allowance, status: .created, json: Payload(photos: [PhotoPayload(photo)]))
        }
        routes.on(.put, "\(base)/photos/{id}", put)
        // Of the page alone.
        if base == "/api" {
            // The fixed addresses beside `{id}` are names of files here like any other.
            for path in [
                "/api/photos/delete", "/api/photos/restore", "/api/photos/favourite", "/api/photos/archived",
                "/api/photos/shift",
            ] {
                routes.on(.put, path, put)
            }
        }
    }

    @Sendable private func put(_ request: Request, _ context: WebContext) async throws -> Response {
        if let answer = try await resumable(request)?.create(
            named: { try request.lastPathComponent() }, .photo, request, context)
        {
            return answer
        }
        let photo = try await receive(try request.lastPathComponent(), request, context)
        return try Response(from: context.allowance, status: .created, json: PhotoPayload(photo))
    }

    /// Streams the body into the vault; answers once it is on disk. A body that breaks off leaves nothing.
    private func receive(_ name: String, _ request: Request, _ context: WebContext) async throws -> Photo {
        try WholeFile.require(request)
        let session = try await access.sendingSession(of: request, context)
        guard request.declaredByteCount != nil || request.headers.contains(.transferEncoding) else {
            throw WebError.lengthRequired
        }
        let announced = try AnnouncedDigests(request.headers)
        let upload = try await session.uploads.begin(
            name: name, declaredByteCount: try WholeFile.byteCount(of: request),
            lastModified: try request.modified(), batch: try request.query("batch"),
            album: try request.query("album"), path: try request.query("path"))
        return try await upload.receive(request.body, announced)
    }

    private func resumable(_ request: Request) -> ResumableUpload? {
        ResumableUpload(request, access: access, base: base)
    }

    static func rawName(of request: Request) throws -> String {
        if let name = try request.query("name") { return name }
        let type = request.headers[.contentType]
        guard let field = request.headers[.contentDisposition] else { return NamelessFile.name(declaredType: type) }
        guard let disposition = try? ContentDisposition(parsing: Array(field.utf8), quoting: .header) else {
            throw WebError.malformedRequest("Content-Disposition cannot be read")
        }
        return NamelessFile.given(disposition.filename) ?? NamelessFile.name(declaredType: type)
    }
}

extension Request {
    /// When the file was changed last, as the address says.
    func modified() throws -> Date? {
        guard let text = try query("modified") else { return nil }
        guard let date = UTCTime.parse(text) else {
            throw WebError.malformedRequest("modified is neither RFC 3339 nor a time since 1970")
        }
        return date
    }
}
