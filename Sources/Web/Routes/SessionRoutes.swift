import Hummingbird
import Unlocking
import Vault
import Vaults

/// Opening and locking.
struct SessionRoutes {
    private struct Sending: Decodable {
        let device: String
        let done: Int
        let total: Int
    }

    let service: VaultService
    let access: Access
    let reminder: UpgradeReminder
    let limits: WebLimits

    func add(to routes: RouteTable) {
        routes.on(.post, "/api/session", open)
        routes.on(.get, "/api/session") { request, context in
            try context.answer(try await access.sessionPayload(of: request, context))
        }
        // Somebody is there, and asks for nothing else.
        routes.on(.post, "/api/session/use") { request, context in
            _ = try await access.session(of: request, context)
            return try context.answer(try await access.sessionPayload(of: request, context))
        }
        routes.on(.post, "/api/session/sending") { request, context in
            let session = try await access.session(of: request, context)
            let sending = try await request.decodeJSON(Sending.self, limit: limits.passwordBodyByteCount, context)
            guard let device = SendingReport.Device(rawValue: sending.device),
                let report = SendingReport(device: device, done: sending.done, total: sending.total)
            else {
                throw WebError.malformedJSON("device must be phone, tablet or computer, and done no more than total")
            }
            try session.note(report)
            return try context.answer(EmptyPayload())
        }
        routes.on(.delete, "/api/session") { try await lock($0, $1, service.lock) }
        routes.on(.delete, "/api/sessions") { try await lock($0, $1, service.lockEverywhere) }
        routes.on(.get, "/api/sessions") { request, context in
            let session = try await access.requireVaultSession(of: request, context)
            let open = try service.openSessions(of: session).rows(from: context.allowance) { OpenSessionPayload($0) }
            return try context.answer(OpenSessionPayload.List(sessions: open))
        }
        routes.on(.delete, "/api/sessions/{id}", end)
        routes.on(.post, "/api/session/accept-loss") { request, context in
            try await service.acceptLoss(try await access.session(of: request, context))
            return try context.answer(try await access.sessionPayload(of: request, context))
        }
    }

    @Sendable private func open(_ request: Request, _ context: WebContext) async throws -> Response {
        let (secret, keep, migrate) = try await readOpening(request, context)
        let earlier = await access.earlierSession(of: request, context)
        let opening = try await service.open(
            secret: secret, client: access.client(of: request, context),
            options: await access.options(keep: keep, migrate: migrate, of: request, context))
        await access.end(earlier: earlier, context)
        var response = try context.answer(OpeningPayload(opening))
        response.setCookies(for: opening, at: context.cookiePlace)
        return response
    }

    private func readOpening(
        _ request: Request, _ context: WebContext
    ) async throws -> (secret: VaultSecret, keep: Bool?, migrate: Bool?) {
        let fields = try await request.secretFields(limit: limits.passwordBodyByteCount, context)
        return (try fields.vaultSecret(), try fields.boolean("keep"), try fields.boolean("migrate"))
    }

    @Sendable private func end(_ request: Request, _ context: WebContext) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        try await service.end(try context.parameters.require("id"), of: session)
        var response = try context.answer(EmptyPayload())
        if session.isEnded { response.expireVaultCookie(at: context.cookiePlace) }
        return response
    }

    private func lock(
        _ request: Request, _ context: WebContext, _ end: (Session) async throws -> Void
    ) async throws -> Response {
        let session = try await access.requireVaultSession(of: request, context)
        let upgrade = await reminder.payload(for: session)
        var response: Response
        do {
            try await end(session)
            response = try context.answer(LockPayload(upgrade: upgrade))
        } catch {
            // What could not be written down counts here and now all the same.
            response = try ErrorAnswer.response(to: error, context)
        }
        response.expireVaultCookie(at: context.cookiePlace)
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }
}

/// A session has ended.
struct LockPayload: Encodable {
    let upgrade: UpgradePayload?
}
