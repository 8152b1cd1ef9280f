import Records
import Store
import Unlocking
import Vault

/// One visitor's space that becomes part of the vault to whose door it was given.
struct DoorMove: Sendable {
    let uid: [UInt8]
    let space: RowID?
    /// Nil where the space is open.
    let note: ArrivalNote?
    let giver: String?
    /// The device of a program that sends with the code alone.
    let sender: DoorSender?
    let door: DoorName
    let vault: OpenVault

    /// Blocking. Alone with the slots, so that nobody takes the space up meanwhile.
    /// - Throws: `vaultFull`, `readOnly`, `sessionEnded`, `busy`; nothing has moved then.
    func runBlocking(_ keeper: borrowing SlotKeeper) throws {
        let giving = try giving()
        guard let space = try keeper.registry.known(uid) ?? load(keeper) else { return try forgetArrival() }
        guard !space.hasEnded else { return }
        // It was taken up by its cookie since: it goes with the next opening.
        if space.door?.isBusy == true { throw VaultError.busy(retryAfter: .seconds(1)) }
        let sent = sender == nil ? [] : try space.library.allBlocking().filter { $0.deletedAt == nil }
        let rows = try OwnershipTransfer.moveRows(of: space, into: vault, through: giving)
        OwnershipTransfer.follow(rows, of: space, into: vault)
        keeper.registry.forget(space)
        vault.engine.guestAdmission.noteTaken(space)
        if let sender, !sent.isEmpty { try note(sent, of: sender, from: space) }
        vault.finishCompleteUploads()
    }

    /// Blocking. What came no later than then of a space in which somebody still sends.
    /// - Returns: whether something is there that came later.
    /// - Throws: as above.
    func runSettledBlocking(_ keeper: borrowing SlotKeeper, until moment: UInt64) throws -> Bool {
        let giving = try giving()
        guard let space = keeper.registry.known(uid), !space.hasEnded else { return false }
        let photos = try space.library.allBlocking().filter { $0.deletedAt == nil }
        let settled = photos.filter { $0.receivedAt <= moment }
        guard !settled.isEmpty else { return !photos.isEmpty }
        // Before it moves: its program would miss what stands in neither of the two.
        if let sender { try note(settled, of: sender, from: space) }
        try OwnershipTransfer.moveSettled(until: moment, of: space, into: vault, through: giving)
        vault.stuckDoors.clear(door)
        return settled.count < photos.count
    }

    /// - Throws: `noSuchDoor`.
    private func giving() throws -> GuestMove.Giving {
        guard let terms = vault.doors.first(where: { $0.id == door })?.terms else { throw VaultError.noSuchDoor }
        return GuestMove.Giving(door: door, doorName: terms.name, giver: giver, sender: sender, waits: terms.looksFirst)
    }

    /// What a program sent goes on standing there for it.
    private func note(_ sent: [LibraryPhoto], of sender: DoorSender, from space: OpenVault) throws {
        vault.sentThroughDoors.note(
            sent.map { .init($0, at: space.door?.place(of: $0.serial) ?? [ShownFileName.shown($0.name)]) },
            by: sender, at: try vault.keys(of: door).token.id)
    }

    /// Nil when nothing is there any more.
    private func load(_ keeper: borrowing SlotKeeper) throws -> OpenVault? {
        guard let note else { return nil }
        let loaded = try VaultLoader.load(
            uid: uid, vaultKey: try note.key.bytes.duplicate(), home: .guest(expiresDay: note.lastDay),
            engine: keeper.registry.engine,
            placeholder: VaultHead(createdDay: UInt64(note.createdDay), slotSets: []),
            checksFiles: keeper.registry.checksFiles)
        keeper.registry.engine.guestDiskUsage.add(loaded)
        return loaded.head.rowCount > 0 ? loaded : nil
    }

    private func forgetArrival() throws {
        guard let space else { return }
        try vault.store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.deleteArrival(space) })
    }
}
