import HTTPTypes
import Hummingbird
import Uploads
import Vaults

/// Resumable uploads by tus 1.0.0. An offset that is answered is on disk.
struct TusRoutes {
    let service: VaultService
    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        for path in ["\(base)/uploads", "\(base)/uploads/{id}"] { routes.on(.options, path, describe) }
        routes.on(.post, "\(base)/uploads", create)
        routes.on(.head, "\(base)/uploads/{id}") { request, context in
            let (session, id) = try await upload(of: request, context)
            return answer(.ok, describing: try await session.uploads.status(of: id))
        }
        routes.on(.patch, "\(base)/uploads/{id}", append)
        routes.on(.delete, "\(base)/uploads/{id}", remove)
        // Java's HttpURLConnection cannot send PATCH, and says by this field of tus 1.0.0 what it means.
        routes.on(.post, "\(base)/uploads/{id}") { request, context in
            switch request.headers[.methodOverride]?.uppercased() {
            case "PATCH": return try await append(request, context)
            case "DELETE": return try await remove(request, context)
            default: throw WebError.methodNotAllowed(allowed: [.options, .head, .patch, .delete])
            }
        }
    }

    @Sendable private func remove(_ request: Request, _ context: WebContext) async throws -> Response {
        let (session, id) = try await upload(of: request, context)
        try await session.uploads.remove(id)
        return Response(status: .noContent)
    }

    @Sendable private func describe(_ request: Request, _ context: WebContext) -> Response {
        Response(
            status: .noContent,
            headers: [
                .tusVersion: TusProtocol.version, .tusExtension: TusProtocol.extensions,
                .tusMaxSize: "\(service.hello().fileByteLimit)",
                .tusChecksumAlgorithm: TusProtocol.checksumAlgorithms,
            ])
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        try request.requireTusVersion()
        let wanted = try TusCreation(request)
        let session = try await access.sendingSession(of: request, context)
        let creation = try await session.uploads.create(wanted.request, body: wanted.body)
        var status = creation.status
        if let run = creation.run {
            status = try await TusBody(request).send(to: run)
        } else if let body = wanted.body {
            status = try await TusBody(request).resend(body, to: status, in: session)
        }
        var response = answer(.created, status)
        // Relative to the request's own address, so that it is right behind any proxy and under any name.
        response.headers[.location] = "\(PageBase.current)\(base)/uploads/\(status.id)"
        return response
    }

    @Sendable private func append(_ request: Request, _ context: WebContext) async throws -> Response {
        let (session, id) = try await upload(of: request, context)
        let body = try request.tusBody()
        let offset = try request.tusByteCount(.uploadOffset)
        let run = try await session.uploads.resume(id, at: offset, body: body)
        return answer(.noContent, try await TusBody(request).send(to: run))
    }

    private func upload(of request: Request, _ context: WebContext) async throws -> (Session, String) {
        try request.requireTusVersion()
        return (try await access.sendingSession(of: request, context), try context.parameters.require("id"))
    }

    /// Only the answer to HEAD says what the client said of its file.
    private func answer(_ code: HTTPResponse.Status, describing status: UploadStatus) -> Response {
        var response = answer(code, status)
        response.headers[.uploadMetadata] = status.metadata
        return response
    }

    private func answer(_ code: HTTPResponse.Status, _ status: UploadStatus) -> Response {
        var headers: HTTPFields = [.uploadOffset: "\(status.offset)", .uploadLength: "\(status.byteCount)"]
        if let photo = status.photo {
            headers[.safelightSidecar] = PhotoPayload.sidecar(photo)
            if !photo.isHeld { headers[.safelightPhoto] = photo.id }
            headers[.safelightDuplicate] = status.isDuplicate ? "true" : "false"
        } else {
            headers[.uploadExpires] = UTCTime(status.expires).httpDate
        }
        return Response(status: code, headers: headers)
    }
}
