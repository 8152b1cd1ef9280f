import Hummingbird
import Records
import Vaults

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
            return try Response(
                from: context.allowance, status: .ok, json: await SessionPayload(vault: nil, guest: session))
        }
        let guest = try await service.beginGuest(client: access.client(of: request, context))
        var response = try Response(
            from: context.allowance, status: .created, json: await SessionPayload(vault: nil, guest: guest.session))
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
        var response = try Response(from: context.allowance, status: .ok, json: EmptyPayload())
        response.expireGuestCookie(at: context.cookiePlace)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }
}
