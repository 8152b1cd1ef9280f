package import Records
import Sealing
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
            let before = change.draft.head.rowCount
            try body(&change)
            if id == nil, before > 0 { owner.noteGrowth(change.draft.head.rowCount - before) }
            owner.setTentative(change.draft)
        }
    }

    /// Captions, albums and the words in pictures bring rows without a photo: ghosts grow by such, too.
    private func noteGrowth(_ count: UInt64) {
        guard !isGuest, !isGhost, count > 0 else { return }
        engine.grownRows.add(Int(clamping: count), ordering: .relaxed)
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
        try change.followInWindows()
        try change.stir(.random(in: Self.stirredRows))
        change.draft.head.generation += 1
        try writeHead(change.draft.head, transaction)
        setTentative(change.draft)
    }

    package func didCommit() {
        if hasMoved { return owner.didCommit() }
        let (changes, windows) = state.withLock { state -> ([LibraryChange], (news: [WindowNews], isStale: Bool)) in
            if let successor = state.tentativeSuccessor {
                state.writing = .moved(to: successor)
                state.tentativeSuccessor = nil
                state.tentative = nil
                return ([], ([], false))
            }
            guard var draft = state.tentative else { return ([], ([], false)) }
            let changes = draft.takeLibraryChanges()
            let windows = draft.takeWindowNews()
            state.committed = draft
            state.tentative = nil
            if let keys = state.tentativeKeys { state.keys = keys }
            state.tentativeKeys = nil
            return (changes, windows)
        }
        readerCache.follow(changes)
        // An in-memory database that cannot take a row is out of memory, and then so is the process.
        do { try library.apply(changes) } catch {
            fatalError("the library of an open vault failed: \(type(of: error))")
        }
        if !library.isSettled { sidecars.wake() }
        textRecognition.follow(changes)
        if !windows.news.isEmpty { engine.windows.tell(windows.news, engine.threads) }
        if windows.isStale { windowKeeper.wake() }
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

extension OpenVault {
    /// Blocking. Every row out, every object doomed, every slot listed for wiping, every session that outlives the
    /// daemon dead, in one transaction. The vault is of no use afterwards.
    /// - Throws: `sessionEnded` for a guest's space that has moved: its objects are a vault's now.
    package func eraseBlocking(slots: [(position: UInt32, hash: [UInt8])] = []) throws {
        try removeAllBlocking(slots: slots, before: try state.withLock { try Self.end(&$0) })
    }

    /// The same for a guest's space in which nothing is. Whether that is so, the ledger's writer says, between two
    /// changes: what it took before is seen, and what comes behind is refused.
    /// - Returns: false, and nothing has happened, when something has come.
    package func eraseEmptyBlocking() throws -> Bool {
        guard let space else { return false }
        let before = Mutex<Writing?>(nil)
        do {
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { [self] transaction, _ in
                    // It may be done more than once.
                    guard before.withLock({ $0 == nil }), try transaction.isEmptyGuest(space) else { return }
                    let writing = try state.withLock { try Self.end(&$0) }
                    before.withLock { $0 = writing }
                })
        } catch {
            before.withLock { before in if let before { state.withLock { $0.writing = before } } }
            throw error
        }
        guard let before = before.withLock({ $0 }) else { return false }
        try removeAllBlocking(slots: [], before: before)
        return true
    }

    /// Nothing is written from here on.
    private static func end(_ state: inout State) throws -> Writing {
        if case .moved = state.writing { throw VaultError.sessionEnded }
        defer { state.writing = .ended }
        return state.writing
    }

    private func removeAllBlocking(slots: [(position: UInt32, hash: [UInt8])], before: Writing) throws {
        do {
            // Changes queued before run out first, so that the library names every object.
            try store.ledger.commitBlocking(LedgerChange(mayUseReserve: true) { _, _ in })
            let photos = try library.allBlocking()
            let objects = Set(photos.map(\.object) + windows.map(\.list.object))
            // In the order in which they lie in the ledger: in any other one each would need a page of its own.
            let orderedObjects = objects.sorted()
            let previews = try previewIDs(of: photos).sorted()
            let rows =
                (try (0..<head.rowCount).map { try rowID(.item($0)) } + [rowID(.head)]
                + [head.formerHead].compactMap { $0 }).sorted()
            let (uploads, sessions) = (uploads.all, keptSessions.map(\.id))
            let shown = try windows.map { try token(of: $0).id }
            let doors = doors.compactMap { try? keys(of: $0.id).token.id } + shown
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { [self, home] transaction, _ in
                    for row in rows {
                        try doomUnopened(row, besides: objects, in: transaction)
                        try transaction.deleteRow(row, in: home)
                    }
                    for object in orderedObjects { try transaction.doomObject(object) }
                    try transaction.doomPreviews(previews)
                    for upload in uploads {
                        try noteUpload(nil, at: upload.rowID, until: nil, transaction)
                        try transaction.doomUpload(upload.rowID)
                    }
                    // Nobody could ever take what would be given there.
                    for door in doors { try transaction.deleteDoor(door) }
                    if let space { try transaction.deleteArrival(space) }
                    for session in sessions { try transaction.deleteSession(session) }
                    for slot in slots { try transaction.addWipe(position: slot.position, hash: slot.hash) }
                })
            engine.windows.tell(shown.map { WindowNews.closed($0) }, engine.threads)
        } catch {
            state.withLock { $0.writing = before }
            throw error
        }
    }

    /// The object of a guest's row that does not open any more: no vault could have it, so nobody waits for the row.
    private func doomUnopened(
        _ row: RowID, besides objects: Set<ObjectID>, in transaction: LedgerTransaction
    ) throws {
        guard case .guest = home, let object = try transaction.guestObject(of: row), !objects.contains(object) else {
            return
        }
        try transaction.doomObject(object)
    }

    /// A row that does not open any more has lost its key, and with that its previews' ids.
    private func previewIDs(of photos: [LibraryPhoto]) throws -> [PreviewID] {
        try store.ledger.readBlocking { reader in
            try photos.flatMap { photo -> [PreviewID] in
                let id = try rowID(.item(photo.rowNumber))
                guard let body = try reader.row(id, in: home), let fileKey = try? fileKey(in: body, id: id) else {
                    return []
                }
                return try Self.previewIDs(fileKey)
            }
        }
    }
}

extension OpenVault {
    /// Ways into the vault besides the first password.
    package var ways: [WayRecord] { state.withLock { $0.committed.ways } }

    /// Slots that open the vault, of all ways or of one.
    package func slotSets(of id: WayID? = nil) -> [SlotSet] {
        state.withLock { state in
            let first = id == nil || id == .first ? state.committed.head.slotSets : []
            return first + state.committed.ways.filter { id == nil || $0.id == id }.flatMap(\.slotSets)
        }
    }

    /// The way whose slots stand there.
    package func way(at positions: [UInt32]) -> WayID? {
        state.withLock { state in
            if state.committed.head.slotSets.contains(where: { $0.positions == positions }) { return .first }
            return state.committed.ways.first { $0.slotSets.contains { $0.positions == positions } }?.id
        }
    }

    /// Nil when it is not listed.
    package func kind(of id: WayID) -> Way.Kind? {
        state.withLock { state in
            if id == .first { return state.committed.head.slotSets.isEmpty ? nil : .password }
            return state.committed.ways.first { $0.id == id }?.kind
        }
    }

    /// Those that are listed.
    package var passwords: [WayID] {
        state.withLock { state in
            (state.committed.head.slotSets.isEmpty ? [] : [.first])
                + state.committed.ways.filter { $0.kind == .password }.map(\.id)
        }
    }
}
