import Synchronization
import Threads

/// A semaphore for those who seal and write. When all are taken, those who wait are let in by turns: vaults and guests, then holder
/// by holder, then session by session, so that many connections of one do not keep another's single one waiting. Guests
/// never have all of them.
package final class FairSemaphore: Sendable {
    /// For whom it is sealed and written.
    package struct Visitor: Hashable, Sendable {
        package let holder: Holder
        package let session: ObjectIdentifier

        package init(_ session: ObjectIdentifier, of holder: Holder = Holder()) {
            self.session = session
            self.holder = holder
        }
    }

    private struct State {
        var free: Int
        var guestsInside = 0
        var vaults = Line()
        var guests = Line()
        /// Whose turn it is when both wait.
        var isGuestsTurn = false
        /// Happens when all places are free again; somebody waits for it.
        var idle: OneTimeEvent?
    }

    private let places: Int
    private let state: Mutex<State>

    package init(places: Int) {
        self.places = places
        state = Mutex(State(free: places))
    }

    /// Places that all guests together may hold.
    private var mostGuests: Int { max(1, places * 3 / 4) }

    /// Those who wait for a place.
    package var waitingCount: Int { state.withLock { $0.vaults.count + $0.guests.count } }

    /// Whether anybody waits for a place.
    package var isAwaited: Bool { state.withLock { !$0.vaults.isEmpty || !$0.guests.isEmpty } }

    /// Returns once a place is taken; every one is given back with `release`.
    package func acquire(_ visitor: Visitor) async {
        if takeFree(visitor) { return }
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                if mayEnter(visitor, state) {
                    Self.enter(visitor.holder.isGuest, &state)
                    return true
                }
                if visitor.holder.isGuest {
                    state.guests.append(continuation, visitor)
                } else {
                    state.vaults.append(continuation, visitor)
                }
                return false
            }
            if isIn { continuation.resume() }
        }
    }

    /// Takes a place for which nobody has to wait, if fewer than `most` are taken.
    package func acquire(_ visitor: Visitor, ifFewerThan most: Int) -> Bool {
        state.withLock { state in
            guard mayEnter(visitor, state), places - state.free < most else { return false }
            Self.enter(visitor.holder.isGuest, &state)
            return true
        }
    }

    package func release(_ visitor: Visitor) {
        let (next, idle) = state.withLock { state -> (CheckedContinuation<Void, Never>?, OneTimeEvent?) in
            if visitor.holder.isGuest { state.guestsInside -= 1 }
            state.free += 1
            if let next = takeNext(&state) { return (next, nil) }
            guard state.free == places else { return (nil, nil) }
            defer { state.idle = nil }
            return (nil, state.idle)
        }
        next?.resume()
        idle?.happen()
    }

    /// Returns when nobody seals or writes, or the task is cancelled.
    package func waitUntilIdle() async {
        let event = state.withLock { state -> OneTimeEvent? in
            guard state.free < places else { return nil }
            let event = state.idle ?? OneTimeEvent()
            state.idle = event
            return event
        }
        await event?.wait()
    }

    private func takeFree(_ visitor: Visitor) -> Bool {
        state.withLock { state in
            guard mayEnter(visitor, state) else { return false }
            Self.enter(visitor.holder.isGuest, &state)
            return true
        }
    }

    private func mayEnter(_ visitor: Visitor, _ state: borrowing State) -> Bool {
        state.free > 0 && (!visitor.holder.isGuest || state.guestsInside < mostGuests)
    }

    private static func enter(_ isGuest: Bool, _ state: inout State) {
        state.free -= 1
        if isGuest { state.guestsInside += 1 }
    }

    private func takeNext(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        let mayBeGuest = !state.guests.isEmpty && state.guestsInside < mostGuests
        guard mayBeGuest || !state.vaults.isEmpty else { return nil }
        let isGuest = mayBeGuest && (state.isGuestsTurn || state.vaults.isEmpty)
        state.isGuestsTurn = !isGuest
        Self.enter(isGuest, &state)
        return isGuest ? state.guests.takeNext() : state.vaults.takeNext()
    }
}

extension FairSemaphore {
    /// Those who wait, holder by holder in turn, and session by session within each.
    private struct Line {
        private struct SessionLine {
            let id: ObjectIdentifier
            var waiting: [CheckedContinuation<Void, Never>]
        }

        private var holders: [(key: Holder, sessions: [SessionLine])] = []

        var isEmpty: Bool { holders.isEmpty }
        var count: Int { holders.reduce(0) { $0 + $1.sessions.reduce(0) { $0 + $1.waiting.count } } }

        mutating func append(_ continuation: CheckedContinuation<Void, Never>, _ visitor: Visitor) {
            let new = SessionLine(id: visitor.session, waiting: [continuation])
            guard let holder = holders.firstIndex(where: { $0.key == visitor.holder }) else {
                return holders.append((visitor.holder, [new]))
            }
            guard let session = holders[holder].sessions.firstIndex(where: { $0.id == visitor.session }) else {
                return holders[holder].sessions.append(new)
            }
            holders[holder].sessions[session].waiting.append(continuation)
        }

        mutating func takeNext() -> CheckedContinuation<Void, Never>? {
            guard !holders.isEmpty else { return nil }
            var holder = holders.removeFirst()
            var session = holder.sessions.removeFirst()
            let next = session.waiting.removeFirst()
            if !session.waiting.isEmpty { holder.sessions.append(session) }
            if !holder.sessions.isEmpty { holders.append(holder) }
            return next
        }
    }
}

/// What one of many may take of something that all of them draw from: a quarter of what nobody else has taken. So whoever
/// comes under three names leaves two fifths of it to the others, and there is always some left.
package enum FairShare {
    /// - Parameters:
    ///   - more: what is asked for.
    ///   - own: what the asker has taken already.
    ///   - left: what nobody has taken.
    ///   - least: what everybody may take as long as there is so much, where a quarter would be too little to be of use.
    package static func allows(_ more: UInt64, own: UInt64, left: UInt64, least: UInt64) -> Bool {
        sum(own, more) <= max(least, sum(own, left) / 4)
    }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// How often a thing may be done in a day by all together, of which nobody takes more than a fair share. In memory only.
package struct DailyShares: Sendable {
    private static let day: Duration = .seconds(86_400)

    package enum Refusal: Error, Equatable {
        /// The asker has had a share of it; how long until the next.
        case ofAsker(Duration)
        /// All of it is taken.
        case ofAll(Duration)
    }

    private let perDay: Int
    private var byAsker: [[UInt8]: Int] = [:]
    private var count = 0
    private var since: ContinuousClock.Instant

    package init(perDay: Int, now: ContinuousClock.Instant) {
        self.perDay = perDay
        since = now
    }

    /// Takes one, or refuses.
    package mutating func take(for asker: [UInt8], now: ContinuousClock.Instant) -> Refusal? {
        if now - since >= Self.day {
            beginAnew()
            since = now
        }
        let wait = Self.day - (now - since)
        guard count < perDay else { return .ofAll(wait) }
        let own = byAsker[asker, default: 0]
        guard FairShare.allows(1, own: UInt64(own), left: UInt64(perDay - count), least: 1) else {
            return .ofAsker(wait)
        }
        byAsker[asker] = own + 1
        count += 1
        return nil
    }

    package mutating func giveBack(for asker: [UInt8]) {
        guard let own = byAsker[asker] else { return }
        byAsker[asker] = own > 1 ? own - 1 : nil
        count -= 1
    }

    package mutating func beginAnew() {
        count = 0
        byAsker = [:]
    }
}
