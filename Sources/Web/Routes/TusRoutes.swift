import HTTPTypes
import Hummingbird
import Uploads
import Vaults

/// Resumable uploads by tus 1.0.0, and by the IETF's draft where a request names one of its iterations. An offset that is
/// answered is on disk.
struct TusRoutes {
    let service: VaultService
    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        for path in ["\(base)/uploads", "\(base)/uploads/{id}"] { routes.on(.options, path, describe) }
        routes.on(.post, "\(base)/uploads", create)
        routes.on(.head, "\(base)/uploads/{id}") { request, context in
            if let draft = draft(request) {
                return try await draft.status(of: try context.parameters.require("id"), request, context)
            }
            let (session, id) = try await upload(of: request, context)
            let status = try await session.uploads.status(of: id)
            var response = Response(status: .ok, headers: status.fields)
            // Only this answer says what the client said of its file.
            response.headers[.uploadMetadata] = status.metadata
            return response
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
                .acceptPatch: ([ResumableDraft.mediaType] + TusProtocol.contentTypes).joined(separator: ", "),
                .uploadLimit: ResumableDraft.limit(mostBytes: service.hello().fileByteLimit),
            ])
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        if let answer = try await draft(request)?.create(
            named: { try UploadRoutes.rawName(of: request) }, .photo, request, context)
        {
            return answer
        }
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
        var response = Response(status: .created, headers: status.fields)
        // Relative to the request's own address, so that it is right behind any proxy and under any name.
        response.headers[.location] = "\(PageBase.current)\(base)/uploads/\(status.id)"
        return response
    }

    @Sendable private func append(_ request: Request, _ context: WebContext) async throws -> Response {
        if let draft = draft(request) {
            return try await draft.append(to: try context.parameters.require("id"), request, context)
        }
        let (session, id) = try await upload(of: request, context)
        let body = try request.tusBody()
        let offset = try request.tusByteCount(.uploadOffset)
        let run = try await session.uploads.resume(id, at: offset, body: body)
        return Response(status: .noContent, headers: try await TusBody(request).send(to: run).fields)
    }

    private func upload(of request: Request, _ context: WebContext) async throws -> (Session, String) {
        if draft(request) == nil { try request.requireTusVersion() }
        return (try await access.sendingSession(of: request, context), try context.parameters.require("id"))
    }

    private func draft(_ request: Request) -> ResumableUpload? {
        ResumableUpload(request, access: access, base: base)
    }
}
