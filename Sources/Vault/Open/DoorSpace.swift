import Content
package import Records
package import Store
import Synchronization

/// What makes a guest's space that of a door: its token, and the gate that is closed before what is in the space moves
/// into the owner's vault. Nothing of a request that came through the door ever goes on there: the gate closes only while
/// none runs, and none can begin then.
package final class DoorSpace: Sendable {
    /// Kept by a request that sends, for as long as it does.
    package final class Pass: Sendable {
        private let door: DoorSpace

        fileprivate init(_ door: DoorSpace) { self.door = door }

        deinit { door.leave() }
    }

    private struct State {
        var runningCount = 0
        var isClosed = false
        /// Somebody waits to take what has come.
        var isSettling = false
        /// How many requests there were so far.
        var entered: UInt64 = 0
        var whenIdle: (@Sendable () -> Void)?
        var whenLeft: (@Sendable () -> Void)?
        var takenLately: (@Sendable () -> [SentThroughDoors.Sent])?
        var place: (@Sendable (UInt64) -> [String]?)?
        var giver: DoorSender?
    }

    package let token: DoorToken
    /// As they called themselves.
    package let giver: String?
    /// The device of a program that sends with the code alone; nil for a visitor.
    package let sender: DoorSender?
    package var isSender: Bool { sender != nil }
    private let state = Mutex(State())

    package init(token: DoorToken, giver: String?, sender: DoorSender?) {
        self.token = token
        self.giver = giver
        self.sender = sender
    }

    /// By whom what is given is counted: the device that gives, as far as addresses tell. Nil for this host itself.
    var asker: GiftShares.Asker? {
        state.withLock(\.giver).map { GiftShares.Asker(giver: $0.bytes, door: token.id.bytes) }
    }

    /// A device gives here from now on.
    package func noteGiver(_ device: DoorSender?) { state.withLock { $0.giver = device } }

    /// - Throws: `busy` while the owner takes what is there: the session is over right afterwards.
    package func enter() throws(VaultError) -> Pass {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.runningCount += 1
            state.entered += 1
            return true
        }
        guard isOpen else { throw .busy(retryAfter: .seconds(1)) }
        return Pass(self)
    }

    private func leave() {
        let idle = state.withLock { state -> (@Sendable () -> Void)? in
            state.runningCount -= 1
            guard !state.isClosed else { return nil }
            return state.runningCount == 0 ? state.whenIdle : state.whenLeft
        }
        idle?()
    }

    /// How many requests have begun so far.
    package var enteredCount: UInt64 { state.withLock { $0.entered } }

    package var isBusy: Bool { state.withLock { $0.runningCount > 0 } }

    /// - Parameter body: called whenever the last request that ran has ended; it must not wait.
    package func whenIdle(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenIdle = body } }

    /// - Parameter body: called whenever a request has ended and others run still; it must not wait.
    package func whenLeft(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenLeft = body } }

    /// - Parameter body: says what the same program has sent by the code and the owner has taken since.
    package func whenAskedForTaken(_ body: @escaping @Sendable () -> [SentThroughDoors.Sent]) {
        state.withLock { $0.takenLately = body }
    }

    /// - Parameter body: says in which of its folders, and by which name, a program sees a photo that it sent, by serial.
    package func whenAskedForPlaces(_ body: @escaping @Sendable (UInt64) -> [String]?) {
        state.withLock { $0.place = body }
    }

    /// Nil where no folder is known.
    package func place(of serial: UInt64) -> [String]? { state.withLock(\.place)?(serial) }

    /// Of a program that sends with the code alone; what others gave is nobody's business.
    package var takenLately: [SentThroughDoors.Sent] {
        guard isSender else { return [] }
        return state.withLock(\.takenLately)?() ?? []
    }

    /// No request begins from here on, where none runs and none has begun since so many had.
    package func close(ifNoneSince count: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.runningCount == 0, state.entered == count else { return false }
            state.isClosed = true
            return true
        }
    }

    package var isSettling: Bool { state.withLock { $0.isSettling } }

    /// Whether nobody waited yet to take what has come while others still come.
    package func beginSettling() -> Bool {
        state.withLock { state in
            defer { state.isSettling = true }
            return !state.isSettling
        }
    }

    package func endSettling() { state.withLock { $0.isSettling = false } }

    /// The owner could not take it: it goes on as before.
    package func reopen() { state.withLock { $0.isClosed = false } }
}

extension VaultChange {
    /// Counts what a door was given, before the photo is there.
    /// - Throws: `doorFull`, `noSuchDoor`.
    func noteGiven(_ record: PhotoRecord) throws {
        try changeNotice { notice in
            guard notice.photosLeft > 0, notice.bytesLeft >= record.byteCount else { throw VaultError.doorFull }
            notice.givenPhotoCount += 1
            notice.givenByteCount += record.byteCount
        }
    }

    /// The giver took it back.
    func noteTakenBack(_ record: PhotoRecord) throws {
        try changeNotice { $0.takeBack(record.byteCount) }
    }

    private func changeNotice(_ body: (inout DoorNotice) throws -> Void) throws {
        guard let door = vault.door else { return }
        try transaction.changeNotice(of: door.token) { notice in try body(&notice) }
    }
}

extension LedgerTransaction {
    /// - Throws: `noSuchDoor`.
    func changeNotice(of token: DoorToken, _ body: (inout DoorNotice) throws -> Void) throws {
        guard let sealed = try door(token.id), var notice = try DoorNotice.opened(sealed, token: token) else {
            throw VaultError.noSuchDoor
        }
        try body(&notice)
        try put(notice, of: token)
    }

    func put(_ notice: DoorNotice, of token: DoorToken) throws {
        try putDoor(token.id, body: try notice.sealed(under: token), expiresDay: notice.terms.keptUntil)
    }
}

extension Ledger {
    /// What a door says to whoever has its code.
    /// - Throws: `noSuchDoor`.
    package func notice(of token: DoorToken) async throws -> DoorNotice {
        guard let body = try await read({ try $0.door(token.id) }),
            let notice = try DoorNotice.opened(body, token: token)
        else { throw VaultError.noSuchDoor }
        return notice
    }
}
