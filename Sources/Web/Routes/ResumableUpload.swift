import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Records
import Uploads
import Vault
import Vaults

/// Uploads by the IETF's draft: the same as those of tus, whichever request begins them.
///
/// Their address says by a parameter how the request that began them wants to be answered once they are photos, so that
/// the last part gets the answer that the whole file would have got.
struct ResumableUpload {
    /// How a photo is answered.
    enum Answer: String {
        /// The photo alone.
        case photo
        /// A list of it.
        case photos

        static let parameter = "answer"
    }

    /// A smaller file is sent again as soon as it is gone on with, and costs no row of its own.
    static let leastByteCount: UInt64 = 1 << 20

    let draft: ResumableDraft
    let access: Access
    let base: String

    init?(_ request: Request, access: Access, base: String) {
        guard let draft = ResumableDraft(request) else { return nil }
        self.draft = draft
        self.access = access
        self.base = base
    }

    /// Begins an upload, with the bytes that come with it.
    /// - Returns: nil for a request that is taken as any other: a whole file that is small, of unknown length, or to be
    ///   compared with a digest, and one that says nothing of its end.
    func create(
        named name: () throws -> String, _ answer: Answer, _ request: Request, _ context: WebContext
    ) async throws -> Response? {
        guard let isComplete = draft.isComplete(request), !request.headers.contains(.safelightOldHTTP),
            let byteCount = try byteCount(of: request, isComplete: isComplete)
        else { return nil }
        try WholeFile.require(request, isResumable: true)
        let session = try await access.sendingSession(of: request, context)
        let wanted = UploadRequest(
            name: try name(), byteCount: byteCount, lastModified: try request.modified(),
            batch: try request.query("batch"), metadata: Self.mark, album: try request.query("album"),
            path: try request.query("path"), isToldFirst: true)
        let body = request.hasBody ? try uploadBody(of: request) : nil
        let creation = try await session.uploads.create(wanted, body: body)
        let location = "\(PageBase.current)\(base)/uploads/\(creation.status.id)?\(Answer.parameter)=\(answer)"
        var status = creation.status
        if let run = creation.run {
            // Whoever does not wait for it sends on; whoever has sent all by now needs it no more.
            let offer = draft.offer(status, at: location, mostBytes: mostBytes)
            context.channel.writeAndFlush(HTTPResponsePart.head(offer), promise: nil)
            status = try await TusBody(request).send(to: run)
        }
        guard status.photo != nil || !isComplete else { throw VaultError.lengthMismatch }
        var response = try respond(to: status, .created, answer, context)
        response.headers[.location] = location
        return response
    }

    func status(of id: String, _ request: Request, _ context: WebContext) async throws -> Response {
        let status = try await session(of: request, context).uploads.status(of: id)
        return Response(status: .noContent, headers: draft.fields(status, mostBytes: mostBytes))
    }

    func append(to id: String, _ request: Request, _ context: WebContext) async throws -> Response {
        let uploads = try await session(of: request, context).uploads
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard !draft.namesParts || type == ResumableDraft.mediaType else { throw WebError.unsupportedMediaType }
        guard let offset = draft.count(.uploadOffset, of: request) else {
            throw WebError.malformedRequest("Upload-Offset is missing or no count of bytes")
        }
        let answer = try request.query(Answer.parameter).flatMap { Answer(rawValue: $0) } ?? .photo
        if let said = draft.count(.uploadLength, of: request) {
            guard try await uploads.status(of: id).byteCount == said else { throw VaultError.lengthMismatch }
        }
        let run = try await uploads.resume(id, at: offset, body: try uploadBody(of: request))
        let status = try await TusBody(request).send(to: run)
        guard status.photo != nil || draft.isComplete(request) == false else { throw VaultError.lengthMismatch }
        return try respond(to: status, status.photo == nil ? .noContent : .created, answer, context)
    }

    private func session(of request: Request, _ context: WebContext) async throws -> Session {
        try await access.sendingSession(of: request, context)
    }

    private var mostBytes: UInt64 { access.service.hello().fileByteLimit }

    /// Stands where clients of tus describe their file, and tells these uploads from theirs.
    private static let mark = "resumable"

    private func uploadBody(of request: Request) throws -> UploadBody {
        UploadBody(
            byteCount: request.declaredByteCount,
            digest: try AnnouncedDigests.sha256OfContent(request.headers).map { .sha256($0) })
    }

    /// Bytes of the whole file; nil for a whole file that is taken as any other.
    /// - Throws: `lengthMismatch`, `lengthRequired`.
    private func byteCount(of request: Request, isComplete: Bool) throws -> UInt64? {
        let (here, whole) = (request.declaredByteCount, draft.count(.uploadLength, of: request))
        if let here, let whole {
            guard isComplete ? here == whole : here <= whole else { throw VaultError.lengthMismatch }
        }
        guard isComplete else {
            guard let whole else { throw WebError.lengthRequired }
            return whole
        }
        guard let byteCount = whole ?? here, byteCount >= Self.leastByteCount,
            try AnnouncedDigests(request.headers).isEmpty
        else { return nil }
        return byteCount
    }

    private func respond(
        to status: UploadStatus, _ code: HTTPResponse.Status, _ answer: Answer, _ context: WebContext
    ) throws -> Response {
        var response = Response(status: code)
        if let photo = status.photo {
            let payload = PhotoPayload(photo)
            response =
                switch answer {
                case .photo: try context.answer(payload, status: code)
                case .photos:
                    try context.answer(UploadRoutes.Payload(photos: [payload]), status: code)
                }
        }
        response.headers.append(contentsOf: draft.fields(status, mostBytes: mostBytes))
        return response
    }
}

extension UploadStatus {
    /// Where an upload stands, in fields of a header, and what has become of it.
    var fields: HTTPFields {
        var fields: HTTPFields = [.uploadOffset: "\(offset)", .uploadLength: "\(byteCount)"]
        if let photo {
            fields[.safelightSidecar] = PhotoPayload.sidecar(photo)
            if !photo.isHeld { fields[.safelightPhoto] = photo.id }
            fields[.safelightDuplicate] = isDuplicate ? "true" : "false"
        } else {
            fields[.uploadExpires] = UTCTime(expires).httpDate
        }
        return fields
    }
}
