import Hummingbird
import Records
import Unlocking
import Vault
import Vaults

/// Those who come to a door: they give, see what they gave as long as nobody has taken it, and take it back.
///
/// What they may do is exactly what is registered here; their sessions count nowhere else, and no other session counts
/// here.
struct GiveRoutes {
    private let service: VaultService
    private let access: Access
    private let reminder: UpgradeReminder
    private let limits: WebLimits
    private let base = GiveAddresses.base

    init(service: VaultService, reminder: UpgradeReminder, limits: WebLimits) {
        self.service = service
        self.reminder = reminder
        self.limits = limits
        access = Access(service: service, realm: .visitors)
    }

    func add(to routes: RouteTable) {
        routes.on(.post, "\(base)/look") { request, context in
            let (code, _) = try await read(request, context)
            let (notice, door) = try await service.look(
                at: code, isEncrypted: !context.isReadableVisit, client: access.client(of: request, context))
            return try context.answer(DoorNoticePayload(notice, of: door, fileByteLimit: fileByteLimit))
        }
        routes.on(.post, "\(base)/enter", enter)
        routes.on(.get, "\(base)/session") { request, context in
            let session = try await access.session(of: request, context)
            guard let door = session.door else { throw VaultError.sessionEnded }
            let (notice, given) = (try await session.doorNotice(), try await session.givenSoFar())
            return try context.answer(
                VisitPayload(
                    door: DoorNoticePayload(notice, of: door.token, fileByteLimit: fileByteLimit),
                    giver: door.giver,
                    count: given.count, byteCount: given.byteCount))
        }
        UploadRoutes(access: access, limits: limits, base: base).add(to: routes)
        TusRoutes(service: service, access: access, base: base).add(to: routes)
        UploadCheckRoutes(access: access, base: base).add(to: routes)
        BatchRoutes(access: access, reminder: reminder, base: base).add(to: routes)
        PhotoRoutes(access: access, base: base).add(to: routes)
        PictureRoutes(access: access, base: base).add(to: routes)
        routes.on(.delete, "\(base)/photos/{id}") { request, context in
            try await access.session(of: request, context).takeBack(try context.parameters.require("id"))
            return try context.answer(EmptyPayload())
        }
    }

    private var fileByteLimit: UInt64 { service.hello().fileByteLimit }

    @Sendable private func enter(_ request: Request, _ context: WebContext) async throws -> Response {
        let (code, giver) = try await read(request, context)
        let visit = try await service.enter(
            code, giver: giver, present: try await access.guestSession(of: request, context),
            isEncrypted: !context.isReadableVisit, client: access.client(of: request, context))
        var response = try context.answer(
            DoorNoticePayload(visit.notice, of: visit.door, fileByteLimit: fileByteLimit), status: .created)
        if let token = visit.token { response.setVisitorCookie(token, at: context.cookiePlace) }
        return response
    }

    /// A code with a typing error is no door's.
    private func read(_ request: Request, _ context: WebContext) async throws -> (DoorCode, giver: String?) {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        guard let code = try fields.doorCode("code") else { throw VaultError.noSuchDoor }
        return (code, try fields.text("giver"))
    }
}

/// What a door says to whoever has its code.
struct DoorNoticePayload: Encodable {
    /// What the field `Safelight-Door` names it by.
    let id: String
    let name: String
    let asksName: Bool
    let lookFirst: Bool
    /// As `2026-12-01`.
    let lastDay: String
    /// The largest file taken, in bytes.
    let fileByteLimit: UInt64
    let bytesLeft: UInt64
    let photosLeft: UInt32

    init(_ notice: DoorNotice, of door: DoorToken, fileByteLimit: UInt64) {
        id = door.publicName
        name = notice.terms.name
        asksName = notice.terms.asksName
        lookFirst = notice.terms.looksFirst
        lastDay = CivilDay.text(notice.terms.lastDay)
        self.fileByteLimit = fileByteLimit
        bytesLeft = notice.bytesLeft
        photosLeft = notice.photosLeft
    }
}

/// What somebody gave who came to a door, as far as nobody has taken it.
struct VisitPayload: Encodable {
    let door: DoorNoticePayload
    let giver: String?
    let count: Int
    let byteCount: UInt64
}

/// A space without a password: its beginning, and its end with everything in it.
struct GuestRoutes {
    let service: VaultService
    let access: Access

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/guest", begin)
        routes.on(.delete, "/api/guest", end)
    }

    @Sendable private func begin(_ request: Request, _ context: WebContext) async throws -> Response {
        guard try await access.vaultSession(of: request, context) == nil else { throw VaultError.vaultOpen }
        // Another space would leave the photos of this one to nobody.
        if let session = try await access.guestSession(of: request, context) {
            return try context.answer(await SessionPayload(vault: nil, guest: session))
        }
        let guest = try await service.beginGuest(client: access.client(of: request, context))
        var response = try context.answer(await SessionPayload(vault: nil, guest: guest.session), status: .created)
        response.setCookie(for: guest, at: context.cookiePlace)
        return response
    }

    /// The guest's cookie is what counts here, whether or not a vault is open beside it.
    @Sendable private func end(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let session = try await access.guestSession(of: request, context) else {
            guard try await access.vaultSession(of: request, context) == nil else { throw VaultError.vaultOpen }
            throw WebError.notSignedIn
        }
        try await service.endGuest(session)
        var response = try context.answer(EmptyPayload())
        response.expireGuestCookie(at: context.cookiePlace)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }
}
