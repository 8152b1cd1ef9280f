import Bytes
import Content
import Records
import Sealing
import Store
import Synchronization
import Unlocking

/// The sessions of this run. A token is known only by its SHA-256; a restart ends them all, but some come back by their
/// tokens.
final class SessionTable: Sendable {
    private let sessions = Mutex<[[UInt8]: Session]>([:])
    private let reaper = Mutex<Task<Void, Never>?>(nil)

    /// Keeps a session under its token's hash, or under a key that no cookie names.
    /// - Throws: `sessionEnded` when what opens the vault was changed in the meantime.
    func add(_ session: Session, under key: [UInt8]) throws {
        // A change of password ends the sessions in the table after it has begun a new epoch: either it finds this one
        // there, or this one finds the new epoch.
        let isAdmitted = sessions.withLock { sessions in
            guard session.isAdmitted else { return false }
            sessions[key] = session
            return true
        }
        guard isAdmitted else { throw VaultError.sessionEnded }
        startReaper()
    }

    /// - Parameter isUse: whether asking puts its idle lock off.
    func session(key: [UInt8], isUse: Bool = true) -> Session? {
        guard let session = sessions.withLock({ $0[key] }) else { return nil }
        return (isUse ? (try? session.touch()) != nil : session.isOpen) ? session : nil
    }

    /// All sessions of one vault or guest.
    func all(of vaultUID: [UInt8]) -> [Session] {
        sessions.withLock { $0.values.filter { $0.vaultUID == vaultUID } }
    }

    func end(_ session: Session) async { await end { $0 === session } }
    func endAll(of vaultUID: [UInt8], except kept: Session? = nil) async {
        await end { $0.vaultUID == vaultUID && $0 !== kept }
    }
    /// Those that came in one way.
    func endAll(of vaultUID: [UInt8], through way: WayID) async {
        await end { $0.vaultUID == vaultUID && $0.way == way }
    }
    /// Those at one door of which something came that others may have read.
    func endReadable(at door: DoorID) async { await end { $0.isReadable && $0.door?.token.id == door } }
    /// Those that look through one window, and by what does not open it any more.
    func endAll(through window: DoorID) async {
        await end { $0.openVault?.window.map { $0.token.id == window && $0.isOver } ?? false }
    }
    /// Those that look through windows whose days are over.
    func endViewers(on day: UInt32) async {
        await end { $0.openVault?.window.map { $0.notice.terms.state(on: day) != .open } ?? false }
    }
    func endAll() async { await end { _ in true } }

    /// The sessions stay.
    func endRuns(_ reason: VaultError) async {
        let all = sessions.withLock { Array($0.values) }
        await withDiscardingTaskGroup { group in
            for session in all { group.addTask { await session.endRuns(reason) } }
        }
    }

    /// Those that are over by the calendar: the sweep has taken what brings them back.
    func endAll(keptBefore today: UInt32) async { await end { $0.kept.map { $0.lastDay < today } ?? false } }

    func count(_ kind: Session.Kind) -> Int { sessions.withLock { $0.values.count { $0.kind == kind } } }
    /// Those of guests, whichever way they came.
    var guestCount: Int { sessions.withLock { $0.values.count { $0.kind != .vault } } }

    /// The guest's space is part of a vault now.
    func move(_ guestUID: [UInt8]) {
        let moved = sessions.withLock { sessions in
            let moved = sessions.filter { $0.value.vaultUID == guestUID }
            for key in moved.keys { sessions[key] = nil }
            return moved.values
        }
        for session in moved { session.moveRuns() }
    }

    // MARK: Too many

    /// Where a vault, or all of them, have more sessions than they may, one gives way for the one that was added.
    func endExcess(besides added: Session, limits: VaultLimits) async {
        guard added.kind == .vault else { return }
        let all = sessions.withLock { $0.values.filter { $0.kind == .vault } }
        let own = all.filter { $0.vaultUID == added.vaultUID }
        if own.count > limits.sessionsOfVault {
            await endLongestIdle(of: own.filter { $0 !== added }, havingMoreThan: 0)
        } else if all.count > limits.sessions {
            await endLongestIdle(of: all.filter { $0 !== added }, havingMoreThan: 0)
        }
    }

    /// One of guests gives way, of whoever has most of them and more than so many.
    /// - Returns: false when nobody has.
    func endIdleGuest(ofMoreThan few: Int) async -> Bool {
        await endLongestIdle(of: sessions.withLock { $0.values.filter { $0.kind != .vault } }, havingMoreThan: few)
    }

    /// Of all who came to doors the one gives way that was not used for longest and does not upload: what it was told stands
    /// on disk, and its cookie or code brings it back.
    /// - Returns: false when there is none.
    func endIdleVisitor() async -> Bool {
        let visitors = sessions.withLock { $0.values.filter { $0.kind != .vault && $0.kind != .guest } }
        let idle = visitors.map { (session: $0, use: $0.use) }.filter { !$0.use.isWriting }
        guard let next = idle.min(by: { $0.use.last < $1.use.last }) else { return false }
        await end(next.session)
        return true
    }

