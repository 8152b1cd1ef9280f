import Sealing
import Store
import Synchronization

/// A vault whose key is in memory, shared by all sessions that opened it. It alone holds the vault's keys, its library
/// and its head; with its last reference they are wiped.
///
/// Every change runs on the ledger's writer thread, inside the transaction, on a draft of the head that starts from its
/// predecessor's draft; memory follows the COMMIT.
final class OpenVault: Sendable {
    /// Rows of one record at most: a photo of as many runs as an upload may have, that came with as many batches and
    /// under as long names as are kept, takes 1,975.
    static let longestChain = 2048
    /// Other rows sealed again with every commit.
    static let stirredRows = 3

    let uid: [UInt8]
    let library: Library
    let store: Store
    let engine: UploadEngine
    let uploads = UnfinishedUploads()
    let verifier: Verifier
    private let vaultKey: SecretBytes
    private let codec: Mutex<RowCodec>
    private let state: Mutex<State>

    private struct State {
        var committed: VaultDraft
        var tentative: VaultDraft?
        var damage: VaultDamage?
        /// Photos whose objects are gone.
        var lostSerials: [UInt64] = []
        var writing = Writing.allowed
        var accessEpoch: UInt64 = 0
    }

    private enum Writing {
        case allowed
        /// The head was lost: nothing is written until the loss is accepted.
        case awaitsAcceptance
        /// The vault is erased.
        case ended
    }

    init(uid: [UInt8], vaultKey: consuming SecretBytes, engine: UploadEngine, head: VaultHead) throws {
        self.uid = uid
        self.engine = engine
        store = engine.store
        verifier = Verifier(engine: engine)
        library = try Library()
        codec = Mutex(try RowCodec(vaultKey: vaultKey))
        self.vaultKey = vaultKey
        state = Mutex(State(committed: VaultDraft(head: head, emptyNumbers: [])))
    }

    deinit { verifier.stop() }

    var head: VaultHead { state.withLock { $0.committed.head } }
    var damage: VaultDamage? { state.withLock { $0.damage } }
    var lostSerials: [UInt64] { state.withLock { $0.lostSerials } }
    var isReadOnly: Bool { state.withLock { $0.writing != .allowed } }
    /// Changes when a password stops opening the vault: who came in before may not stay.
    var accessEpoch: UInt64 { state.withLock { $0.accessEpoch } }

    func beginAccessEpoch() { state.withLock { $0.accessEpoch += 1 } }

    /// A copy for sealing another slot of this vault.
    func duplicateVaultKey() throws -> SecretBytes { try vaultKey.duplicate() }

    // MARK: Rows

    func rowID(_ number: RowNumber) throws -> RowID { try codec.withLock { try $0.id(of: number) } }
    func seal(_ piece: RowPiece, id: RowID, fileKey: SharedSecret? = nil) throws -> [UInt8] {
        try codec.withLock { try $0.seal(piece, id: id, fileKey: fileKey) }
    }
    func fileKey(in body: [UInt8], id: RowID) throws -> SharedSecret {
        try codec.withLock { try $0.fileKey(in: body, id: id) }
    }
    func reseal(_ body: [UInt8], id: RowID) throws -> [UInt8] { try codec.withLock { try $0.reseal(body, id: id) } }
    func element(id: RowID, body: [UInt8]) throws -> SetAccumulator {
        try codec.withLock { codec in try body.withUnsafeBytes { try codec.element(id: id, body: $0) } }
    }
    func open(_ body: [UInt8], id: RowID) throws -> RowPiece {
        try codec.withLock { codec in try body.withUnsafeBytes { try codec.open($0, id: id) } }
    }
    func isOurs(_ body: [UInt8], id: RowID) throws -> Bool {
        try codec.withLock { codec in try body.withUnsafeBytes { try codec.isOurs($0, id: id) } }
    }

    /// One more of the kind, for a thread of its own.
    func makeCodec() throws -> RowCodec { try RowCodec(vaultKey: vaultKey) }

    func withCodec<R>(_ body: (inout RowCodec) throws -> R) throws -> R { try codec.withLock { try body(&$0) } }

    // MARK: Changes

    /// Runs `body` in a grouped commit and returns once it is on disk.
    func change<R: Sendable>(
        staged: StagedObject? = nil, mayUseReserve: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> R
    ) async throws -> R {
        let outcome = Mutex<R?>(nil)
        try await store.ledger.commit(
            try ledgerChange(staged, mayUseReserve: mayUseReserve) { change in
                let result = try body(&change)
                outcome.withLock { $0 = result }
            })
        guard let result = outcome.withLock({ $0 }) else {
            throw VaultError.internalFailure("a commit without a result")
        }
        return result
    }

