package import Logging
package import Records
package import Sealing
package import Store
import Synchronization
import Threads
import Uploads
package import Vault

/// Everything that reads slots and everything that writes them, on one thread, which is the lock of all writers. Knows
/// which vaults are open: at most one `OpenVault` for a vault is alive, for two would each write a head of their own.
package final class VaultRegistry: Sendable {
    private struct WeakVault {
        weak var vault: OpenVault?
    }

    package let engine: UploadEngine
    package let slots: SlotDirectory
    package let today: @Sendable () -> UInt64
    package let logger: Logger
    package let checksFiles: Bool
    private let thread = BlockingPool(name: "registry", threads: 1)
    private let vaults = Mutex<[[UInt8]: WeakVault]>([:])
    private let changes = Mutex(ChangeLimits())
    private let revocations = Mutex<[Revocation]>([])
    /// Sessions that are dead although the disk could not be told.
    private let refused = Mutex<Set<SessionID>>([])
    /// Whether what runs on the thread has removed something.
    private let hasRemoved = Mutex(false)

    /// - Parameter checksFiles: whether an opening looks for the file of every object; needed when start-up missed
    ///   some.
    package init(engine: UploadEngine, checksFiles: Bool, today: @escaping @Sendable () -> UInt64, logger: Logger) {
        self.engine = engine
        self.checksFiles = checksFiles
        self.logger = logger
        slots = SlotDirectory(store: engine.store)
        self.today = today
    }

    package var store: Store { engine.store }

    package func shutdown() async { await thread.shutdown() }

    /// Runs `body` as the only one who opens vaults or changes who may. What it has removed is gone on return, unless
    /// the disk did not take that; others need not wait for it.
    package func alone<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        let (result, mustTidy) = try await thread.run { [self] in (Result { try body() }, takeRemoved()) }
        if mustTidy { await finishRemoval() }
        return try result.get()
    }

    /// On the thread: neither the log nor a copy of the ledger keeps what was just removed, once this is over.
    package func tidy() { hasRemoved.withLock { $0 = true } }

    private func takeRemoved() -> Bool {
        hasRemoved.withLock { hasRemoved in
            defer { hasRemoved = false }
            return hasRemoved
        }
    }

    /// What fails is done by the next copy.
    private func finishRemoval() async {
        do {
            try await engine.removals.finish()
        } catch {
            logger.warning("the ledger's copies could not be renewed", metadata: ["reason": "\(error.code)"])
        }
    }

    package var openVaults: [OpenVault] { vaults.withLock { $0.values.compactMap(\.vault) } }

    // MARK: Create

    /// - Parameters:
    ///   - roots: what the password may mean; the first is the one that is to open the vault.
    ///   - recovery: what opens the vault as well, from the beginning.
    ///   - wrongGuesses: of this house so far; of those its owner is not told.
    /// - Throws: `passwordTaken`.
    package func create(
        _ roots: [SharedRoot], recovery: SharedRoot? = nil, wrongGuesses: UInt64 = 0
    ) async throws -> Admission {
        try await alone { [self] in
            guard let root = roots.first, try pick(roots) == nil else { throw VaultError.passwordTaken }
            let vaultKey = try SecretBytes(random: 32)
            let uid = try randomBytes(16)
            let sealed = try seal(.password, vaultKey, uid, for: root)
            var head = VaultHead(createdDay: today(), slotSets: [try sealed.slotSet(.incoming)])
            head.wrongGuesses = wrongGuesses
            let code = try recovery.map { try seal(.recovery, vaultKey, uid, for: $0) }
            let way = try code.map { try record(.recovery, label: "", $0) }
            let vault = try OpenVault(uid: uid, vaultKey: vaultKey, engine: engine, head: head)
            // The rows first: a crash before the slots leaves rows that nobody reaches, and nothing else. Until they are
            // known to be on disk, an opening writes them anew.
            try vault.changeBlocking(mayUseReserve: false) { change in
                for _ in 0..<Self.emptyRowsAtBirth { try change.makeEmpty(change.takeNewNumber()) }
                if let way { try change.add(way) }
            }
            try store.slots.write(sealed.writes + (code?.writes ?? []))
            confirmSlots(of: vault)
            remember(vault)
            vault.startWorkers()
            return Admission(vault: vault, epoch: vault.accessEpoch, way: .first)
        }
    }

    /// The new vault's slots are on disk. It opens without that being known, too, but its slots are written once more.
    private func confirmSlots(of vault: OpenVault) {
        do {
            try vault.changeBlocking { change in
                try change.changeSlotSets(of: .first) { sets in
                    for index in sets.indices { sets[index].state = .live }
                }
            }
        } catch {
            logger.warning("a new vault's slots are not noted", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    /// Slots of a way that did not stand before, not written yet.
    package func seal(
        _ kind: Way.Kind, _ vaultKey: borrowing SecretBytes, _ uid: [UInt8], for root: SharedRoot
    ) throws -> SlotDirectory.SealedSet {
        let payload = SlotPayload(
            type: kind.rawValue, flags: 0, epoch: 0,
            vaultKey: try vaultKey.duplicate(), vaultUID: uid, generation: try nextGeneration(of: root),
            createdDay: UInt32(clamping: today()))
        return try slots.seal(payload, for: root)
    }

    /// Slots of an earlier time, which nobody lists, may open under the same secret; the new ones count.
    func nextGeneration(of root: SharedRoot) throws -> UInt64 { (try slots.find(root)?.payload.generation ?? 0) + 1 }

    package func record(_ kind: Way.Kind, label: String, _ sealed: SlotDirectory.SealedSet) throws -> WayRecord {
        WayRecord(
            id: try .random(), kind: kind, label: label, createdDay: UInt32(clamping: today()),
            slotSets: [try sealed.slotSet(.live)])
    }

    /// Rows that a vault is born with beside its head.
    private static let emptyRowsAtBirth = 16

    // MARK: Open

    /// What a secret gave, and when: between this and the session, another may have changed the password.
    package struct Admission: Sendable {
        package let vault: OpenVault
        package let epoch: UInt64
        /// By which whoever asks has come in.
        package let way: WayID
        /// It finished a change of password that was interrupted: whoever came in by the old one may not stay.
        package var closesOthers = false

        package init(vault: OpenVault, epoch: UInt64, way: WayID, closesOthers: Bool = false) {
            self.vault = vault
            self.epoch = epoch
            self.way = way
            self.closesOthers = closesOthers
        }
    }

    /// - Parameter roots: what the secret may mean.
    /// - Throws: `noSuchVault`.
    package func open(_ roots: [SharedRoot]) async throws -> Admission {
        try await alone { [self] in
            guard let root = try pick(roots), let found = try slots.find(root) else { throw VaultError.noSuchVault }
            let vault = try openVault(found)
            let way = try admit(found, to: vault)
            let before = vault.accessEpoch
            if !vault.isReadOnly { repair(vault, found, root, way) }
            begin(vault)
            return Admission(
                vault: vault, epoch: vault.accessEpoch, way: way, closesOthers: vault.accessEpoch != before)
        }
    }

    /// The one that has slots, unless they are only there to be overwritten.
    func pick(_ roots: [SharedRoot]) throws -> SharedRoot? {
        for root in roots {
            guard let found = try slots.find(root), try !isTakenOut(found.pairs) else { continue }
            return root
        }
        return nil
    }

    /// Counts a change of what opens a vault: each overwrites slots wherever they fall, and tells whether a password is
    /// taken.
    /// - Throws: `tooManyAttempts`.
    package func count(_ vault: OpenVault) throws {
        if let wait = changes.withLock({ $0.take(vault.uid, now: .now) }) {
            throw VaultError.tooManyAttempts(retryAfter: wait)
        }
    }

    package func beginCountsAnew() { changes.withLock { $0.beginAnew() } }

    /// Its sessions must end, whatever becomes of the change that it belongs to.
    package func note(_ revocation: Revocation) { revocations.withLock { $0.append(revocation) } }

    package func isRefused(_ session: SessionID) -> Bool { refused.withLock { $0.contains(session) } }
    package func refuse(_ sessions: [SessionID]) { refused.withLock { $0.formUnion(sessions) } }
    func noLongerRefuse(_ sessions: Set<SessionID>) { refused.withLock { $0.subtract(sessions) } }

    package func takeRevocations() -> [Revocation] {
        revocations.withLock { revocations in
            defer { revocations = [] }
            return revocations
        }
    }

    /// What an opening does besides.
    package func begin(_ vault: OpenVault) {
        guard !vault.isReadOnly else { return }
        vault.finishCompleteUploads()
        vault.startWorkers()
    }

    private func repair(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID
    ) {
        do {
            try finishInterruptedChange(vault, found, root, way)
            try finishRotation(vault, root, way)
            try forgetRefused(vault)
            // Finishing writes them anew, and so does healing.
            if let present = try slots.find(root) { try heal(vault, present, root, way) }
            if let present = try slots.find(root) { try listStanding(present, of: way, vault) }
            try forgetWaysWithoutSlots(vault)
        } catch {
            // A disk that takes no writes must not keep anybody from the photos; the next opening tries again.
            logger.warning("slots could not be repaired", metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    package func openVault(_ found: borrowing SlotDirectory.Found) throws -> OpenVault {
        let uid = found.payload.vaultUID
        let key = try presentKey(of: found)
        let other = known(uid)
        if let other, other.hasKey(key) { return other }
        let vault = try VaultLoader.load(
            uid: uid, vaultKey: key, engine: engine,
            placeholder: VaultHead(
                createdDay: today(), slotSets: found.payload.type == Way.Kind.password.rawValue ? [found.slotSet] : []),
            checksFiles: checksFiles)
        // Slots of an earlier key that were put back lead to no head; they must not keep anybody from the photos.
        guard other == nil || !vault.isReadOnly else { throw VaultError.noSuchVault }
        remember(vault)
        return vault
    }

    package func known(_ uid: [UInt8]) -> OpenVault? { vaults.withLock { $0[uid]?.vault } }

    /// Not another one of the same name, such as old slots on a changed disk lead to.
    package func forget(_ vault: OpenVault) {
        vaults.withLock { vaults in
            if vaults[vault.uid]?.vault === vault { vaults[vault.uid] = nil }
        }
    }

    package func remember(_ vault: OpenVault) {
        vaults.withLock { vaults in
            vaults = vaults.filter { $0.value.vault != nil }
            vaults[vault.uid] = WeakVault(vault: vault)
        }
    }

    /// With half of the replicas gone or fewer, all are written anew; a normal opening writes nothing.
    private func heal(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID
    ) throws {
        guard found.standing <= SlotSet.replicaCount / 2 else { return }
        try rewrite(vault, found, root, way)
    }

    /// New slots for the same secret. They are listed before they are written, beside the ones that stand: who takes
    /// the way out does not have its secret, and must find them all.
    func rewrite(
        _ vault: OpenVault, _ found: borrowing SlotDirectory.Found, _ root: SharedRoot, _ way: WayID,
        _ state: SlotSet.State = .live
    ) throws {
        let isIncoming = state == .incoming
        let payload = SlotPayload(
            type: found.payload.type, flags: 0, epoch: 0,
            vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: found.payload.generation + 1,
            createdDay: found.payload.createdDay,
            oldPositions: isIncoming ? found.payload.oldPositions : SlotDirectory.noPositions,
            oldHashes: isIncoming ? found.payload.oldHashes : SlotDirectory.noHashes)
        try write(try slots.seal(payload, for: root), state, way, vault, standing: isIncoming ? nil : found.slotSet)
    }

    /// - Parameter standing: what is there now, at the same positions.
    package func write(
        _ sealed: SlotDirectory.SealedSet, _ state: SlotSet.State, _ way: WayID, _ vault: OpenVault,
        standing: SlotSet? = nil
    ) throws {
        let set = try sealed.slotSet(state)
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in
                sets.removeAll { $0.positions == set.positions }
                if let standing { sets.append(standing) }
                sets.append(set)
            }
        }
        try store.slots.write(sealed.writes)
        guard let standing else { return }
        try vault.changeBlocking { change in
            try change.changeSlotSets(of: way) { sets in sets.removeAll { $0 == standing } }
        }
    }

    // MARK: Erase

    /// Contents into `doomed` and slots into `wipe`, in one transaction; start-up finishes what a power cut leaves,
    /// without keys.
    /// - Throws: `noSuchVault` when the secret does not open this vault.
    package func erase(_ vault: OpenVault, _ roots: [SharedRoot]) async throws {
        try await alone { [self] in
            let root = try prove(roots, of: vault)
            guard let found = try slots.find(root) else { throw VaultError.noSuchVault }
            // What the vault lists and what opens: after a power cut amid healing, older slots of the same password may
            // stand too.
            let pairs = try slots.standing(vault.slotSets().flatMap(\.pairs) + found.pairs, orUnreadable: true)
            try vault.eraseBlocking(slots: pairs)
            forget(vault)
            vault.beginAccessEpoch()
            wipeNowOrLater(pairs)
            tidy()
        }
    }

    /// Overwrites slots that stand in `wipe`, and takes them from there. What a power cut leaves, or a sector that cannot
    /// be read, start-up finishes.
    package func wipe(_ pairs: [(position: UInt16, hash: [UInt8])]) throws {
        let unreadable = try store.slots.overwriteWithFiller(pairs)
        let overwritten = pairs.map(\.position).filter { !unreadable.contains($0) }
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.removeWipes(overwritten) })
    }

    /// Overwrites slots; lists in `wipe` those that the disk cannot read, so that they open nothing another time.
    func overwrite(_ pairs: [(position: UInt16, hash: [UInt8])]) throws {
        let unreadable = try store.slots.overwriteWithFiller(pairs)
        guard !unreadable.isEmpty else { return }
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in
                for pair in pairs where unreadable.contains(pair.position) && SlotDirectory.isKnown(hash: pair.hash) {
                    try transaction.addWipe(position: pair.position, hash: pair.hash)
                }
            })
    }

    /// The same behind a commit that has taken the way out: whatever happens now, it is out, and its sessions must end.
    func wipeNowOrLater(_ pairs: [(position: UInt16, hash: [UInt8])]) {
        do {
            try wipe(pairs)
        } catch {
            logger.warning(
                "slots could not be overwritten; the next start does it",
                metadata: ["reason": "\(VaultError(error).code)"])
        }
    }

    // MARK: Loss

    /// Takes what is left as the whole: the person has seen what is missing.
    package func acceptLoss(_ vault: OpenVault) async throws {
        try await alone { [self] in
            guard vault.damage != nil else { return }
            let (lost, isSetBack) = (vault.lostSerials, vault.damage?.isSetBack == true)
            try vault.changeBlocking(despiteLoss: true) { change in
                try change.rebase()
                // It may list again what it had revoked. A guest has no other way in, and revokes nothing.
                if isSetBack, !vault.isGuest { try change.forgetSessions { _ in true } }
                for serial in lost {
                    guard let photo = try change.current(serial, in: vault.library) else { continue }
                    // It may have come back, as a disk does that was pulled out.
                    if try change.isFound(photo) { continue }
                    try change.remove(at: photo.rowNumber)
                }
            }
            vault.forgetDamage()
            // Without its head, the opening left that out.
            begin(vault)
        }
    }
}
