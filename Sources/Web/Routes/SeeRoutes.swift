import Bytes
import Hummingbird
import Records
import Unlocking
import Vault
import Vaults

/// Those who look through a window: they see what its owner shows there, and fetch it where that is allowed.
///
/// What they may do is exactly what is registered here; their sessions count nowhere else, and no other session counts
/// here.
struct SeeRoutes {
    private let service: VaultService
    private let access: Access
    private let configuration: WebConfiguration

    private var limits: WebLimits { configuration.limits }

    init(service: VaultService, configuration: WebConfiguration) {
        self.service = service
        self.configuration = configuration
        access = Access(service: service, realm: .viewers)
    }

    func add(to routes: RouteTable) {
        routes.on(.post, "/see/api/enter", enter)
        routes.on(.get, "/see/api/session") { request, context in
            try await answer(try await access.viewerSession(of: request, context, isUse: false), request, context)
        }
        routes.on(.delete, "/see/api/session") { request, context in
            await service.endViewer(try await access.viewerSession(of: request, context))
            return try context.answer(EmptyPayload())
        }
        routes.on(.get, "/see/api/door.svg") { request, context in
            let session = try await access.viewerSession(of: request, context, isUse: false)
            let link = CodeLink(configuration, request, context)
            guard let door = SeePayload.Door(try await service.sight(of: session), link) else {
                throw VaultError.noSuchDoor
            }
            return try Response(qrCode: door.link)
        }
        routes.on(.get, "/see/api/timeline") { request, context in
            try await TimelineRoutes.months(
                of: .timeline, try await access.viewerSession(of: request, context), context)
        }
        routes.on(.get, "/see/api/timeline/{month}") { request, context in
            let session = try await access.viewerSession(of: request, context)
            return try await TimelineRoutes.month(of: .timeline, session, request, context)
        }
        routes.on(.get, "/see/api/photos/{id}") { request, context in
            let session = try await access.viewerSession(of: request, context)
            let photo = try await session.photos.photo(try context.parameters.require("id"))
            return try context.answer(PhotoPayload(photo))
        }
        addPictures(to: routes)
        addOriginals(to: routes)
    }

    private func addPictures(to routes: RouteTable) {
        routes.on(.get, "/see/api/photos/{id}/thumbnail") { request, context in
            let session = try await access.viewerSession(of: request, context)
            return try PictureRoutes.answer(
                try await session.pictures.thumbnail(try context.parameters.require("id")))
        }
        routes.on(.get, "/see/api/photos/{id}/preview") { request, context in
            let session = try await access.viewerSession(of: request, context)
            return try PictureRoutes.answer(
                try await session.pictures.preview(try context.parameters.require("id")))
        }
        routes.on(.post, "/see/api/thumbnails") { request, context in
            let session = try await access.viewerSession(of: request, context)
            return try await PictureRoutes.answerList(request, context, in: session)
        }
    }

    private func addOriginals(to routes: RouteTable) {
        routes.on(.get, "/see/api/photos/{id}/original") { request, context in
            let session = try await access.viewerSession(of: request, context)
            let terms = try requireOriginals(session)
            let answer = try await OriginalRoutes.answer(request, context, in: session, showsPlaces: terms.showsPlaces)
            return try counted(answer, request, in: session)
        }
        routes.on(.post, "/see/api/archive") { request, context in
            let session = try await access.viewerSession(of: request, context)
            let isClean = !(try requireOriginals(session).showsPlaces)
            return try await ArchiveRoutes.make(
                request, context, in: session, limits, base: SeeAddresses.base, isClean: isClean)
        }
        routes.on(.post, "/see/api/archive/{name}") { request, context in
            let session = try await access.viewerSession(of: request, context)
            let isClean = !(try requireOriginals(session).showsPlaces)
            return try await ArchiveRoutes.extend(
                request, context, in: session, limits, base: SeeAddresses.base, isClean: isClean)
        }
        routes.on(.get, "/see/api/archive/{name}") { request, context in
            let session = try await access.viewerSession(of: request, context)
            let isClean = !(try requireOriginals(session).showsPlaces)
            let answer = try await ArchiveRoutes.answer(request, context, in: session, isClean: isClean)
            return try counted(answer, request, in: session)
        }
    }

    private func requireOriginals(_ session: Session) throws -> WindowTerms {
        let terms = try session.windowTerms()
        guard terms.hasOriginals else { throw VaultError.windowLooksOnly }
        return terms
    }

    /// What is sent counts against what the window's visitors may fetch in a day, as it is sent: who only begins to fetch
    /// takes nothing from the others.
    private func counted(_ response: Response, _ request: Request, in session: Session) throws -> Response {
        guard request.method != .head else { return response }
        try session.takeFromWindow(0)
        let sent = response.body.map { piece in
            try session.takeFromWindow(UInt64(piece.readableBytes))
            return piece
        }
        var response = response
        response.body = ResponseBody(contentLength: response.body.contentLength) { try await sent.write($0) }
        return response
    }

    @Sendable private func enter(_ request: Request, _ context: WebContext) async throws -> Response {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        // A code with a typing error is no window's.
        guard let code = try fields.windowCode("code") else { throw VaultError.noSuchWindow }
        let hasPassword = try fields.withString("password") { $0 != nil }
        let former = access.viewerCookie(of: request, context)
        let visit = try await service.enterWindow(
            code, password: hasPassword ? try fields.password("password") : nil, cookie: former,
            visit: try fields.text("visit").flatMap(Self.visit), client: access.client(of: request, context))
        // The browser forgets the session that it had.
        if let earlier = try? await access.viewerSession(of: request, context, isUse: false) {
            await service.endViewer(earlier)
        }
        context.allowance.admit(visit.session)
        var response = try await answer(visit.session, request, context, status: .created)
        response.setCookie(visit.cookie, at: context.cookiePlace)
        return response
    }

    /// Nil for what the page does not send, which names no visit.
    private static func visit(_ text: String) -> [UInt8]? {
        Base64URL.decode(text).flatMap { $0.count == 16 ? $0 : nil }
    }

    private func answer(
        _ session: Session, _ request: Request, _ context: WebContext, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let sight = try await service.sight(of: session)
        let link = CodeLink(configuration, request, context)
        return try context.answer(SeePayload(sight, link), status: status)
    }
}

/// What a window says to whoever looks.
struct SeePayload: Encodable {
    /// A door that the owner shows here.
    struct Door: Encodable {
        let link: String
        let code: String
        let name: String

        init?(_ sight: Sight, _ link: CodeLink) {
            guard let door = sight.door else { return nil }
            self.link = link.toDoor(door.code, door.name, takesUnencrypted: door.takesUnencrypted)
            (code, name) = (door.code, door.name)
        }
    }

    let name: String
    let count: Int
    /// As `2026-12-01`.
    let lastDay: String
    let originals: Bool
    /// Where photos were taken is shown, and originals are the files themselves.
    let places: Bool
    /// Another one, once what is shown has changed.
    let version: UInt64
    let door: Door?

    init(_ sight: Sight, _ link: CodeLink) {
        name = sight.terms.name
        count = sight.count
        lastDay = CivilDay.text(sight.terms.lastDay)
        originals = sight.terms.hasOriginals
        places = sight.terms.showsPlaces
        version = sight.version
        door = Door(sight, link)
    }
}
