import Hummingbird
import Vaults

/// Opening and locking.
struct SessionRoutes {
    let service: VaultService
    let access: Access
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/session", open)
        routes.on(.get, "/api/session") { request, context in
            try Response(status: .ok, json: SessionPayload(access.cookieSession(of: request, context)))
        }
        routes.on(.delete, "/api/session") { request, context in
            await service.lock(try access.session(of: request, context))
            return try locked(context)
        }
        routes.on(.delete, "/api/sessions") { request, context in
            await service.lockEverywhere(try access.session(of: request, context))
            return try locked(context)
        }
        routes.on(.post, "/api/session/accept-loss") { request, context in
            let session = try access.session(of: request, context)
            try await service.acceptLoss(session)
            return try Response(status: .ok, json: SessionPayload(session))
        }
    }

    @Sendable private func open(_ request: Request, _ context: WebContext) async throws -> Response {
        let password = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
            .password("password")
        let earlier = access.cookieSession(of: request, context)
        let opening = try await service.open(password: password, client: access.client(of: request, context))
        // The browser forgets the earlier session with its cookie; nobody else could end it.
        if let earlier { await service.lock(earlier) }
        var response = try Response(status: .ok, json: OpeningPayload())
        response.setCookies(for: opening, secure: context.isSecure)
        return response
    }

    private func locked(_ context: WebContext) throws -> Response {
        var response = try Response(status: .ok, json: EmptyPayload())
        response.expireVaultCookie(secure: context.isSecure)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }
}
