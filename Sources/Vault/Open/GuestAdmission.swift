package import Content
import Glibc
package import Records
package import Store
import Synchronization
import Threads

/// Whom a new guest's space is given to, and whose gives way to it. A space without anything in it costs nothing: it is
/// kept as long as nobody needs its place.
package final class GuestAdmission: Sendable {
    /// Empty spaces that are kept on disk while nobody has them open; older ones go.
    static let mostEmpty = 256

    private struct State {
        var arrivals = GuestRateLimit()
        var visits = VisitRateLimit()
        var today: DailyLimit
        /// Apart from guests, so that neither keeps the other out.
        var visitsOfToday: DailyShares
        var gifts = GiftShares()
        /// Closed and empty, the first one first.
        var empty: [RowID] = []
    }

    /// Visitors of doors in a day for each new guest. A wedding's come on one evening, and what they may leave behind is
    /// bounded by what their door takes.
    private static let visitsPerGuest = 4

    private let state: Mutex<State>

    package init(limits: VaultLimits) {
        state = Mutex(
            State(
                today: DailyLimit(perDay: limits.newGuestsPerDay, now: .now),
                visitsOfToday: DailyShares(perDay: limits.newGuestsPerDay * Self.visitsPerGuest, now: .now)))
    }

    /// - Throws: `tooManyAttempts` for one too many of an asker.
    package func count(_ client: Client, now: ContinuousClock.Instant = .now) throws(VaultError) {
        let wait = state.withLock {
            $0.arrivals.take(address: client.address.bytes, neighbour: client.holder, now: now)
        }
        if let wait { throw .tooManyAttempts(retryAfter: wait, of: .guests) }
    }

    /// The same for whoever came to a door.
    package func count(
        _ client: Client, at door: DoorID, now: ContinuousClock.Instant = .now
    ) throws(VaultError) {
        let wait = state.withLock { $0.visits.take(holder: client.holder, door: door.bytes, now: now) }
        if let wait { throw .tooManyAttempts(retryAfter: wait, of: .visits) }
    }

    /// One more guest of all; nil when there may be one, else how long until then.
    package func takeOfToday(now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { $0.today.take(now: now) }
    }

    /// One more visit of all; nil when there may be one.
    package func takeVisitOfToday(
        for holder: [UInt8], now: ContinuousClock.Instant = .now
    ) -> DailyShares.Refusal? {
        state.withLock { $0.visitsOfToday.take(for: holder, now: now) }
    }

    package func beginAnew() {
        state.withLock { state in
            state.today.beginAnew()
            state.visitsOfToday.beginAnew()
            state.gifts.beginAnew()
        }
    }

    // MARK: What givers give at a door

    /// - Parameter more: what is to come, with what is on its way.
    /// - Throws: `doorShareTaken` where that is more than a giver may take of the room of a door.
    func requireShare(
        of door: DoorSpace, for more: UnderWay, _ notice: DoorNotice, now: ContinuousClock.Instant = .now
    ) throws(VaultError) {
        guard let asker = door.asker else { return }
        let more = GiftShares.Amount(photoCount: more.photoCount, contentByteCount: more.byteCount)
        var left = GiftShares.Amount()
        (left.photoCount, left.byteCount) = (UInt64(notice.photosLeft), notice.bytesLeft)
        let wait = state.withLock { $0.gifts.wait(of: asker, for: more, left: left, now: now) }
        if let wait { throw .doorShareTaken(retryAfter: wait) }
    }

    /// A photo of so many bytes was given there.
    func noteGift(_ byteCount: UInt64, at door: DoorSpace, now: ContinuousClock.Instant = .now) {
        guard let asker = door.asker else { return }
        state.withLock { $0.gifts.note(byteCount, by: asker, now: now) }
    }

    /// The same device has given it before.
    func giveBackGift(_ byteCount: UInt64, of sender: DoorSender, at door: DoorID) {
        let asker = GiftShares.Asker(giver: sender.bytes, door: door.bytes)
        state.withLock { $0.gifts.giveBack(byteCount, by: asker) }
    }

    /// One that began today has come to nothing.
    package func giveBackOfToday(_ space: OpenVault) {
        // A program that sends with a door's code is not counted.
        guard space.door?.isSender != true else { return }
        state.withLock { state in
            if space.door == nil {
                state.today.giveBack()
            } else if let holder = space.neighbour {
                state.visitsOfToday.giveBack(for: holder)
            }
        }
    }

    /// What was given there is its owner's now; whoever gives more begins another space, and is no newcomer.
    package func noteTaken(_ space: OpenVault) {
        guard let door = space.door, !door.isSender, let holder = space.neighbour else { return }
        state.withLock { state in
            state.visits.giveBack(holder: holder, door: door.token.id.bytes)
            state.visitsOfToday.giveBack(for: holder)
        }
    }

    /// Nobody has the space open any more, and nothing is in it.
    func noteClosedEmpty(_ space: RowID) { state.withLock { $0.empty.append(space) } }

    /// It is open again, or gone.
    package func noteOpened(_ space: RowID) { state.withLock { state in state.empty.removeAll { $0 == space } } }

    /// Spaces whose time is over because there are too many of their kind.
    package func takeOverdue() -> [RowID] {
        state.withLock { state in
            let overdue = state.empty.prefix(max(0, state.empty.count - Self.mostEmpty))
            state.empty.removeFirst(overdue.count)
            return Array(overdue)
        }
    }

    /// The oldest empty space of whoever has most open.
    package static func nextToGo(among spaces: [OpenVault]) -> OpenVault? {
        let held = Dictionary(grouping: spaces, by: \.holder).mapValues(\.count)
        return spaces.filter(\.isEmptyGuest).min { one, other in
            let (first, second) = (held[one.holder] ?? 0, held[other.holder] ?? 0)
            return first == second ? one.openedAt < other.openedAt : first > second
        }
    }
}

extension OpenVault {
    /// A guest's space without a photo, and without anything on its way to it.
    package var isEmptyGuest: Bool {
        // The head last: what was on its way before that stands there.
        isGuest && arriving.byteCount == 0 && uploads.all.allSatisfy { $0.writer == nil && !$0.isStored }
            && uploads.byteCount == 0 && head.storedByteCount == 0
    }
}

/// When somebody may come who is not there, as far as anybody can tell: now and then, and not in the night.
enum VisitingHours {
    private static let dayMilliseconds = 24 * hourMilliseconds
    private static let hourMilliseconds: Int64 = 3_600_000
    /// By the clock on the wall.
    private static let begin = 8 * hourMilliseconds
    private static let end = 23 * hourMilliseconds

    /// A day later on average; each moment is as likely as any other, whatever went before, but for the night, whose
    /// visits are those of the next day.
    /// - Parameter now: milliseconds since 1970.
    static func next(after now: Int64) -> Int64 {
        let wait = -log(Double.random(in: .ulpOfOne...1)) * Double(dayMilliseconds)
        let moment = now + Int64(wait)
        let onTheWall = HostZone.wallClock(of: moment)
        let time = onTheWall.dividedDown(by: dayMilliseconds).remainder
        if (begin..<end).contains(time) { return moment }
        let untilMorning = (begin - time + dayMilliseconds) % dayMilliseconds
        return moment + untilMorning + .random(in: 0..<end - begin)
    }
}
