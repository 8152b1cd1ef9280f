import Bytes
import HTTPTypes
import Hummingbird
import Logging
import Records
import Unlocking
import Vaults

/// Finds whose request this is.
struct Access: Sendable {
    /// Whose cookies are looked at.
    enum Realm: Sendable {
        /// Those of vaults and guests.
        case page
        /// That of somebody who came to a door, and no password.
        case visitors
        /// That of somebody who came to a window, and no password.
        case viewers
    }

    let service: VaultService
    var realm = Realm.page

    /// The open vault's session by its cookie, or `nil`.
    /// - Parameter isUse: whether the request puts its idle lock off.
    /// - Throws: what keeps one that is not over from being taken up, here and below.
    func vaultSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        guard realm == .page, let token = cookie(.vault, of: request, context) else { return nil }
        let session = try await service.session(token: token, .vault, of: client(of: request, context), isUse: isUse)
        if let session {
            context.noteVault()
            context.allowance.admit(session)
        }
        return session
    }

    /// The guest's session by its cookie, or `nil`; among visitors, the one of somebody who came to a door.
    func guestSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        let (kind, place): (Session.Kind, SessionCookie) = realm == .page ? (.guest, .guest) : (.visitor, .visitor)
        guard let token = cookie(place, of: request, context) else { return nil }
        let session = try await service.session(token: token, kind, of: client(of: request, context), isUse: isUse)
        // A browser has one cookie for all doors: whoever says which one is meant gives nothing at another.
        if realm == .visitors, let door = request.field(.safelightDoor), session?.door?.token.publicName != door {
            return nil
        }
        if context.isReadableVisit { try await session?.requireUnencryptedDoor() }
        if let session { context.allowance.admit(session) }
        return session
    }

    /// The session by its cookie: a request with both acts for the vault.
    func cookieSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        if let session = try await vaultSession(of: request, context, isUse: isUse) { return session }
        return try await guestSession(of: request, context, isUse: isUse)
    }

    /// Finds the session as above, and needs one.
    /// - Throws: `notSignedIn`.
    func session(of request: Request, _ context: WebContext) async throws -> Session {
        guard let session = try await cookieSession(of: request, context) else { throw noSession }
        return session
    }

    /// The session of somebody who looks through a window that is open.
    /// - Parameter isUse: whether the request puts its end off.
    /// - Throws: `sessionEnded`, `windowShut`, `windowOver`.
    func viewerSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session {
        guard let cookie = viewerCookie(of: request, context),
            let session = try await service.viewer(cookie, isUse: isUse)
        else { throw VaultError.sessionEnded }
        context.allowance.admit(session)
        return session
    }

    func viewerCookie(of request: Request, _ context: WebContext) -> ViewerCookie? {
        cookie(.viewer, of: request, context).flatMap(ViewerCookie.init(text:))
    }

    /// What is said to whoever has none: a giver's may have ended because the owner has what was given.
    private var noSession: any Error { realm == .page ? WebError.notSignedIn : VaultError.sessionEnded }

    /// The open vault's session by its cookie, for what a guest may not do.
    /// - Throws: `vaultNeeded` for a guest, `notSignedIn`.
    func requireVaultSession(of request: Request, _ context: WebContext) async throws -> Session {
        let session = try await session(of: request, context)
        guard session.kind == .vault else { throw VaultError.vaultNeeded }
        return session
    }

    /// The session by its cookie, else by `Authorization: Basic`; the password comes before a guest's cookie.
    /// - Throws: `notSignedIn`, or what the vault says to the password; `onlySends` for a door's code.
    func sessionOrCredentials(
        of request: Request, _ context: WebContext, isUse: Bool = true
    ) async throws -> Session {
        guard let session = try await sessionOrCredentialsIfAny(of: request, context, isUse: isUse) else {
            throw noSession
        }
        return session
    }

    /// As `sessionOrCredentials`, but `nil` for a request with neither.
    func sessionOrCredentialsIfAny(
        of request: Request, _ context: WebContext, isUse: Bool = true
    ) async throws -> Session? {
        try await sendingSessionIfAny(of: request, context, isUse: isUse).map(Self.requireMoreThanSending)
    }

    /// For what sends: as `sessionOrCredentials`, and a door's code counts as a password.
    func sendingSession(of request: Request, _ context: WebContext) async throws -> Session {
        guard let session = try await sendingSessionIfAny(of: request, context) else { throw noSession }
        return session
    }

    /// As `sendingSession`, but `nil` for a request with neither session nor credentials.
    func sendingSessionIfAny(
        of request: Request, _ context: WebContext, isUse: Bool = true
    ) async throws -> Session? {
        if let session = try await vaultSession(of: request, context, isUse: isUse) { return session }
        guard realm == .page, request.field(.authorization) != nil else {
            return try await guestSession(of: request, context, isUse: isUse)
        }
        return try await passwordOrCodeSession(of: request, context)
    }

    private static func requireMoreThanSending(_ session: Session) throws(VaultError) -> Session {
        guard session.kind != .sender else { throw .onlySends }
        return session
    }

    /// The session by `Authorization: Basic` alone: of a vault, or, by a door's code, one that sends and may do nothing
    /// else (`kind` is `sender`). Whoever takes it has to see to that.
    /// - Throws: `notSignedIn`, or what the vault or the door says.
    func passwordOrCodeSession(of request: Request, _ context: WebContext) async throws -> Session {
        guard let authorization = request.field(.authorization), let password = try Self.password(from: authorization)
        else { throw WebError.notSignedIn }
        let session = try await service.authenticate(password: password, client: client(of: request, context))
        if session.kind == .vault { context.noteVault() }
        context.allowance.admit(session)
        return session
    }

    func client(of request: Request, _ context: WebContext) -> Client {
        Client(
            address: context.remote, deviceCookie: cookie(.device, of: request, context),
            neighbour: context.neighbour, isOnLink: context.isOnLink)
    }

    private func cookie(_ cookie: SessionCookie, of request: Request, _ context: WebContext) -> String? {
        cookie.value(in: request.headers[values: .cookie], at: context.cookiePlace)
    }

    private static func password(from authorization: String) throws -> Password? {
        guard let credentials = BasicCredentials(authorization: authorization) else { return nil }
        return try credentials.withPassword { try Password(utf8: $0) }
    }
}

