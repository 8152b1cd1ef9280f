import Hummingbird
import Vaults

extension Access {
    /// Both sessions of the browser as its page sees them.
    func sessionPayload(of request: Request, _ context: WebContext) async -> SessionPayload {
        await SessionPayload(
            vault: await vaultSession(of: request, context), guest: await guestSession(of: request, context))
    }

    /// What goes with the opening of a vault: a guest moves in unless the request says otherwise.
    func wishes(
        keep: Bool?, migrate: Bool?, of request: Request, _ context: WebContext
    ) async -> OpeningWishes {
        OpeningWishes(
            keep: keep ?? false, guest: migrate ?? true ? await guestSession(of: request, context) : nil)
    }
}
