import Logging
import Records
import Sealing
import Store
import Synchronization
import Unlocking
import Vault

/// Brings what came through doors into their vaults: what was given while a vault was locked when it is opened, and what
/// comes while it is open once nobody sends any more for a moment.
///
/// A visitor's session never becomes one of the vault: its space is closed to requests once none runs, and with the move
/// the session is over.
final class DoorMoves: Sendable {
    private struct OpenDoor {
        weak var vault: OpenVault?
        let name: DoorName
    }

    private let registry: VaultRegistry
    private let sessions: SessionTable
    private let quiet: Duration
    private let settling: Duration
    private let patience: Duration
    private let logger: Logger
    private let state = Mutex<[DoorID: OpenDoor]>([:])

    /// - Parameters:
    ///   - quiet: for so long nobody has sent anything before something moves into an open vault.
    ///   - settling: after so long what came moves while others of the same space still come.
    ///   - patience: for so long an upload that broke off may go on.
    init(
        registry: VaultRegistry, sessions: SessionTable, quiet: Duration, settling: Duration, patience: Duration,
        logger: Logger
    ) {
        self.registry = registry
        self.sessions = sessions
        self.quiet = quiet
        self.settling = settling
        self.patience = patience
        self.logger = logger
    }

    private var store: Store { registry.store }

    // MARK: What came before

    /// Somebody has opened it; nobody waits for what comes of that.
    func vaultOpened(_ vault: OpenVault) {
        guard !vault.isGuest, !vault.isReadOnly, !vault.doors.isEmpty else { return }
        vault.stuckDoors.retry { [weak self, weak vault] in
            if let vault { self?.vaultOpened(vault) }
        }
        Task { [weak vault] in
            guard let vault else { return }
            await takeAll(into: vault)
        }
    }

    /// Tries the doors of a vault on all arrivals. Returns when everything has moved but what is still being sent.
    /// - Parameter only: of one door, where not all are meant.
    /// - Returns: why something is still outside: `busy` of what is being sent, `vaultFull` and others of what could not
    ///   move.
    @discardableResult
    func takeAll(into vault: OpenVault, only: DoorName? = nil) async -> VaultError? {
        do {
            let keys = try await registry.engine.threads.run { try Self.keys(of: vault, only) }
            note(keys.map { ($0.keys.token.id, $0.name) }, of: vault)
            let arrivals = try await registry.engine.threads.run { [store] in try Self.find(keys, in: store) }
            let obstacle = await withTaskGroup { group in
                for given in arrivals {
                    group.addTask { await self.takeUnlessSending(given, into: vault, isLast: only != nil) }
                }
                return await group.reduce(nil) { $0 ?? $1 }
            }
            if !arrivals.isEmpty { await registry.finishMove() }
            return obstacle
        } catch {
            let reason = VaultError(error)
            logger.warning(
                "what came through a vault's doors could not be looked for", metadata: ["reason": "\(reason.code)"])
            return reason
        }
    }

    /// Whoever is still sending, or may go on with what broke off, keeps the others of nothing: it moves afterwards.
    /// - Parameter isLast: nobody can go on there, for the door is shut.
    private func takeUnlessSending(_ given: GivenSpace, into vault: OpenVault, isLast: Bool) async -> VaultError? {
        guard let space = registry.known(given.note.uid), let door = space.door else {
            return await take(given, into: vault)
        }
        guard !door.isBusy else {
            takeOnceSettled(space, despiteObstacle: true)
            return .busy(retryAfter: quiet)
        }
        guard isLast || space.uploads.rest(of: patience) == nil else {
            takeOnceQuiet(space)
            return .busy(retryAfter: quiet)
        }
        guard door.close(ifNoneSince: door.enteredCount) else { return .busy(retryAfter: quiet) }
        return await take(given, into: vault)
    }

    private struct DoorWithKeys: Sendable {
        let name: DoorName
        let keys: DoorKeys
    }

    private struct GivenSpace: Sendable {
        let space: RowID
        let note: ArrivalNote
        let door: DoorName
    }

    private static func keys(of vault: OpenVault, _ only: DoorName?) throws -> [DoorWithKeys] {
        try vault.doors.filter { only == nil || $0.id == only }.map {
            DoorWithKeys(name: $0.id, keys: try vault.keys(of: $0.id))
        }
    }

    /// Blocking. In parts, so that no long look at the ledger keeps its log from being emptied.
    private static func find(_ doors: [DoorWithKeys], in store: Store) throws -> [GivenSpace] {
        var found: [GivenSpace] = []
        for space in try store.ledger.readBlocking({ try $0.arrivals() }) {
            // It may have gone since.
            guard let body = try store.ledger.readBlocking({ try $0.arrival(space) }) else { continue }
            for door in doors {
                guard let note = try ArrivalNote.opened(body, seed: door.keys.seed.bytes, space: space) else {
                    continue
                }
                found.append(GivenSpace(space: space, note: note, door: door.name))
                break
            }
        }
        return found
    }

    private func isOver(_ vault: OpenVault) -> Bool {
        vault.isReadOnly || !sessions.all(of: vault.uid).contains { $0.isOpen }
    }

    // MARK: While it is open

