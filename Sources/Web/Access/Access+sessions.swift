import Hummingbird
import Vaults

extension Access {
    /// Both sessions of the browser as its page sees them. Asking is no use of them: a page counts down to the lock.
    func sessionPayload(of request: Request, _ context: WebContext) async throws -> SessionPayload {
        await SessionPayload(
            vault: try await vaultSession(of: request, context, isUse: false),
            guest: try await guestSession(of: request, context, isUse: false))
    }

    /// What goes with the opening of a vault: a guest moves in unless the request says otherwise.
    func wishes(
        keep: Bool?, migrate: Bool?, of request: Request, _ context: WebContext
    ) async throws -> OpeningWishes {
        OpeningWishes(
            keep: keep ?? false, guest: migrate ?? true ? try await guestSession(of: request, context) : nil)
    }
}