    /// Ends the one that was not used for longest, of whoever has most of these; one that uploads goes last.
    @discardableResult
    private func endLongestIdle(of sessions: [Session], havingMoreThan few: Int) async -> Bool {
        // Those of this host itself are one neighbour's in a vault, and guests of their own.
        let held = Dictionary(grouping: sessions) { $0.neighbour ?? ($0.kind != .vault ? $0.vaultUID : []) }
        guard let most = held.values.max(by: { $0.count < $1.count }), most.count > few else { return false }
        let uses = most.map { (session: $0, use: $0.use) }
        let next = uses.min { one, other in
            one.use.isWriting == other.use.isWriting ? one.use.last < other.use.last : !one.use.isWriting
        }
        guard let next else { return false }
        await end(next.session)
        return true
    }

    private func end(where condition: (Session) -> Bool) async {
        let ended = sessions.withLock { sessions -> [Session] in
            let ended = sessions.filter { condition($0.value) }
            for key in ended.keys { sessions[key] = nil }
            return Array(ended.values)
        }
        await withDiscardingTaskGroup { group in
            for session in ended { group.addTask { await session.end() } }
        }
    }

    /// Ends sessions when their time is over, so that keys do not stay in memory because nobody asks. Sleeps until the
    /// next deadline; stops when there is no session.
    private func startReaper() {
        reaper.withLock { reaper in
            guard reaper == nil else { return }
            reaper = Task { [weak self] in
                while let deadline = self?.nextDeadline() {
                    try? await Task.sleep(until: deadline, clock: .continuous)
                    if Task.isCancelled { return }
                    await self?.end { $0.deadline <= ContinuousClock.now }
                }
            }
        }
    }

    private func nextDeadline() -> ContinuousClock.Instant? {
        // Under the reaper's lock, so that a session added now starts a new reaper.
        reaper.withLock { reaper in
            let next = sessions.withLock { $0.values.map(\.deadline).min() }
            if next == nil { reaper = nil }
            return next
        }
    }
}

/// Sessions of clients that send the password with each request. An opened vault is kept for the idle time under a
/// keyed hash of the password and of the address that it came from; requests that come together share one key
/// derivation.
final class BasicSessions: Sendable {
    /// What is known of a credential.
    enum Known {
        case open(Session)
        /// Somebody at the same address is deriving its key at this moment.
        case opening(BasicOpening)
    }

    private let key: SharedSecret
    private let table: SessionTable
    private let openings = Mutex<[[UInt8]: BasicOpening]>([:])

    init(table: SessionTable) throws {
        key = SharedSecret(try SecretBytes(random: 32))
        self.table = table
    }

    /// Looks a credential up. One that is not known is noted as being opened, by whoever then holds `opening`.
    func recall(_ hash: [UInt8], for _: borrowing Guess, beginning opening: inout BasicOpening?) -> Known? {
        if let session = table.session(key: hash) { return .open(session) }
        return openings.withLock { openings in
            if let other = openings[hash] { return .opening(other) }
            let begun = BasicOpening()
            openings[hash] = begun
            opening = begun
            return nil
        }
    }

    /// Whoever waits for it is told.
    func finish(_ opening: BasicOpening?, of hash: [UInt8], _ outcome: Result<Session, VaultError>) {
        guard let opening else { return }
        openings.withLock { $0[hash] = nil }
        opening.finish(outcome)
    }

    /// 33 bytes, so that it is never the key of a cookie's session.
    /// - Parameters:
    ///   - client: known by its address, and by its device where the kernel knows that: an address may pass to another.
    ///   - day: since 1970; what a door's code has sent on one day has a space of its own.
    func keyedHash(of password: Password, from client: Client, on day: UInt32) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.bytes)
        let place = Array(try mac.authenticate(client.address.bytes + client.holder + day.bigEndianBytes))
        var hash = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        try hash.withUnsafeMutableBytes { (hash: UnsafeMutableRawBufferPointer) in
            try password.bytes.withUnsafeBytes { try mac.authenticate($0, into: hash) }
        }
        return try mac.authenticate(place, hash) + [0]
    }
}

/// One opening that several requests wait for.
final class BasicOpening: Sendable {
    private struct State {
        var outcome: Result<Session, VaultError>?
        var waiting: [CheckedContinuation<Result<Session, VaultError>, Never>] = []
    }

    private let state = Mutex(State())

    func session() async throws(VaultError) -> Session {
        try await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiting.append(continuation) }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }.get()
    }

    fileprivate func finish(_ outcome: Result<Session, VaultError>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }
}
