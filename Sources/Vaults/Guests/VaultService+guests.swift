import Logging
import Sealing
import Store
import Synchronization

extension VaultService {
    /// Begins a space without a password, which only the returned token opens again.
    /// - Throws: `guestsOff`, `tooManyAttempts` for a new guest too many in a day, `busy`, `diskFull`, `draining`.
    package func beginGuest(client: Client) async throws -> GuestOpening {
        try requireNotDraining()
        guard configuration.takesGuests else { throw VaultError.guestsOff }
        guard sessions.count(.guest) < configuration.limits.openGuests else {
            throw VaultError.busy(retryAfter: .seconds(60))
        }
        let isCounted = !client.address.isLoopback
        if isCounted, let wait = newGuests.withLock({ $0.take(now: .now) }) {
            throw VaultError.tooManyAttempts(retryAfter: wait)
        }
        return try await translating { [self] in
            let token = try SessionToken()
            let (admission, kept) = try await registry.makeGuest(token)
            let session = try self.session(of: admission, kept: kept)
            try sessions.add(session, under: token.hash)
            return GuestOpening(session: session, token: token.text)
        }
    }

    /// Deletes the space and everything in it, for good.
    package func endGuest(_ session: Session) async throws {
        let space = try session.requireVault()
        guard space.isGuest else { throw VaultError.vaultOpen }
        try await translating { [self] in try await registry.remove(space) }
        await sessions.endAll(of: space.uid)
    }

    /// The session of a cookie, which may be one of an earlier run. Nil when it is unknown, over, locked, or of another
    /// kind; counts as use.
    package func session(token text: String, _ kind: Session.Kind = .vault) async -> Session? {
        guard let token = SessionToken(text: text) else { return nil }
        if let session = sessions.session(key: token.hash) { return session.kind == kind ? session : nil }
        guard !engine.isDraining, let session = await reopen(token), session.kind == kind else { return nil }
        return session
    }

    private func reopen(_ token: SessionToken) async -> Session? {
        do {
            let (session, isNew) = try await registry.alone { [self] () -> (Session?, Bool) in
                // Requests come together, and each would make one.
                if let session = sessions.session(key: token.hash) { return (session, false) }
                guard let (admission, kept) = try registry.reopenBlocking(token) else { return (nil, false) }
                let session = try self.session(of: admission, kept: kept)
                try sessions.add(session, under: token.hash)
                return (session, true)
            }
            if isNew, let vault = try? session?.requireVault(), !vault.isGuest { try await purgeTrash(of: vault) }
            return session
        } catch {
            logger.warning("a session could not be taken up", metadata: ["reason": "\(VaultError(error).code)"])
            return sessions.session(key: token.hash)
        }
    }

    /// Makes what a guest has the vault's. Requests of the guest that run go on in the other session.
    func move(_ guest: Session, into session: Session) async throws -> Migration {
        let (space, vault) = (try guest.requireVault(), try session.requireWritableVault())
        guard space.isGuest else { throw VaultError.vaultOpen }
        guest.setSuccessor(session)
        let outcome: GuestMove.Outcome
        do {
            outcome = try await registry.takeIn(space, into: vault)
        } catch {
            guest.setSuccessor(nil)
            throw error
        }
        session.takeOver(guest, serials: outcome.serials)
        sessions.move(space.uid)
        await registry.finishMove()
        return outcome.migration
    }
}
