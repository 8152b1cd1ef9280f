import HTTPTypes
import Hummingbird
import Records
import Unlocking
import Vaults

/// Finds whose request this is.
struct Access: Sendable {
    let service: VaultService

    /// The open vault's session by its cookie, or `nil`.
    /// - Parameter isUse: whether the request puts its idle lock off.
    /// - Throws: what keeps one that is not over from being taken up, here and below.
    func vaultSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        guard let token = cookie(.vault, of: request, context) else { return nil }
        let session = try await service.session(token: token, .vault, of: client(of: request, context), isUse: isUse)
        if session != nil { context.noteVault() }
        return session
    }

    /// The guest's session by its cookie, or `nil`.
    func guestSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        guard let token = cookie(.guest, of: request, context) else { return nil }
        return try await service.session(token: token, .guest, of: client(of: request, context), isUse: isUse)
    }

    /// The session by its cookie: a request with both acts for the vault.
    func cookieSession(of request: Request, _ context: WebContext, isUse: Bool = true) async throws -> Session? {
        if let session = try await vaultSession(of: request, context, isUse: isUse) { return session }
        return try await guestSession(of: request, context, isUse: isUse)
    }

    /// Finds the session as above, and needs one.
    /// - Throws: `notSignedIn`.
    func session(of request: Request, _ context: WebContext) async throws -> Session {
        guard let session = try await cookieSession(of: request, context) else {
            throw WebError.notSignedIn
        }
        return session
    }

    /// The open vault's session by its cookie, for what a guest may not do.
    /// - Throws: `vaultNeeded` for a guest, `notSignedIn`.
    func requireVaultSession(of request: Request, _ context: WebContext) async throws -> Session {
        let session = try await session(of: request, context)
        guard session.kind == .vault else { throw VaultError.vaultNeeded }
        return session
    }

    /// The session by its cookie, else by `Authorization: Basic`; the password comes before a guest's cookie.
    /// - Throws: `notSignedIn`, or what the vault says to the password.
    func sessionOrCredentials(
        of request: Request, _ context: WebContext, isUse: Bool = true
    ) async throws -> Session {
        guard let session = try await sessionOrCredentialsIfAny(of: request, context, isUse: isUse) else {
            throw WebError.notSignedIn
        }
        return session
    }

    /// As `sessionOrCredentials`, but `nil` for a request with neither.
    func sessionOrCredentialsIfAny(
        of request: Request, _ context: WebContext, isUse: Bool = true
    ) async throws -> Session? {
        if let session = try await vaultSession(of: request, context, isUse: isUse) { return session }
        guard request.field(.authorization) != nil else {
            return try await guestSession(of: request, context, isUse: isUse)
        }
        return try await passwordSession(of: request, context)
    }

    /// The session by `Authorization: Basic` alone.
    /// - Throws: `notSignedIn`, or what the vault says to the password.
    func passwordSession(of request: Request, _ context: WebContext) async throws -> Session {
        guard let authorization = request.field(.authorization), let password = try Self.password(from: authorization)
        else { throw WebError.notSignedIn }
        let session = try await service.authenticate(password: password, client: client(of: request, context))
        context.noteVault()
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
