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

/// Rotation of a vault's key.
///
/// First one transaction puts all rows under the new key, and leaves in place of the old head a row that holds it; then
/// the copies of the ledger are renewed, so that one that is put back holds what the new slots open; then the slots of
/// the password are written; then that row goes, from the log and the copies too. Slots of either key open the vault
/// all the time, and an opening finishes what was cut off.
extension VaultRegistry {
    /// Every other way into the vault is closed on return, over restarts too.
    /// - Returns: false when the slots still hold the old key, as after a write that failed: the next opening finishes
    ///   it.
    /// - Throws: `noSuchVault` when the secret does not open this vault, `passwordNeeded` when it is no password of it,
    ///   `damaged`, `diskFull`; nothing is changed then.
    package func rotate(_ vault: OpenVault, _ roots: [SharedRoot]) async throws -> Bool {
        try await alone { keeper in
            let root = try keeper.prove(roots, of: vault)
            guard let found = try keeper.slots.find(root) else { throw VaultError.noSuchVault }
            let way = try keeper.admit(found, to: vault)
            guard vault.kind(of: way) == .password else { throw VaultError.passwordNeeded }
            try keeper.finishInterruptedChange(vault, found, root, way)
            try keeper.finishRotation(vault, root, way)
            guard let standing = try keeper.slots.find(root)?.slotSet else { throw VaultError.noSuchVault }
            let others = try keeper.slots.standing(vault.slotSets().flatMap(\.pairs)).filter { other in
                !standing.pairs.contains { $0.position == other.position && $0.hash == other.hash }
            }
            try keeper.requireRoom(toRotate: vault)
            try vault.rotateBlocking(keeping: way, standing, wiping: others)
            vault.beginAccessEpoch()
            keeper.wipeNowOrLater(others)
            return keeper.isRotationFinished(vault, root, way)
        }
    }
}

extension SlotKeeper {
    /// What the log and the ledger may grow by: a page for each row in its old place, and one in its new.
    fileprivate func requireRoom(toRotate vault: OpenVault) throws {
        try store.reserve.requireRoom(for: clampedProduct(vault.head.rowCount, 2 * 4096))
    }

    fileprivate func isRotationFinished(_ vault: OpenVault, _ root: SharedRoot, _ way: WayID) -> Bool {
        do {
            try finishRotation(vault, root, way)
            return true
        } catch {
            logger.warning(
                "a change of a vault's key could not be finished; the next opening does it",
                metadata: ["reason": "\(VaultError(error).code)"])
            return false
        }
    }

    /// From the transaction to its end.
    func finishRotation(_ vault: OpenVault, _ root: SharedRoot, _ way: WayID) throws {
        guard vault.head.formerHead != nil else { return }
        // The log has grown by all rows; a copy may need that room.
        emptyLog()
        try store.ledger.renewCopies()
        guard let found = try slots.find(root) else { throw VaultError.noSuchVault }
        try rewrite(vault, found, root, way)
        try vault.changeBlocking { try $0.removeSuccessor() }
        // The log and both copies had it, too. Only when it has left them is the rotation finished: whoever has the old
        // key would read the new one there.
        try store.finishRemoval()
        // A copy from before this is put back as one that an opening still has to finish, and finds finished.
        try vault.changeBlocking { $0.draft.head.formerHead = nil }
    }

    /// The key under which the rows stand: slots may still hold the one before.
    func presentKey(of found: borrowing SlotDirectory.Found) throws -> SecretBytes {
        var codec = try RowCodec(vaultKey: found.payload.vaultKey, home: .vault)
        let id = try codec.id(of: .head)
        guard let body = try store.ledger.readBlocking({ try $0.row(id) }),
            let piece = try codec.openIfSound(body, id: id), piece.kind == .successor
        else { return try found.payload.vaultKey.duplicate() }
        return try codec.fileKey(in: body, id: id).bytes.duplicate()
    }
}