extension Allowance {
    /// The request may take what its session may.
    func admit(_ session: Session) {
        switch session.kind {
        case .visitor: admit(as: .giver)
        case .viewer: admit(as: .viewer)
        case .sender: admit(as: .code)
        case .guest: admit(as: .guest)
        case .vault: admit(as: .vault)
        }
    }
}

extension Access {
    /// Both sessions of the browser as its page sees them. Asking does not count as use of them, for a page
    /// counts down to the lock.
    func sessionPayload(of request: Request, _ context: WebContext) async throws -> SessionPayload {
        await SessionPayload(
            vault: try await vaultSession(of: request, context, isUse: false),
            guest: try await guestSession(of: request, context, isUse: false))
    }

    /// What goes with the opening of a vault: a guest moves in unless the request says otherwise. One that cannot be
    /// taken up at the moment keeps nobody from a vault.
    func options(
        keep: Bool?, migrate: Bool?, of request: Request, _ context: WebContext
    ) async -> OpeningOptions {
        var options = OpeningOptions(
            keep: keep ?? false, device: DeviceKind(userAgent: request.headers[.userAgent]))
        guard migrate ?? true else { return options }
        do {
            options.guest = try await guestSession(of: request, context)
        } catch {
            options.refusal = error as? VaultError ?? .busy(retryAfter: .seconds(60))
        }
        return options
    }

    /// The session that the browser had before it opens another; it is locked then. One that cannot be taken up is left
    /// to its last day.
    func earlierSession(of request: Request, _ context: WebContext) async -> Session? {
        try? await vaultSession(of: request, context)
    }

    /// Ends the session that the browser forgets with its cookie; nobody else could. The new one is there by now, and its
    /// answer may tell what is told once, so a failure is noted and no more.
    func end(earlier: Session?, _ context: WebContext) async {
        guard let earlier else { return }
        do {
            try await service.lock(earlier)
        } catch {
            context.logger.warning(
                "an earlier session is ended, but not on disk", metadata: ["kind": "\(type(of: error))"])
        }
    }
}

extension Response {
    /// Gives the browser the cookies of a session that has just begun, and takes the guest's when the guest is no more.
    mutating func setCookies(for opening: Opening, at place: SessionCookie.Place) {
        addCookie(SessionCookie.vault.set(opening.token, isKept: opening.session.isKept, at: place))
        addCookie(SessionCookie.device.set(opening.deviceCookie, isKept: true, at: place))
        if opening.migration != nil { expireGuestCookie(at: place) }
    }

    mutating func setCookie(for guest: GuestOpening, at place: SessionCookie.Place) {
        addCookie(SessionCookie.guest.set(guest.token, isKept: true, at: place))
    }

    /// - Parameter token: of somebody who came to a door.
    mutating func setVisitorCookie(_ token: String, at place: SessionCookie.Place) {
        addCookie(SessionCookie.visitor.set(token, isKept: true, at: place))
    }

    mutating func setCookie(_ viewer: ViewerCookie, at place: SessionCookie.Place) {
        addCookie(SessionCookie.viewer.set(viewer.text, isKept: true, at: place))
    }

    mutating func expireVaultCookie(at place: SessionCookie.Place) {
        addCookie(SessionCookie.vault.expire(at: place))
    }

    mutating func expireGuestCookie(at place: SessionCookie.Place) {
        addCookie(SessionCookie.guest.expire(at: place))
    }

    private mutating func addCookie(_ field: String) {
        headers.append(HTTPField(name: .setCookie, value: field))
    }
}
