import HTTPTypes
import Hummingbird
import Logging
import Records
import Vaults

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
