import Bytes
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Records
import Vault
import Vaults

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
            return try context.answer(Payload(photos: [PhotoPayload(photo)]), status: .created)
        }
        routes.on(.put, "\(base)/photos/{id}", put)
        // Of the page alone.
        if base == "/api" {
            // The fixed addresses beside `{id}` are names of files here like any other.
            for path in [
                "/api/photos/delete", "/api/photos/restore", "/api/photos/favourite", "/api/photos/archived",
                "/api/photos/place",
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
        return try context.answer(PhotoPayload(photo), status: .created)
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

/// Which of some files need not be sent, since the vault has their content.
struct UploadCheckRoutes {
    /// 200 questions of about 220 bytes each, with room for white space, and for paths of the usual length.
    private static let bodyByteCount = 256 * 1024

    let access: Access
    var base = "/api"

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/uploads/check") { request, context in
            let session = try await access.sendingSession(of: request, context)
            let questions = try await request.decodeJSON(
                [ContentQuestionPayload].self, limit: Self.bodyByteCount, context)
            guard questions.count <= Session.Uploads.mostContentQuestions else {
                throw WebError.malformedJSON("it asks more than \(Session.Uploads.mostContentQuestions) questions")
            }
            let answers = try await session.uploads.answers(
                to: questions.map(\.question), at: questions.map(\.path))
            return try context.answer(answers.map(\.rawValue))
        }
    }
}

/// One of `{size, sha256}`, `{size, tree}` and `{size, first, last}`; digests are hexadecimal SHA-256. With `path`, where the
/// file lies, for what lies beside it.
struct ContentQuestionPayload: Decodable {
    private enum Key: String, CodingKey { case size, sha256, tree, first, last, path }

    let question: ContentQuestion
    let path: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let size = try container.decode(UInt64.self, forKey: .size)
        path = try container.decodeIfPresent(String.self, forKey: .path)
        let kinds = [Key.sha256, .tree, .first].filter(container.contains)
        guard kinds.count == 1, container.contains(.first) == container.contains(.last) else {
            throw WebError.malformedJSON("a question names sha256, or tree, or first and last")
        }
        switch kinds[0] {
        case .sha256: question = .whole(byteCount: size, sha256: try Self.digest(container, .sha256))
        case .tree: question = .tree(byteCount: size, digest: try Self.digest(container, .tree))
        default:
            question = .ends(
                byteCount: size, first: try Self.digest(container, .first), last: try Self.digest(container, .last))
        }
    }

    private static func digest(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> [UInt8] {
        guard let digest = Hexadecimal.decode(try container.decode(String.self, forKey: key)), digest.count == 32 else {
            throw WebError.malformedJSON("\(key.rawValue) is not 64 hexadecimal digits")
        }
        return digest
    }
}

/// Takes what Android's share sheet hands to the installed page: the form that `share_target` of its manifest describes.
///
/// The system causes this navigation, and no site: browsers say so by `Sec-Fetch-Site: none`, with an `Origin` of `null`,
/// and send along the cookies of this host, although they are `SameSite=Strict`, as to an address that somebody has typed
/// (RFC 6265bis, 5.2.1). A form of another site says `cross-site`, and is refused before it comes here.
struct ShareRoutes {
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/share") { request, context in
            do {
                return try await receive(request, context)
            } catch {
                // Whoever shares looks at a page, whatever the browser asks for.
                let problem = ErrorAnswer.problem(for: error)
                var response = FormPage.problem(problem, saved: 0)
                response.headers[.retryAfter] = problem.retryAfter.map(String.init)
                return response
            }
        }
    }

    /// Where the photos go, and the space that was begun for them.
    private func space(of request: Request, _ context: WebContext) async throws -> (Session, GuestOpening?) {
        if let session = try await access.cookieSession(of: request, context) { return (session, nil) }
        // Where the browser might have a cookie that it did not send, another one would take the place of that, and with
        // it the photos of a guest.
        guard request.field(.secFetchSite) == "none" else { throw WebError.notSignedIn }
        let guest = try await access.service.beginGuest(client: access.client(of: request, context))
        context.allowance.admit(guest.session)
        return (guest.session, guest)
    }

    private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
        try WholeFile.require(request)
        let boundary = try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
        let (session, begun) = try await space(of: request, context)
        var receiver = FormReceiver(
            access: access, request, context, batch: nil, album: nil)
        receiver.session = session
        receiver.takesPassword = false
        var response: Response
        do {
            try await FormUpload(access: access, limits: limits).read(request, boundary, &receiver)
            response = Self.shown(receiver)
        } catch {
            await receiver.abandon()
            guard receiver.savedCount > 0 else {
                // Nobody has been told of a space that nothing came into.
                if let begun { try await access.service.endGuest(begun.session) }
                throw error
            }
            response = FormPage.problem(ErrorAnswer.problem(for: error), saved: receiver.savedCount)
        }
        if let begun { response.setCookie(for: begun, at: context.cookiePlace) }
        return response
    }

    /// The page shows them; how many, and how many not, stands behind the `#`, where no log sees it.
    private static func shown(_ receiver: FormReceiver) -> Response {
        let failed = receiver.results.count - receiver.savedCount
        let words = "shared=\(receiver.savedCount)" + (failed > 0 ? "&failed=\(failed)" : "")
        return Response(status: .seeOther, headers: [.location: "\(PageBase.current)/#\(words)", .contentLength: "0"])
    }
}
