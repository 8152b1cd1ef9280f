import Records
package import Store
import Synchronization

extension OpenVault {
    /// Runs `body` in a grouped commit and returns once it is on disk.
    /// - Parameter followsMove: whether `body` means whoever owns by then what this one has now. It must then take
    ///   everything from its `VaultChange`, and name no serial: those of a guest are others in a vault.
    package func change<R: Sendable>(
        object: ArrivingObject? = nil, mayUseReserve: Bool = false, followsMove: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> R
    ) async throws -> R {
        let outcome = Mutex<R?>(nil)
        try await store.ledger.commit(
            try ledgerChange(object, mayUseReserve: mayUseReserve, followsMove: followsMove) { change in
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
    package func changeBlocking(
        mayUseReserve: Bool = true, despiteLoss: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> Void
    ) throws {
        try store.ledger.commitBlocking(
            try ledgerChange(nil, mayUseReserve: mayUseReserve, despiteLoss: despiteLoss, body))
    }

    func ledgerChange(
        _ object: ArrivingObject?, mayUseReserve: Bool, despiteLoss: Bool = false, followsMove: Bool = false,
        _ body: @escaping @Sendable (inout VaultChange) throws -> Void
    ) throws -> LedgerChange {
        try requireWriting(despiteLoss: despiteLoss, followsMove: followsMove)
        return LedgerChange(object: object, participants: [self], mayUseReserve: mayUseReserve) {
            [self] transaction, id in
            let owner = try owner(in: transaction, despiteLoss: despiteLoss, followsMove: followsMove)
            var change = VaultChange(transaction: transaction, object: id, vault: owner, draft: owner.draft)
            try body(&change)
            owner.setTentative(change.draft)
        }
    }

    /// For the writer thread: what the running transaction has made of it so far.
    package var draft: VaultDraft { state.withLock { $0.tentative ?? $0.committed } }
    package func setTentative(_ draft: VaultDraft) { state.withLock { $0.tentative = draft } }

    // MARK: Who owns it

    /// Whom everything belongs to that was this one's.
    package var owner: OpenVault {
        if case .moved(let vault) = state.withLock({ $0.writing }) { vault.owner } else { self }
    }

    package var hasMoved: Bool { owner !== self }

    package var hasEnded: Bool {
        switch state.withLock({ $0.writing }) {
        case .allowed, .awaitsAcceptance: false
        case .ended, .moved: true
        }
    }

    /// The owner as the writer thread sees it, where a move may have happened in the running transaction.
    package func owner(
        in transaction: LedgerTransaction, despiteLoss: Bool = false, followsMove: Bool = false
    ) throws -> OpenVault {
        let tentative = state.withLock { $0.tentativeSuccessor }
        let next = tentative ?? (hasMoved ? owner : nil)
        guard let next else {
            try requireWriting(despiteLoss: despiteLoss)
            try requireNotExpired(transaction)
            return self
        }
        // What comes through a door never goes on in the vault to which it leads.
        guard followsMove, door == nil else { throw VaultError.sessionEnded }
        return try next.owner(in: transaction, despiteLoss: despiteLoss, followsMove: followsMove)
    }

    func requireWriting(despiteLoss: Bool = false, followsMove: Bool = false) throws {
        switch state.withLock({ $0.writing }) {
        case .allowed: return
        case .awaitsAcceptance: if !despiteLoss { throw VaultError.readOnly }
        case .ended: throw VaultError.sessionEnded
        case .moved(let vault):
            guard followsMove, door == nil else { throw VaultError.sessionEnded }
            try vault.requireWriting(despiteLoss: despiteLoss, followsMove: followsMove)
        }
    }

    /// The daily sweep takes a guest's rows without asking whether the space is open. What is written afterwards would
    /// be rows without a head.
    private func requireNotExpired(_ transaction: LedgerTransaction) throws {
        guard isGuest, draft.head.generation > 0 else { return }
        guard try transaction.row(try rowID(.head), in: home) != nil else { throw VaultError.sessionEnded }
    }
}

extension OpenVault: LedgerParticipant {
    package func willCommit(_ transaction: LedgerTransaction) throws {
        // What was meant for this one was written there.
        if hasMoved { return try owner.willCommit(transaction) }
        let (draft, isWritten) = state.withLock { state in
            (state.tentative, state.tentativeSuccessor != nil || state.tentativeKeys != nil)
        }
        guard !isWritten, let draft else { return }
        var change = VaultChange(transaction: transaction, object: nil, vault: self, draft: draft)
        try change.stir(.random(in: Self.stirredRows))
        change.draft.head.generation += 1
        try writeHead(change.draft.head, transaction)
        setTentative(change.draft)
    }

    package func didCommit() {
        if hasMoved { return owner.didCommit() }
        let changes = state.withLock { state -> [LibraryChange] in
            if let successor = state.tentativeSuccessor {
                state.writing = .moved(to: successor)
                state.tentativeSuccessor = nil
                state.tentative = nil
                return []
            }
            guard var draft = state.tentative else { return [] }
            let changes = draft.takeLibraryChanges()
            state.committed = draft
            state.tentative = nil
            if let keys = state.tentativeKeys { state.keys = keys }
            state.tentativeKeys = nil
            return changes
        }
        readerCache.follow(changes)
        // An in-memory database that cannot take a row is out of memory, and then so is the process.
        do { try library.apply(changes) } catch {
            fatalError("the library of an open vault failed: \(type(of: error))")
        }
        if !library.isSettled { sidecars.wake() }
    }

    package func didRollBack() {
        if hasMoved { return owner.didRollBack() }
        state.withLock { state in
            state.tentative = nil
            state.tentativeSuccessor = nil
            state.tentativeKeys = nil
        }
    }

    private func writeHead(_ head: VaultHead, _ transaction: LedgerTransaction) throws {
        let payload = head.encoded
        guard payload.count <= RowPiece.payloadLimit else { throw VaultError.internalFailure("the head is too long") }
        let id = try rowID(.head)
        try transaction.putRow(id, try seal(RowPiece(kind: .head, payload: payload), id: id), in: home, space: space)
    }
}
