import Records
import Store
import Synchronization
import Unlocking
import Vault

/// What a guest has becomes a vault's. Everything that follows is named here, in the order in which it follows; the
/// section "What follows a guest who moves" of docs/architecture.md says of each how it finds its new owner.
struct OwnershipTransfer: Sendable {
    private let guest: Session
    private let session: Session
    private let sessions: SessionTable
    private let space: OpenVault
    private let vault: OpenVault

    /// - Throws: `vaultOpen` for what is no guest; `sessionEnded`, `readOnly`.
    init(of guest: Session, to session: Session, in sessions: SessionTable) throws {
        space = try guest.requireVault()
        vault = try session.requireWritableVault()
        guard space.isGuest else { throw VaultError.vaultOpen }
        self.guest = guest
        self.session = session
        self.sessions = sessions
    }

    /// Blocking. Alone with the slots, so that neither of the two changes otherwise meanwhile.
    /// - Throws: `vaultFull`, `readOnly`, `sessionEnded` when one of the two is gone, `diskFull`; nothing has moved then.
    func runBlocking(_ keeper: borrowing SlotKeeper) throws -> Migration {
        // Two vaults may be opened at the same time; the guest moves into the first.
        guard !space.hasEnded else { throw VaultError.sessionEnded }
        // Nor into one whose password was changed, or whose key, while the move waited for its turn.
        guard session.isAdmitted else { throw VaultError.sessionEnded }
        // Before the commit: every step of a running request that comes behind it belongs to the vault.
        guest.setSuccessor(session)
        do {
            let rows = try Self.moveRows(of: space, into: vault)
            Self.follow(rows, of: space, into: vault)
            keeper.registry.forget(space)
            session.takeOver(guest, serials: rows.serials)
            sessions.move(space.uid)
            return rows.migration
        } catch {
            guest.setSuccessor(nil)
            throw error
        }
    }

    /// In one transaction: before its commit all is the guest's, and behind it all is the vault's.
    static func moveRows(
        of space: OpenVault, into vault: OpenVault, through giving: GuestMove.Giving? = nil
    ) throws -> GuestMove.Outcome {
        try transact(of: space, into: vault, through: giving, despiteLoss: true) { move in
            try move.run()
            space.state.withLock { $0.tentativeSuccessor = vault }
        }
    }

    /// Of a space in which somebody still sends, the photos that came no later than then, in one transaction.
    static func moveSettled(
        until moment: UInt64, of space: OpenVault, into vault: OpenVault, through giving: GuestMove.Giving
    ) throws {
        let rows = try transact(of: space, into: vault, through: giving) { move in
            try move.runSettled(until: moment)
            space.setTentative(move.guest.draft)
        }
        vault.addDamage(of: rows.unreadable, lost: rows.lostSerials)
        vault.wakeWorkers()
    }

    /// - Parameter despiteLoss: the space may have lost something.
    private static func transact(
        of space: OpenVault, into vault: OpenVault, through giving: GuestMove.Giving?, despiteLoss: Bool = false,
        _ body: @escaping @Sendable (inout GuestMove) throws -> Void
    ) throws -> GuestMove.Outcome {
        let result = Mutex(GuestMove.Outcome())
        let today = vault.store.today
        try vault.store.ledger.commitBlocking(
            LedgerChange(participants: [space, vault], mayUseReserve: true) { transaction, _ in
                var move = GuestMove(
                    of: try Self.change(of: space, in: transaction, despiteLoss: despiteLoss),
                    into: try Self.change(of: vault, in: transaction), through: giving, today: today)
                try body(&move)
                vault.setTentative(move.vault.draft)
                result.withLock { [outcome = move.outcome] in $0 = outcome }
            })
        return result.withLock { $0 }
    }

    private static func change(
        of vault: OpenVault, in transaction: LedgerTransaction, despiteLoss: Bool = false
    ) throws -> VaultChange {
        VaultChange(
            transaction: transaction, object: nil, vault: try vault.owner(in: transaction, despiteLoss: despiteLoss),
            draft: vault.draft)
    }

    /// What stands in memory beside the rows.
    static func follow(_ rows: GuestMove.Outcome, of space: OpenVault, into vault: OpenVault) {
        vault.addDamage(of: rows.unreadable, lost: rows.lostSerials)
        space.stopWorkers()
        if rows.dropsUploads {
            for upload in space.uploads.all where !upload.record.isComplete { space.uploads.remove(upload) }
        }
        space.uploads.moveAll(to: vault.uploads)
        vault.wakeWorkers()
    }
}