    func note(_ doors: [(id: DoorID, name: DoorName)], of vault: OpenVault) {
        state.withLock { state in
            state = state.filter { $0.value.vault != nil }
            for door in doors { state[door.id] = OpenDoor(vault: vault, name: door.name) }
        }
    }

    func forget(_ door: DoorID) { state.withLock { $0[door] = nil } }

    /// A visitor's space is open from now on.
    func watch(_ space: OpenVault) {
        guard let door = space.door else { return }
        let (id, sender) = (door.token.id, door.sender)
        door.whenAskedForTaken { [weak self] in
            let vault = self?.state.withLock { $0[id]?.vault }
            guard let vault, let sender else { return [] }
            return vault.sentThroughDoors.sent(by: sender, at: id)
        }
        door.whenLeft { [weak self, weak space] in
            if let space { self?.takeOnceSettled(space) }
        }
        door.whenIdle { [weak self, weak space] in
            // The space alone: a door that held itself would never go.
            guard let self, let space, let door = space.door, self.openDoor(of: door) != nil else { return }
            self.takeOnceQuiet(space)
        }
    }

    /// A program may send for hours without a pause, and its space goes on with it: what has come moves meanwhile. What
    /// others gave at a door moves as a whole, when they have ended.
    /// - Parameter despiteObstacle: there may be room again for what had none.
    private func takeOnceSettled(_ space: OpenVault, despiteObstacle: Bool = false) {
        guard let door = space.door, door.isSender, !door.isSettling, openDoor(of: door) != nil, door.beginSettling()
        else { return }
        Task { [weak space, settling] in
            try? await Task.sleep(for: settling)
            guard let space, let door = space.door else { return }
            door.endSettling()
            guard let open = openDoor(of: door),
                despiteObstacle || open.vault.stuckDoors.reason(at: open.name) == nil
            else { return }
            // What came since may be the last for long.
            if await takeSettled(space, open.name, into: open.vault) { takeOnceSettled(space) }
        }
    }

    /// - Returns: whether something is there that came later.
    private func takeSettled(_ space: OpenVault, _ name: DoorName, into vault: OpenVault) async -> Bool {
        let age = UInt64(settling.components.seconds) * 1000
        let moment = Milliseconds.now - min(Milliseconds.now, age)
        do {
            let move = DoorMove(
                uid: space.uid, space: space.space, note: nil, giver: nil, sender: space.door?.sender, door: name,
                vault: vault)
            return try await registry.alone { keeper in try move.runSettledBlocking(keeper, until: moment) }
        } catch {
            tell(VaultError(error), at: name, of: vault)
            return false
        }
    }

    private func openDoor(of door: DoorSpace) -> (vault: OpenVault, name: DoorName)? {
        let found = state.withLock { $0[door.token.id].flatMap { open in open.vault.map { ($0, open.name) } } }
        guard let found, !isOver(found.0) else { return nil }
        return found
    }

    /// What broke off may go on: until then nothing moves, for its bytes would go.
    private func takeOnceQuiet(_ space: OpenVault) {
        guard let count = space.door?.enteredCount else { return }
        let pause = max(quiet, space.uploads.rest(of: patience) ?? .zero)
        // Meanwhile what is whole waits for nobody.
        if pause > quiet { takeOnceSettled(space) }
        Task { [weak space] in
            try? await Task.sleep(for: pause)
            // The vault may have been locked, and somebody may have sent more, meanwhile.
            guard let space, let door = space.door, let open = openDoor(of: door), door.close(ifNoneSince: count) else {
                return
            }
            await move(
                of: space.uid, space: space.space, nil, giver: door.giver, sender: door.sender, open.name,
                into: open.vault)
            await registry.finishMove()
        }
    }

    // MARK: One space

    /// Of a space that is closed, or that nobody has open.
    /// - Returns: why it has not moved.
    private func take(_ given: GivenSpace, into vault: OpenVault) async -> VaultError? {
        guard !isOver(vault) else {
            registry.known(given.note.uid)?.door?.reopen()
            return .sessionEnded
        }
        return await move(
            of: given.note.uid, space: given.space, given.note, giver: given.note.giver,
            sender: given.note.sender, given.door, into: vault)
    }

    /// - Returns: why it has not moved.
    @discardableResult
    private func move(
        of uid: [UInt8], space: RowID?, _ note: ArrivalNote?, giver: String?, sender: DoorSender?, _ door: DoorName,
        into vault: OpenVault
    ) async -> VaultError? {
        do {
            let move = DoorMove(
                uid: uid, space: space, note: note, giver: giver, sender: sender, door: door, vault: vault)
            try await registry.alone { keeper in try move.runBlocking(keeper) }
            await sessions.endAll(of: uid)
            vault.stuckDoors.clear(door)
            return nil
        } catch {
            // Nothing has moved: it goes on as before, and is tried again when there is room, and with the next opening.
            registry.known(uid)?.door?.reopen()
            let reason = VaultError(error)
            tell(reason, at: door, of: vault)
            return reason
        }
    }

    private func tell(_ reason: VaultError, at door: DoorName, of vault: OpenVault) {
        switch reason {
        case .busy, .sessionEnded: break
        default: vault.stuckDoors.note(reason, at: door)
        }
        logger.warning(
            "what came through a door could not move into its vault", metadata: ["reason": "\(reason.code)"])
    }
}

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
