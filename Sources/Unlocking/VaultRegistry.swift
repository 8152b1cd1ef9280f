package import Logging
package import Records
import Sealing
package import Store
import Synchronization
import Threads
import Uploads
package import Vault

/// Who is open: at most one `OpenVault` for a vault is alive, for two would each write a head of their own. Whoever opens
/// one or changes what opens it does so `alone`, with the keeper of the slots.
package final class VaultRegistry: Sendable {
    private struct WeakVault {
        weak var vault: OpenVault?
    }

    package let engine: UploadEngine
    package let today: @Sendable () -> UInt64
    package let logger: Logger
    package let checksFiles: Bool
    private let thread = BlockingPool(name: "registry", threads: 1)
    private let vaults = Mutex<[[UInt8]: WeakVault]>([:])
    private let secrets: Mutex<SlotBudget>
    private let revocations = Mutex<[Revocation]>([])
    /// Sessions that are dead although the disk could not be told.
    private let refused = Mutex<Set<SessionID>>([])
    /// Whether what runs on the thread has removed something.
    private let hasRemoved = Mutex(false)

    /// - Parameter checksFiles: whether an opening looks for the file of every object; needed when start-up missed
    ///   some.
    package init(
        engine: UploadEngine, secrets: SlotBudget, checksFiles: Bool, today: @escaping @Sendable () -> UInt64,
        logger: Logger
    ) {
        self.secrets = Mutex(secrets)
        self.engine = engine
        self.checksFiles = checksFiles
        self.logger = logger
        self.today = today
    }

    package var store: Store { engine.store }

    package func shutdown() async { await thread.shutdown() }

    /// Runs `body` as the only one who opens vaults or changes who may. What it has removed is gone on return, unless
    /// the disk did not take that; others need not wait for it.
    package func alone<R: Sendable>(
        _ body: @escaping @Sendable (borrowing SlotKeeper) throws -> R
    ) async throws -> R {
        let (result, mustTidy) = try await thread.run { [self] in
            (Result { try body(SlotKeeper(self)) }, takeRemoved())
        }
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
        try await alone { [self] keeper in
            guard let root = roots.first, try keeper.pick(roots) == nil else { throw VaultError.passwordTaken }
            let vaultKey = try SecretBytes(random: 32)
            let uid = try randomBytes(16)
            let sealed = try keeper.seal(.password, vaultKey, uid, for: root)
            var head = VaultHead(createdDay: today(), slotSets: [try sealed.slotSet(.incoming)])
            head.wrongGuesses = wrongGuesses
            // The code is the first of the secrets that the vault may have of its own.
            if recovery != nil { head.secretsUsedUntil = today() + 1 }
            let code = try recovery.map { try keeper.seal(.recovery, vaultKey, uid, for: $0) }
            let way = try code.map { try keeper.record(.recovery, label: "", $0) }
            let vault = try OpenVault(uid: uid, vaultKey: vaultKey, engine: engine, head: head)
            // The rows first: a crash before the slots leaves rows that nobody reaches, and nothing else. Until they are
            // known to be on disk, an opening writes them anew.
            try vault.changeBlocking(mayUseReserve: false) { change in
                try change.makeRowsAtBirth()
                if let way { try change.add(way) }
            }
            try store.slots.write(sealed.writes + (code?.writes ?? []))
            keeper.confirmSlots(of: vault)
            remember(vault)
            vault.startWorkers()
            return Admission(vault: vault, epoch: vault.accessEpoch, way: .first)
        }
    }

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
        try await alone { [self] keeper in
            guard let root = try keeper.pick(roots), let found = try keeper.slots.find(root) else {
                throw VaultError.noSuchVault
            }
            let vault = try keeper.openVault(found)
            let way = try keeper.admit(found, to: vault)
            let before = vault.accessEpoch
            if !vault.isReadOnly { keeper.repair(vault, found, root, way) }
            begin(vault)
            return Admission(
                vault: vault, epoch: vault.accessEpoch, way: way, closesOthers: vault.accessEpoch != before)
        }
    }

    /// Counts a new vault, which `giveBackNewVault` undoes.
    /// - Throws: `tooManyAttempts`.
    package func countNewVault() throws {
        if let wait = secrets.withLock({ $0.take(now: .now) }) {
            throw VaultError.tooManyAttempts(retryAfter: wait, of: .newVaults)
        }
    }

    package func giveBackNewVault() { secrets.withLock { $0.giveBack() } }

    package func beginCountsAnew() { secrets.withLock { $0.beginAnew(now: .now) } }

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

    /// What a vault may change of its ways now.
    fileprivate func ways(of vault: OpenVault) -> WayBudget.Verdict {
        secrets.withLock { secrets in
            let isLifted = secrets.isLifted(for: vault.uid)
            return secrets.ways.take(usedUntil: isLifted ? 0 : vault.head.secretsUsedUntil, today: today())
        }
    }

    fileprivate func noteWayChanged(of vault: OpenVault) { secrets.withLock { $0.noteUse(of: vault.uid) } }

    // MARK: Erase

    /// Contents into `doomed` and slots into `wipe`, in one transaction; start-up finishes what a power cut leaves,
    /// without keys.
    /// - Throws: `noSuchVault` when the secret does not open this vault.
    package func erase(_ vault: OpenVault, _ roots: [SharedRoot]) async throws {
        try await alone { [self] keeper in
            let root = try keeper.prove(roots, of: vault)
            guard let found = try keeper.slots.find(root) else { throw VaultError.noSuchVault }
            // What the vault lists and what opens: after a power cut amid healing, older slots of the same password may
            // stand too.
            let pairs = try keeper.slots.standing(vault.slotSets().flatMap(\.pairs) + found.pairs, orUnreadable: true)
            try vault.eraseBlocking(slots: pairs)
            forget(vault)
            vault.beginAccessEpoch()
            keeper.wipeNowOrLater(pairs)
            tidy()
        }
    }

    // MARK: Loss

    /// Takes what is left as the whole: the person has seen what is missing.
    package func acceptLoss(_ vault: OpenVault) async throws {
        try await alone { [self] _ in
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

extension SlotKeeper {
    /// Counts one more secret of the vault before its slots are written. Who only writes slots of the vault's own again, as
    /// another key does, takes none.
    /// - Throws: `tooManyAttempts`.
    func takeSecret(of vault: OpenVault) throws {
        switch registry.ways(of: vault) {
        case .wait(let wait): throw VaultError.tooManyAttempts(retryAfter: wait, of: .ways)
        case .taken(let until):
            try vault.changeBlocking { $0.draft.head.secretsUsedUntil = until }
            registry.noteWayChanged(of: vault)
        }
    }
}
