package import Content
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

/// Photos that are on their way at a door: of what has come, whatever was announced.
struct UnderWay: Equatable, Sendable {
    var photoCount: UInt64 = 0
    /// Bytes of content.
    var byteCount: UInt64 = 0

    init() {}

    init(photoCount: UInt64, byteCount: UInt64) {
        self.photoCount = photoCount
        self.byteCount = byteCount
    }

    /// One of which so much has come.
    init(content byteCount: UInt64) { self.init(photoCount: byteCount > 0 ? 1 : 0, byteCount: byteCount) }

    mutating func limit(to other: UnderWay) {
        photoCount = min(photoCount, other.photoCount)
        byteCount = min(byteCount, other.byteCount)
    }

    static func + (one: UnderWay, other: UnderWay) -> UnderWay {
        UnderWay(
            photoCount: clampedSum(one.photoCount, other.photoCount),
            byteCount: clampedSum(one.byteCount, other.byteCount))
    }
}

/// The limits of a door hold for what is on its way there, too: uploads that never end would else take, through one
/// door, what all doors may have. When an upload ends without a photo, what it took is free again.
extension UploadEngine {
    /// Whether a photo of so many bytes fits beside what the door was given and what is on its way to it; others are not
    /// asked.
    /// - Throws: `doorFull`, `doorShareTaken`, `noSuchDoor`.
    package func requireDoorRoom(forAnnounced byteCount: UInt64, in space: OpenVault) async throws {
        guard let door = space.door else { return }
        let notice = try await store.ledger.notice(of: door.token)
        try require(UnderWay(photoCount: 1, byteCount: byteCount), at: door, notice)
    }

    /// Keeps room at the door for what comes next of a photo.
    /// - Parameters:
    ///   - needed: bytes of its content that will have come.
    ///   - wished: up to where there is to be room without asking again.
    /// - Returns: up to where there is.
    /// - Throws: `doorFull`, `doorShareTaken`, `noSuchDoor`; what was kept before is still.
    package func coverAtDoor(
        _ reservation: SpaceReservation, _ needed: UInt64, ahead wished: UInt64, in space: OpenVault
    ) async throws -> UInt64 {
        guard let door = space.door else { return wished }
        let before = reservation.contentByteCount
        // Before the look at what is under way: what becomes a photo meanwhile counts once then, or not at all, which the
        // photo's own commit sees.
        let notice = try await store.ledger.notice(of: door.token)
        do {
            reservation.note(content: wished)
            if (try? require(UnderWay(), at: door, notice)) != nil { return wished }
            reservation.note(content: needed)
            try require(UnderWay(), at: door, notice)
            return needed
        } catch {
            reservation.note(content: before)
            throw error
        }
    }

    private func require(_ more: UnderWay, at door: DoorSpace, _ notice: DoorNotice) throws(VaultError) {
        let underWay = guestDiskUsage.underWay(at: door.token.id) + more
        guard underWay.photoCount <= notice.photosLeft, underWay.byteCount <= notice.bytesLeft else { throw .doorFull }
        guard let asker = door.asker else { return }
        let own = guestDiskUsage.underWay(at: door.token.id) { $0.asker == asker } + more
        try guestAdmission.requireShare(of: door, for: own, notice)
    }
}

/// Doors through which something came that could not move into their vault, and why. In memory alone: each opening tries
/// again.
package final class StuckDoors: Sendable {
    private struct State {
        var reasons: [DoorName: VaultError] = [:]
        var retry: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    package init() {}

    package func note(_ reason: VaultError, at door: DoorName) { state.withLock { $0.reasons[door] = reason } }

    package func clear(_ door: DoorName) { state.withLock { $0.reasons[door] = nil } }

    package func reason(at door: DoorName) -> VaultError? { state.withLock { $0.reasons[door] } }

    /// What `wake` does while something is stuck.
    package func retry(by action: @escaping @Sendable () -> Void) { state.withLock { $0.retry = action } }

    /// There may be room now.
    package func wake() { state.withLock { $0.reasons.isEmpty ? nil : $0.retry }?() }
}

/// How far somebody is with sending photos, as their page says: for the other devices of the vault.
package struct SendingReport: Equatable, Sendable {
    package enum Device: String, Sendable {
        case phone, tablet, computer
    }

    package let device: Device
    package let done: Int
    package let total: Int

    /// - Returns: nil where more is done than there is.
    package init?(device: Device, done: Int, total: Int) {
        guard done >= 0, done <= total else { return nil }
        self.device = device
        self.done = done
        self.total = total
    }

    /// All of it has come.
    package var isOver: Bool { done == total }
}

/// Those of one open vault, in memory alone. A page that is closed in the midst of it says nothing any more, so each
/// holds for a moment only.
package final class SendingReports: Sendable {
    private struct Told {
        let report: SendingReport
        let at: ContinuousClock.Instant
    }

    /// Pages say it every few seconds; one that the browser slows down may miss a turn.
    static let lifetime: Duration = .seconds(12)

    private let told = Mutex<[ObjectIdentifier: Told]>([:])

    package func note(_ report: SendingReport, of session: ObjectIdentifier, at now: ContinuousClock.Instant) {
        told.withLock { told in
            told = told.filter { Self.holds($0.value, at: now) }
            told[session] = report.isOver ? nil : Told(report: report, at: now)
        }
    }

    /// In no order that would tell who is who.
    package func others(than session: ObjectIdentifier, at now: ContinuousClock.Instant) -> [SendingReport] {
        let told = told.withLock { $0 }
        return told.filter { $0.key != session && Self.holds($0.value, at: now) }
            .map(\.value.report).sorted { ($0.total, $0.done) > ($1.total, $1.done) }
    }

    private static func holds(_ told: Told, at now: ContinuousClock.Instant) -> Bool { now - told.at < lifetime }
}
