import Logging
import Records
import Sealing
package import Store
package import Vault

/// Change of a password.
extension VaultRegistry {
    /// On return the new password opens the vault and the old one does not. Sessions that outlive the daemon are dead by
    /// then, except for the one that asks; that comes first, for a disk that fails later must not keep them alive.
    /// - Parameters:
    ///   - current: what the secret may mean that is typed once more. A recovery code stands in for the first password.
    ///   - new: as `current`; the first is the one that is to open the vault.
    /// - Throws: `noSuchVault` when `current` does not open this vault, `passwordTaken` when `new` opens another, or
    ///   this one by another way.
    package func change(
        _ vault: OpenVault, from current: [SharedRoot], to new: [SharedRoot], keeping session: SessionID? = nil
    ) async throws {
        try await alone { keeper in
            let root = try keeper.prove(current, of: vault)
            guard let found = try keeper.slots.find(root), let newRoot = new.first else { throw VaultError.noSuchVault }
            let typed = try keeper.admit(found, to: vault)
            try keeper.finishInterruptedChange(vault, found, root, typed)
            try keeper.finishRotation(vault, root, typed)
            let way = vault.kind(of: typed) == .password ? typed : .first
            guard let old = try keeper.standing(of: way, root: way == typed ? root : nil, vault) else {
                throw VaultError.noSuchVault
            }
            // Slots that are listed already are the vault's own, and nobody else's wear by them. Counted before anybody
            // looks what the new password opens, or who may change nothing more could ask without a limit.
            let positions = try newRoot.root.slotPositions()
            if old.positions != positions, !vault.slotSets(of: way).contains(where: { $0.positions == positions }) {
                try keeper.takeSecret(of: vault)
            }
            try keeper.requireFree(new, for: way, vault)
            try keeper.replace(old, by: newRoot, way, vault, keeping: session)
        }
    }
}

extension SlotKeeper {
    /// The slots that a change replaces. Finishing an earlier change may have written others than were found before.
    /// - Parameter root: nil when the password itself is not known; then the head says where it stands.
    fileprivate func standing(of way: WayID, root: SharedRoot?, _ vault: OpenVault) throws -> SlotSet? {
        if let root { return try slots.find(root)?.slotSet }
        return vault.slotSets(of: way).last { $0.state == .live }
            ?? SlotSet(state: .live, positions: SlotDirectory.noPositions, hashes: SlotDirectory.noHashes)
    }

    fileprivate func requireFree(_ new: [SharedRoot], for way: WayID, _ vault: OpenVault) throws {
        guard let root = try pick(new), let taken = try slots.find(root) else { return }
        let listed = vault.way(at: taken.positions)
        guard taken.payload.vaultUID == vault.uid, listed == nil || listed == way else {
            throw VaultError.passwordTaken
        }
    }

    fileprivate func replace(
        _ old: SlotSet, by new: SharedRoot, _ way: WayID, _ vault: OpenVault, keeping session: SessionID?
    ) throws {
        let newPositions = try new.root.slotPositions()
        // Changes that were begun and never finished would open the vault, and would fill its list in the end.
        try retireAbandoned(vault, way, keeping: [old.positions, newPositions])
        let isRevoking = vault.keptSessions.contains { $0.id != session }
        if isRevoking { try vault.changeBlocking { try $0.forgetSessions { $0.id != session } } }
        defer { if isRevoking { registry.tidy() } else { emptyLog() } }
        guard newPositions != old.positions else { return }
        let payload = SlotPayload(
            type: Way.Kind.password.rawValue, flags: 0, epoch: 0,
            vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: try nextGeneration(of: new),
            createdDay: UInt32(clamping: vault.head.createdDay), oldPositions: old.positions, oldHashes: old.hashes)
        try write(try slots.seal(payload, for: new), .incoming, way, vault)
        vault.beginAccessEpoch()
        do {
            try retire(vault, way, old: old.pairs, keep: newPositions)
        } catch {
            // Who is told that nothing has changed throws the new password away: only while the old one still opens.
            guard try slots.standing(old.pairs).isEmpty else { throw error }
            logger.warning(
                "a change of a password could not be finished; the next opening does it",
                metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    /// A set of slots that is listed as incoming belongs to a change of password that was not finished.
    func finishInterruptedChange(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID
    ) throws {
        let positions = found.positions
        let sets = vault.slotSets(of: way)
        guard sets.contains(where: { $0.positions == positions && $0.state == .incoming }) else { return }
        // Some may be torn and none may be synced, and the old ones go only when all new ones are on disk. They stay
        // incoming until then, and go on naming the old ones.
        try rewrite(vault, found, root, way, .incoming)
        vault.beginAccessEpoch()
        try retire(
            vault, way, old: zip(found.payload.oldPositions, found.payload.oldHashes).map { (position: $0, hash: $1) },
            keep: positions)
        emptyLog()
    }

    /// Overwrites the slots of the old password where they are still ours and not among the kept ones; then the vault
    /// forgets them.
    private func retire(
        _ vault: OpenVault, _ way: WayID, old: [(position: UInt32, hash: [UInt8])], keep kept: [UInt32]
    ) throws {
        let oldPositions = old.map(\.position)
        // The old password's slots may have been written anew since the change began: the list knows their present
        // hashes.
        let listed = vault.slotSets(of: way).filter { $0.positions == oldPositions }.flatMap(\.pairs)
        try overwrite((old + listed).filter { !kept.contains($0.position) })
        try retireAbandoned(vault, way, keeping: [kept])
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in
                sets.removeAll { $0.positions == oldPositions && $0.positions != kept }
                for index in sets.indices where sets[index].positions == kept { sets[index].state = .live }
            }
        }
    }

    private func retireAbandoned(_ vault: OpenVault, _ way: WayID, keeping kept: [[UInt32]]) throws {
        let abandoned = vault.slotSets(of: way).filter { $0.state == .incoming && !kept.contains($0.positions) }
        guard !abandoned.isEmpty else { return }
        let keptPositions = Set(kept.joined())
        try overwrite(abandoned.flatMap(\.pairs).filter { !keptPositions.contains($0.position) })
        let gone = abandoned.map(\.positions)
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in sets.removeAll { gone.contains($0.positions) } }
        }
    }
}
