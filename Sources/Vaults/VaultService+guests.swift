import Logging
package import Records
import Sealing
import Store
import Synchronization
import Vault

extension VaultService {
    /// Begins a space without a password, which only the returned token opens again.
    /// - Throws: `guestsOff`, `tooManyAttempts` for a new guest too many in a day, `busy`, `diskFull`, `draining`.
    package func beginGuest(client: Client) async throws -> GuestOpening {
        try requireNotDraining()
        guard configuration.takesGuests else { throw VaultError.guestsOff }
        let isCounted = !client.address.isLoopback
        if isCounted { try engine.guestAdmission.count(client) }
        return try await translating { [self] in
            try await makePlaceForGuest(isCounted: isCounted)
            let token = try SessionToken()
            let (admission, kept) = try await registry.makeGuest(token, of: client.neighbourToCount)
            let session = try self.session(of: admission, client, kept: kept)
            try sessions.add(session, under: token.hash)
            return GuestOpening(session: session, token: token.text)
        }
    }

    /// What costs nothing gives way to who comes: the oldest empty space of whoever has most. So do sessions of whoever
    /// has many, for their cookies bring them back.
    func makePlaceForGuest(isCounted: Bool) async throws {
        let limit = configuration.limits.openGuests
        while sessions.guestCount >= limit {
            if await sessions.endIdleGuest(ofMoreThan: max(4, limit / 8)) { continue }
            if try await endEmptyGuest() { continue }
            guard await sessions.endIdleGuest(ofMoreThan: 1) else { throw VaultError.busy(retryAfter: .seconds(60)) }
        }
        try await removeOverdue()
        while isCounted, let wait = engine.guestAdmission.takeOfToday() {
            guard try await endEmptyGuest(where: { $0.door == nil }) else {
                throw VaultError.tooManyAttempts(retryAfter: wait, of: .guests)
            }
        }
    }

    /// The same for whoever comes to a door. A party is many who have one session each: the one that was not used for
    /// longest lets go of its keys, and goes on by its cookie.
    /// - Parameter holder: by whom visits are counted; nil for this host itself, and for programs.
    func makePlaceForVisitor(countedFor holder: [UInt8]?) async throws {
        let limit = configuration.limits.openGuests
        while sessions.guestCount >= limit {
            if await sessions.endIdleGuest(ofMoreThan: max(4, limit / 8)) { continue }
            if await sessions.endIdleVisitor() { continue }
            if try await endEmptyGuest() { continue }
            guard await sessions.endIdleGuest(ofMoreThan: 1) else { throw VaultError.busy(retryAfter: .seconds(60)) }
        }
        try await removeOverdue()
        guard let holder else { return }
        while let refusal = engine.guestAdmission.takeVisitOfToday(for: holder) {
            switch refusal {
            case .ofAsker(let wait):
                // What others have begun is not in the way.
                guard try await endEmptyGuest(where: { $0.door != nil && $0.neighbour == holder }) else {
                    throw VaultError.tooManyAttempts(retryAfter: wait, of: .visits)
                }
            case .ofAll(let wait):
                guard try await endEmptyGuest(where: { $0.door != nil && $0.neighbour != nil }) else {
                    throw VaultError.tooManyAttempts(retryAfter: wait, of: .visits)
                }
            }
        }
    }

    private func removeOverdue() async throws {
        let overdue = engine.guestAdmission.takeOverdue()
        guard !overdue.isEmpty else { return }
        try await registry.removeEmptied(overdue.map(GuestSpaceID.init(row:)))
        engine.guestDiskUsage.forget(overdue)
    }

    /// False when there is none.
    private func endEmptyGuest(where isMeant: (OpenVault) -> Bool = { _ in true }) async throws -> Bool {
        let spaces = registry.openVaults.filter { $0.isGuest && !$0.hasEnded && isMeant($0) }
        guard let space = GuestAdmission.nextToGo(among: spaces) else { return false }
        // Where something has come since, another one may go; rows that nobody can open are nothing to wait for.
        guard try await registry.removeEmpty(space) else { return space.hasEnded || !space.isEmptyGuest }
        engine.guestAdmission.giveBackOfToday(space)
        await sessions.endAll(of: space.uid)
        return true
    }

    /// Deletes the space and everything in it, for good.
    package func endGuest(_ session: Session) async throws {
        let space = try session.requireVault()
        guard space.isGuest else { throw VaultError.vaultOpen }
        try await translating { [self] in try await registry.remove(space) }
        await sessions.endAll(of: space.uid)
    }

    /// The session of a cookie, which may be one of an earlier run. Nil when it is unknown, over, locked, or of another
    /// kind.
    /// - Parameters:
    ///   - client: who asks; nil for this host itself.
    ///   - isUse: whether asking puts its idle lock off. One that is taken up again begins anew in any case.
    /// - Throws: what keeps it from being taken up, such as `busy`, `draining`, `degraded`. It is not over then: a guest
    ///   who took it for over would begin another, and nobody would have the cookie of the first.
    package func session(
        token text: String, _ kind: Session.Kind = .vault, of client: Client? = nil, isUse: Bool = true
    ) async throws -> Session? {
        guard let token = SessionToken(text: text) else { return nil }
        if let session = sessions.session(key: token.hash, isUse: isUse) {
            return session.kind == kind ? session : nil
        }
        return try await translating { [self] in
            // A cookie of nothing does not wait for those who open vaults.
            let id = try token.id()
            guard try await store.ledger.read({ try $0.session(id) }) != nil else { return nil }
            try requireNotDraining()
            guard let session = try await takeUp(token, client), session.kind == kind else { return nil }
            return session
        }
    }

    func takeUp(_ token: SessionToken, _ client: Client?) async throws -> Session? {
        // More than new ones: those that have photos here come first.
        let mostGuests = configuration.limits.openGuests * 2
        while sessions.guestCount >= mostGuests {
            if await sessions.endIdleGuest(ofMoreThan: 1) { continue }
            guard await sessions.endIdleVisitor() else { break }
        }
        let (session, isNew) = try await registry.alone { [self] keeper -> (Session?, Bool) in
            // Requests come together, and each would make one.
            if let session = sessions.session(key: token.hash) { return (session, false) }
            let reopened = try keeper.reopenBlocking(
                token, takesGuests: sessions.guestCount < mostGuests, of: client?.neighbourToCount)
            guard let (admission, kept) = reopened else { return (nil, false) }
            let session = try self.session(of: admission, client, kept: kept)
            try noteGiver(client, in: session)
            try sessions.add(session, under: token.hash)
            watchDoor(of: admission.vault)
            return (session, true)
        }
        guard isNew, let session else { return session }
        await sessions.endExcess(besides: session, limits: configuration.limits)
        if let vault = session.openVault, !vault.isGuest {
            if let bytes = client?.deviceCookie.flatMap(devices.bytes) { await ghosts?.attend(bytes) }
            try? await purgeTrash(of: vault)
            doors.vaultOpened(vault)
        }
        return session
    }

    /// Makes what a guest has the vault's. Requests of the guest that run go on in the other session.
    func move(_ guest: Session, into session: Session) async throws -> Migration {
        let transfer = try OwnershipTransfer(of: guest, to: session, in: sessions)
        let migration = try await registry.alone { keeper in try transfer.runBlocking(keeper) }
        await registry.finishMove()
        return migration
    }
}
