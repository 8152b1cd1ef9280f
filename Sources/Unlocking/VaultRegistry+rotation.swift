import Logging
import Records
import Sealing
import Store
package import Vault

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
