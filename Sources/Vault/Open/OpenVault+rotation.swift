package import Records
package import Sealing
import Store
import Synchronization

extension OpenVault {
    /// Blocking. Draws another key and puts all rows under it; takes out every way in but one, and every session that
    /// outlives the daemon. One transaction: whoever opens the vault, by slots that hold either key, finds all or
    /// nothing of it done. Sessions, uploads and reads go on.
    /// - Parameters:
    ///   - standing: the slots of the way that stays.
    ///   - slots: those of the others, to be overwritten.
    /// - Throws: `damaged` when rows are not as the head knows them.
    package func rotateBlocking(
        keeping way: WayID, _ standing: SlotSet, wiping slots: [(position: UInt32, hash: [UInt8])]
    ) throws {
        let next = try VaultKeys(try SecretBytes(random: 32), home: home)
        state.withLock { $0.isRotating = true }
        defer { state.withLock { $0.isRotating = false } }
        try requireWriting()
        // Alone: what comes after it in the same transaction would be sealed under the old key.
        try store.ledger.commitBlocking(
            LedgerChange(participants: [self], runsAlone: true) { [self] transaction, _ in
                try requireWriting()
                var change = VaultChange(transaction: transaction, object: nil, vault: self, draft: draft)
                try change.keepOnly(way, standing)
                var rotation = try KeyRotation(of: self, to: next, in: transaction)
                try rotation.run(&change.draft.head, uploads.all)
                for slot in slots { try transaction.addWipe(position: slot.position, hash: slot.hash) }
                state.withLock { state in
                    state.tentative = change.draft
                    state.tentativeKeys = next
                }
            })
    }

    package func hasKey(_ key: borrowing SecretBytes) -> Bool { keys.vaultKey.equals(key) }

    /// Reads rows elsewhere than on the writer's thread. A rotation that commits meanwhile takes them away under their
    /// old ids; then they are read once more.
    func followingRotation<R>(_ read: () throws -> R) throws -> R {
        let before = keys
        do {
            return try read()
        } catch {
            // Memory follows the commit on the writer's thread.
            if state.withLock({ $0.isRotating }) {
                try store.ledger.commitBlocking(LedgerChange(mayUseReserve: true) { _, _ in })
            }
            guard keys !== before else { throw error }
            return try read()
        }
    }
}

extension VaultChange {
    /// Takes out all ways but one, and all sessions that outlive the daemon.
    fileprivate mutating func keepOnly(_ way: WayID, _ standing: SlotSet) throws {
        for other in draft.ways where other.id != way { try removeWay(other.id) }
        if way != .first { draft.head.slotSets = [] }
        try changeSlotSets(of: way) { $0 = [standing] }
        try forgetSessions { _ in true }
    }

    /// Slots lead to the new key now. The head goes on naming the row's place until no copy of the ledger has it.
    package mutating func removeSuccessor() throws {
        if let former = draft.head.formerHead { try transaction.deleteRow(former) }
    }
}
