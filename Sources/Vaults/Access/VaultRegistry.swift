import Logging
import Sealing
import Store
import Synchronization

/// Everything that reads slots and everything that writes them, on one thread, which is the lock of all writers. Knows
/// which vaults are open: at most one `OpenVault` for a vault is alive, for two would each write a head of their own.
final class VaultRegistry: Sendable {
    private struct WeakVault {
        weak var vault: OpenVault?
    }

    let engine: UploadEngine
    private let slots: SlotDirectory
    let today: @Sendable () -> UInt64
    let logger: Logger
    let checksFiles: Bool
    private let thread = BlockingPool(name: "registry", threads: 1)
    private let vaults = Mutex<[[UInt8]: WeakVault]>([:])

    /// - Parameter checksFiles: whether an opening looks for the file of every object; needed when start-up missed
    ///   some.
    init(engine: UploadEngine, checksFiles: Bool, today: @escaping @Sendable () -> UInt64, logger: Logger) {
        self.engine = engine
        self.checksFiles = checksFiles
        self.logger = logger
        slots = SlotDirectory(store: engine.store)
        self.today = today
    }

    var store: Store { engine.store }

    func shutdown() async { await thread.shutdown() }

    /// Runs `body` as the only one who opens vaults or changes who may.
    func alone<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await thread.run(body)
    }

    var openVaults: [OpenVault] { vaults.withLock { $0.values.compactMap(\.vault) } }

    // MARK: Create

    /// - Throws: `passwordTaken`.
    func create(_ root: SharedRoot) async throws -> Admission {
        try await thread.run { [self] in
            guard try slots.find(root) == nil else { throw VaultError.passwordTaken }
            let vaultKey = try SecretBytes(random: 32)
            let uid = try randomBytes(16)
            let payload = SlotPayload(
                type: 0, flags: 0, epoch: 0,
                vaultKey: try vaultKey.duplicate(), vaultUID: uid, generation: 1, createdDay: UInt32(clamping: today()))
            let sealed = try slots.seal(payload, for: root)
            let head = VaultHead(createdDay: today(), slotSets: [try sealed.slotSet(.live)])
            let vault = try OpenVault(uid: uid, vaultKey: vaultKey, engine: engine, head: head)
            // The rows first: a crash before the slots leaves rows that nobody reaches, and nothing else.
            try vault.changeBlocking(mayUseReserve: false) { change in
                for _ in 0..<Self.emptyRowsAtBirth { try change.makeEmpty(change.takeNewNumber()) }
            }
            try store.slots.write(sealed.writes)
            remember(vault)
            vault.verifier.start(vault)
            return Admission(vault: vault, epoch: vault.accessEpoch)
        }
    }

    /// Rows that a vault is born with beside its head.
    private static let emptyRowsAtBirth = 16

    // MARK: Open

    /// What a password gave, and when: between this and the session, another may have changed the password.
    struct Admission: Sendable {
        let vault: OpenVault
        let epoch: UInt64
        /// It finished a change of password that was interrupted: whoever came in by the old one may not stay.
        var closesOthers = false
    }

    /// - Throws: `noSuchVault`.
    func open(_ root: SharedRoot) async throws -> Admission {
        try await thread.run { [self] in
            guard let found = try slots.find(root) else { throw VaultError.noSuchVault }
            let vault = try openVault(found)
            let before = vault.accessEpoch
            if !vault.isReadOnly { repair(vault, found, root) }
            begin(vault)
            return Admission(vault: vault, epoch: vault.accessEpoch, closesOthers: vault.accessEpoch != before)
        }
    }

    /// What an opening does besides.
    func begin(_ vault: OpenVault) {
        guard !vault.isReadOnly else { return }
        vault.finishCompleteUploads()
        vault.verifier.start(vault)
    }

    private func repair(_ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot) {
        do {
            try finishInterruptedChange(vault, found, root)
            try heal(vault, found, root)
        } catch {
            // A disk that takes no writes must not keep anybody from the photos; the next opening tries again.
            logger.warning("slots could not be repaired", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    private func openVault(_ found: borrowing SlotDirectory.Found) throws -> OpenVault {
        let uid = found.payload.vaultUID
        if let vault = known(uid) { return vault }
        let vault = try VaultLoader.load(
            uid: uid, vaultKey: try found.payload.vaultKey.duplicate(), engine: engine,
            placeholder: VaultHead(createdDay: today(), slotSets: [found.slotSet]), checksFiles: checksFiles)
        remember(vault)
        return vault
    }

    func known(_ uid: [UInt8]) -> OpenVault? { vaults.withLock { $0[uid]?.vault } }

    func forget(_ vault: OpenVault) { vaults.withLock { $0[vault.uid] = nil } }

    func remember(_ vault: OpenVault) {
        vaults.withLock { vaults in
            vaults = vaults.filter { $0.value.vault != nil }
            vaults[vault.uid] = WeakVault(vault: vault)
        }
    }

    /// With half of the replicas gone or fewer, all are written anew; a normal opening writes nothing.
    private func heal(_ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot) throws {
        guard found.standing <= SlotSet.replicaCount / 2 else { return }
        try rewrite(vault, found, root)
    }

    /// New slots for the same password. The head lists them before they are written.
    private func rewrite(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ state: SlotSet.State = .live
    ) throws {
        let isIncoming = state == .incoming
        let payload = SlotPayload(
            type: 0, flags: 0, epoch: 0,
            vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: found.payload.generation + 1,
            createdDay: found.payload.createdDay,
            oldPositions: isIncoming ? found.payload.oldPositions : SlotDirectory.noPositions,
            oldHashes: isIncoming ? found.payload.oldHashes : SlotDirectory.noHashes)
        try write(try slots.seal(payload, for: root), state, vault)
    }

    private func write(_ sealed: SlotDirectory.SealedSet, _ state: SlotSet.State, _ vault: OpenVault) throws {
        let set = try sealed.slotSet(state)
        try vault.changeBlocking { change in
            change.draft.head.slotSets.removeAll { $0.positions == set.positions }
            change.draft.head.slotSets.append(set)
        }
        try store.slots.write(sealed.writes)
    }

    // MARK: Change of password

    /// Before the return both the head and the slots say only the new password.
    /// Sessions that outlive the daemon are dead by then, except for the one that asks.
    /// - Throws: `noSuchVault` when `current` does not open this vault, `passwordTaken` when `new` opens another.
    func change(
        _ vault: OpenVault, from current: SharedRoot, to new: SharedRoot, keeping session: SessionID? = nil
    ) async throws {
        try await thread.run { [self] in
            guard let found = try slots.find(current), found.payload.vaultUID == vault.uid else {
                throw VaultError.noSuchVault
            }
            try finishInterruptedChange(vault, found, current)
            // Finishing may have written other slots.
            guard let old = try slots.find(current) else { throw VaultError.noSuchVault }
            if let taken = try slots.find(new), taken.payload.vaultUID != vault.uid { throw VaultError.passwordTaken }
            let newPositions = try new.root.slotPositions()
            // Changes that were begun and never finished would open the vault, and would fill the head in the end.
            try retireAbandoned(vault, keeping: [old.positions, newPositions])
            guard newPositions != old.positions else { return }
            let payload = SlotPayload(
                type: 0, flags: 0, epoch: 0,
                vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: old.payload.generation + 1,
                createdDay: old.payload.createdDay, oldPositions: old.positions, oldHashes: old.hashes)
            try write(try slots.seal(payload, for: new), .incoming, vault)
            try retire(vault, old: old.pairs, keep: newPositions, keeping: session)
            vault.beginAccessEpoch()
        }
    }

    /// A set of slots that the head calls incoming belongs to a change of password that was not finished.
    private func finishInterruptedChange(_ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot)
        throws
    {
        let positions = found.positions
        guard vault.head.slotSets.contains(where: { $0.positions == positions && $0.state == .incoming }) else {
            return
        }
        // Some may be torn and none may be synced, and the old ones go only when all new ones are on disk. They stay
        // incoming until then, and go on naming the old ones.
        try rewrite(vault, found, root, .incoming)
        try retire(
            vault, old: zip(found.payload.oldPositions, found.payload.oldHashes).map { (position: $0, hash: $1) },
            keep: positions)
        vault.beginAccessEpoch()
    }

    /// Overwrites the slots of the old password where they are still ours and not among the kept ones; then the head
    /// forgets them.
    private func retire(
        _ vault: OpenVault, old: [(position: UInt16, hash: [UInt8])], keep kept: [UInt16],
        keeping session: SessionID? = nil
    ) throws {
        let isRevoking = vault.keptSessions.contains { $0.id != session }
        let oldPositions = old.map(\.position)
        // The old password's slots may have been written anew since the change began: the head knows their present
        // hashes.
        let listed = vault.head.slotSets.filter { $0.positions == oldPositions }.flatMap(\.pairs)
        try store.slots.overwriteWithFiller((old + listed).filter { !kept.contains($0.position) })
        try retireAbandoned(vault, keeping: [kept])
        try vault.changeBlocking { change in
            change.draft.head.slotSets.removeAll { $0.positions == oldPositions && $0.positions != kept }
            try change.forgetSessions { $0.id != session }
            for index in change.draft.head.slotSets.indices where change.draft.head.slotSets[index].positions == kept {
                change.draft.head.slotSets[index].state = .live
            }
        }
        try store.ledger.checkpoint()
        if isRevoking { tidy() }
    }

    private func retireAbandoned(_ vault: OpenVault, keeping kept: [[UInt16]]) throws {
        let abandoned = vault.head.slotSets.filter { $0.state == .incoming && !kept.contains($0.positions) }
        guard !abandoned.isEmpty else { return }
        let keptPositions = Set(kept.joined())
        try store.slots.overwriteWithFiller(abandoned.flatMap(\.pairs).filter { !keptPositions.contains($0.position) })
        let gone = abandoned.map(\.positions)
        try vault.changeBlocking { change in change.draft.head.slotSets.removeAll { gone.contains($0.positions) } }
    }

    // MARK: Erase

    /// Contents into `doomed` and slots into `wipe`, in one transaction; start-up finishes what a power cut leaves,
    /// without keys.
    /// - Throws: `noSuchVault` when the password does not open this vault.
    func erase(_ vault: OpenVault, _ root: SharedRoot) async throws {
        try await thread.run { [self] in
            guard let found = try slots.find(root), found.payload.vaultUID == vault.uid else {
                throw VaultError.noSuchVault
            }
            // What the head lists and what opens: after a power cut amid healing, older slots of the same password may
            // stand too.
            let pairs = try slots.standing(vault.head.slotSets.flatMap(\.pairs) + found.pairs)
            try vault.eraseBlocking(slots: pairs)
            forget(vault)
            vault.beginAccessEpoch()
            try store.slots.overwriteWithFiller(pairs)
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.removeWipes(pairs.map(\.position))
                })
            try store.finishRemoval()
        }
    }

    // MARK: Loss

    /// Takes what is left as the whole: the person has seen what is missing.
    func acceptLoss(_ vault: OpenVault) async throws {
        try await thread.run {
            guard vault.damage != nil else { return }
            let (lost, isSetBack) = (vault.lostSerials, vault.damage?.isSetBack == true)
            try vault.changeBlocking(despiteLoss: true) { change in
                try change.rebase()
                // It may list again what it had revoked. A guest has no other way in, and revokes nothing.
                if isSetBack, !vault.isGuest { try change.forgetSessions { _ in true } }
                for serial in lost {
                    guard let photo = try change.current(serial, in: vault.library) else { continue }
                    try change.remove(at: photo.rowNumber)
                }
            }
            vault.forgetDamage()
        }
    }
}
