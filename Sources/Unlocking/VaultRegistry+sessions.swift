import Logging
package import Records
import Sealing
import Store
package import Vault

/// Sessions that outlive the daemon.
extension VaultRegistry {
    /// Makes a session of this vault outlive the daemon; durable on return.
    /// - Throws: `sessionEnded` when what opens the vault was changed since the admission.
    package func keep(
        _ admission: Admission, token: SessionToken, device: DeviceKind
    ) async throws -> ResumableSession {
        try await alone { [self] keeper in
            let vault = admission.vault
            guard vault.accessEpoch == admission.epoch else { throw VaultError.sessionEnded }
            let record = SessionRecord(
                kind: .vault, uid: vault.uid, key: try vault.duplicateVaultKey(),
                mark: try store.ledger.readBlocking { try $0.sessionMark() }, today: store.sessionDay)
            return try keeper.keepBlocking(record, in: vault, way: admission.way, device: device, token)
        }
    }

    /// Sessions of this vault that fulfil the condition are dead on return, over restarts too.
    /// - Throws: when the disk does not take it. They are dead in this run all the same, and the next opening of the
    ///   vault tries again.
    package func revoke(_ vault: OpenVault, where condition: @escaping @Sendable (KeptSession) -> Bool) async throws {
        try await alone { [self] keeper in
            refuse(vault.keptSessions.filter(condition).map(\.id))
            try keeper.forgetRefused(vault)
        }
    }
}

extension SlotKeeper {
    /// Opens what a token opens.
    /// - Parameter neighbour: who asks, where that is not this host itself.
    /// - Returns: nil for a token of nothing, and for one whose vault does not list it any more.
    /// - Throws: `busy` when it is a guest's and there is no room for one.
    package func reopenBlocking(
        _ token: SessionToken, takesGuests: Bool, of neighbour: [UInt8]? = nil
    ) throws -> (admission: VaultRegistry.Admission, kept: ResumableSession)? {
        let id = try token.id()
        guard !registry.isRefused(id) else { return nil }
        let (body, mark) = try store.ledger.readBlocking { (try $0.session(id), try $0.sessionMark()) }
        guard let body, let record = try SessionRecord.opened(body, token: token) else { return nil }
        if record.kind == .vault, record.mark != mark { return nil }
        if record.kind.isGuest, !takesGuests { throw VaultError.busy(retryAfter: .seconds(60)) }
        guard let vault = try space(of: record, neighbour), isListed(id, in: vault) else { return nil }
        if !vault.isGuest, !vault.isReadOnly { forgetLostWays(vault) }
        registry.begin(vault)
        let way = vault.keptSessions.first { $0.id == id }?.way ?? .first
        return (
            VaultRegistry.Admission(vault: vault, epoch: vault.accessEpoch, way: way),
            try kept(token, lastDay: record.lastDay)
        )
    }

    /// A guest has no other way in, and nobody who could revoke it: a row lost to damage must not cost the photos. What
    /// the sweep has taken has no rows at all.
    fileprivate func isListed(_ id: SessionID, in vault: OpenVault) -> Bool {
        vault.isGuest ? vault.head.rowCount > 0 : vault.keptSessions.contains { $0.id == id }
    }

    fileprivate func space(of record: SessionRecord, _ neighbour: [UInt8]?) throws -> OpenVault? {
        // Nor one that began under a clock that stood in the future.
        if record.kind == .vault, !(store.today...store.sessionDay + SessionRecord.days).contains(record.lastDay) {
            return nil
        }
        let open = registry.known(record.uid)
        let vault = try open ?? load(record, neighbour)
        let isKnown = open != nil
        // One that has been set back may list again what it had revoked, so it is for the password to open.
        guard vault.isGuest || vault.damage?.isSetBack != true else { return nil }
        guard !vault.hasEnded else { return nil }
        if !isKnown { registry.remember(vault) }
        if !isKnown, vault.isGuest {
            registry.engine.guestDiskUsage.add(vault)
            if let space = vault.space { registry.engine.guestAdmission.noteOpened(space) }
        }
        return vault
    }

    private func load(_ record: SessionRecord, _ neighbour: [UInt8]?) throws -> OpenVault {
        try VaultLoader.load(
            uid: record.uid, vaultKey: try record.key.bytes.duplicate(),
            home: record.kind.isGuest ? .guest(expiresDay: record.lastDay) : .vault, engine: registry.engine,
            placeholder: VaultHead(createdDay: UInt64(record.createdDay), slotSets: []),
            checksFiles: registry.checksFiles,
            neighbour: record.kind.isGuest ? neighbour : nil, door: DoorSpace(record))
    }

    /// - Parameter arrival: by which the vault to which it goes finds a guest's space.
    package func keepBlocking(
        _ record: SessionRecord, in vault: OpenVault, arrival: [UInt8]? = nil, way: WayID = .first,
        device: DeviceKind = DeviceKind(),
        _ token: SessionToken
    ) throws -> ResumableSession {
        let (id, body, today) = (try token.id(), try record.sealed(under: token), store.today)
        try vault.changeBlocking(mayUseReserve: false) { change in
            try change.keep(id, body: body, lastDay: record.lastDay, way: way, device: device, today: today)
            guard let arrival, let space = vault.space else { return }
            try change.transaction.putArrival(space, body: arrival, expiresDay: record.lastDay)
        }
        return try kept(token, lastDay: record.lastDay)
    }

    fileprivate func kept(_ token: SessionToken, lastDay: UInt32) throws -> ResumableSession {
        ResumableSession(
            id: try token.id(), lastDay: lastDay,
            handleKey: SharedSecret(try deriveSessionKey(.handles, from: token.bytes)))
    }

    /// What stands on disk of sessions that are dead.
    func forgetRefused(_ vault: OpenVault) throws {
        let dead = Set(vault.keptSessions.map(\.id).filter(registry.isRefused))
        guard !dead.isEmpty else { return }
        try vault.changeBlocking { try $0.forgetSessions { dead.contains($0.id) } }
        registry.noLongerRefuse(dead)
        registry.tidy()
    }

    /// The log does not keep what was just removed. A long read may be in the way; the daily tidying does it then.
    func emptyLog() {
        do {
            try store.ledger.checkpoint()
        } catch {
            logger.warning("the ledger's log could not be emptied", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }
}

extension DoorSpace {
    /// Nil for a session that did not come by a door.
    package convenience init?(_ record: SessionRecord) {
        guard let token = record.door else { return nil }
        self.init(token: token, giver: record.giver, sender: record.sender)
    }
}