    /// Blocking; for the registry's own thread.
    /// - Parameter despiteLoss: for the change that accepts the loss.
    func changeBlocking(
        mayUseReserve: Bool = true, despiteLoss: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> Void
    ) throws {
        try store.ledger.commitBlocking(
            try ledgerChange(nil, mayUseReserve: mayUseReserve, despiteLoss: despiteLoss, body))
    }

    private func ledgerChange(
        _ staged: StagedObject?, mayUseReserve: Bool, despiteLoss: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> Void
    ) throws -> LedgerChange {
        try requireWriting(despiteLoss)
        return LedgerChange(staged: staged, participants: [self], mayUseReserve: mayUseReserve) {
            [self] transaction, object in
            try requireWriting(despiteLoss)
            let draft = state.withLock { $0.tentative ?? $0.committed }
            var change = VaultChange(transaction: transaction, object: object, vault: self, draft: draft)
            try body(&change)
            let result = change.draft
            state.withLock { $0.tentative = result }
        }
    }

    func requireWriting(_ despiteLoss: Bool = false) throws {
        switch state.withLock({ $0.writing }) {
        case .allowed: return
        case .awaitsAcceptance: if !despiteLoss { throw VaultError.readOnly }
        case .ended: throw VaultError.sessionEnded
        }
    }

    /// Blocking. Every row out, every object doomed, every slot listed for wiping, in one transaction. The vault is of
    /// no use afterwards.
    func eraseBlocking(slots: [(position: UInt16, hash: [UInt8])]) throws {
        let before = state.withLock { state in
            defer { state.writing = .ended }
            return state.writing
        }
        do {
            // Changes queued before run out first, so that the library names every object.
            try store.ledger.commitBlocking(LedgerChange(mayUseReserve: true) { _, _ in })
            let objects = try library.allBlocking().map(\.object)
            let rows = try (0..<head.rowCount).map { try rowID(.item($0)) } + [rowID(.head)]
            let uploads = uploads.all.map(\.rowID)
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    for row in rows { try transaction.deleteRow(row) }
                    for object in objects { try transaction.doomObject(object) }
                    for upload in uploads { try transaction.doomUpload(upload) }
                    for slot in slots { try transaction.addWipe(position: slot.position, hash: slot.hash) }
                })
        } catch {
            state.withLock { $0.writing = before }
            throw error
        }
    }

    /// Takes over what the rows of the ledger say; before anybody else has the vault.
    func settle(_ draft: VaultDraft, damage: VaultDamage?, lostSerials: [UInt64], isReadOnly: Bool) {
        state.withLock { state in
            state.committed = draft
            state.damage = damage
            state.lostSerials = lostSerials
            state.writing = isReadOnly ? .awaitsAcceptance : .allowed
        }
    }

    /// The loss is accepted, on disk too. Others may be writing, so the draft is left alone.
    func forgetDamage() {
        state.withLock { state in
            state.damage = nil
            state.lostSerials = []
            if state.writing == .awaitsAcceptance { state.writing = .allowed }
        }
        verifier.wake()
    }

    /// A photo's bytes were found to fail their verification.
    func addDamage(of name: String) {
        state.withLock { state in
            var damage = state.damage ?? VaultDamage()
            damage.unreadable.append(name)
            state.damage = damage
        }
    }

    /// They verify again.
    func forgetDamage(of name: String) {
        state.withLock { state in
            guard let index = state.damage?.unreadable.firstIndex(of: name) else { return }
            state.damage?.unreadable.remove(at: index)
            if state.damage?.isNone == true { state.damage = nil }
        }
    }
}

extension OpenVault: LedgerParticipant {
    package func willCommit(_ transaction: LedgerTransaction) throws {
        guard let draft = state.withLock({ $0.tentative }) else { return }
        var change = VaultChange(transaction: transaction, object: nil, vault: self, draft: draft)
        try change.stir(Self.stirredRows)
        change.draft.head.generation += 1
        try writeHead(change.draft.head, transaction)
        let result = change.draft
        state.withLock { $0.tentative = result }
    }

    package func didCommit() {
        let changes = state.withLock { state -> [LibraryChange] in
            guard var draft = state.tentative else { return [] }
            let changes = draft.libraryChanges
            draft.libraryChanges = []
            state.committed = draft
            state.tentative = nil
            return changes
        }
        // An in-memory database that cannot take a row is out of memory, and then so is the process.
        do { try library.apply(changes) } catch {
            fatalError("the library of an open vault failed: \(type(of: error))")
        }
    }

    package func didRollBack() {
        state.withLock { $0.tentative = nil }
    }

    private func writeHead(_ head: VaultHead, _ transaction: LedgerTransaction) throws {
        let payload = head.encoded
        guard payload.count <= RowPiece.payloadLimit else { throw VaultError.internalFailure("the head is too long") }
        let id = try rowID(.head)
        try transaction.putRow(id, try seal(RowPiece(kind: .head, payload: payload), id: id))
    }
}
