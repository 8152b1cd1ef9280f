import Hummingbird
import Unlocking
import Vaults

/// Creating a vault, changing its password or its key, erasing it.
struct VaultRoutes {
    let service: VaultService
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/vaults", create)
        routes.on(.put, "/api/vault/password", changePassword)
        routes.on(.post, "/api/vault/rotate", rotateKey)
        routes.on(.delete, "/api/vault", erase)
    }

    @Sendable private func create(_ request: Request, _ context: WebContext) async throws -> Response {
        let creation = try await readCreation(request, context)
        let earlier = await access.earlierSession(of: request, context)
        let opening = try await service.create(
            password: creation.password, confirmation: creation.confirmation, code: creation.code,
            client: access.client(of: request, context), makesRecoveryCode: creation.recovery ?? false,
            options: await access.options(keep: creation.keep, migrate: creation.migrate, of: request, context))
        await access.end(earlier: earlier, context)
        var response = try Response(from: context.allowance, status: .created, json: OpeningPayload(opening))
        response.setCookies(for: opening, at: context.cookiePlace)
        return response
    }

    @Sendable private func changePassword(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let (current, new, confirmation) = try await readChange(request, context)
        try await service.changePassword(
            session, current: current, new: new, confirmation: confirmation,
            client: access.client(of: request, context))
        return try Response(from: context.allowance, status: .ok, json: EmptyPayload())
    }

    @Sendable private func rotateKey(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let password = try await readPassword(request, context)
        let isFinished = try await service.rotateKey(
            session, password: password, client: access.client(of: request, context))
        return try Response(from: context.allowance, status: .ok, json: RotationPayload(finished: isFinished))
    }

    @Sendable private func erase(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let password = try await readPassword(request, context)
        try await service.erase(session, password: password, client: access.client(of: request, context))
        var response = try Response(from: context.allowance, status: .accepted, json: EmptyPayload())
        response.expireVaultCookie(at: context.cookiePlace)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

    // The raw fields go, overwritten, before the vault is asked; only locked memory is left.

    private struct Creation {
        let password: Password
        let confirmation: Password
        let code: String?
        let keep: Bool?
        let migrate: Bool?
        let recovery: Bool?
    }

    private func readCreation(_ request: Request, _ context: WebContext) async throws -> Creation {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return Creation(
            password: try fields.password("password"), confirmation: try fields.password("confirmation"),
            code: try fields.text("code"), keep: try fields.boolean("keep"), migrate: try fields.boolean("migrate"),
            recovery: try fields.boolean("recovery"))
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

/// A vault has another key.
struct RotationPayload: Encodable {
    /// Whether the slots hold it; else the next opening writes it there.
    let finished: Bool
}
