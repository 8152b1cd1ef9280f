import Hummingbird
import Vaults

/// Creating a vault, changing its password, erasing it.
struct VaultRoutes {
    let service: VaultService
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/vaults", create)
        routes.on(.put, "/api/vault/password", changePassword)
        routes.on(.delete, "/api/vault", erase)
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        let (password, confirmation, code) = try await readCreation(request, context)
        let earlier = access.cookieSession(of: request, context)
        let opening = try await service.create(
            password: password, confirmation: confirmation, code: code, client: access.client(of: request, context))
        if let earlier { await service.lock(earlier) }
        var response = try Response(status: .created, json: OpeningPayload())
        response.setCookies(for: opening, secure: context.isSecure)
        return response
    }

    @Sendable private func changePassword(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try access.session(of: request, context)
        let (current, new, confirmation) = try await readChange(request, context)
        try await service.changePassword(
            session, current: current, new: new, confirmation: confirmation,
            client: access.client(of: request, context))
        return try Response(status: .ok, json: EmptyPayload())
    }

    @Sendable private func erase(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try access.session(of: request, context)
        let password = try await readPassword(request, context)
        try await service.erase(session, password: password, client: access.client(of: request, context))
        var response = try Response(status: .accepted, json: EmptyPayload())
        response.expireVaultCookie(secure: context.isSecure)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

    // The raw fields go, overwritten, before the vault is asked; only locked memory is left.

    private func readCreation(
        _ request: Request, _ context: WebContext
    ) async throws -> (password: Password, confirmation: Password, code: String?) {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return (try fields.password("password"), try fields.password("confirmation"), try fields.text("code"))
    }

    private func readChange(
        _ request: Request, _ context: WebContext
    ) async throws -> (current: Password, new: Password, confirmation: Password) {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return (
            try fields.password("current"), try fields.password("password"), try fields.password("confirmation")
        )
    }

    private func readPassword(_ request: Request, _ context: WebContext) async throws -> Password {
        try await request.secretFields(limit: limits.passwordBodyByteCount, context).password("password")
    }
}
