package import Content
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
        var today: DailyLimit
        /// Closed and empty, the first one first.
        var empty: [RowID] = []
    }

    private let state: Mutex<State>

    package init(limits: VaultLimits) {
        state = Mutex(State(today: DailyLimit(perDay: limits.newGuestsPerDay, now: .now)))
    }

    /// - Throws: `tooManyAttempts` for one too many of an asker.
    package func count(_ client: Client, now: ContinuousClock.Instant = .now) throws(VaultError) {
        let wait = state.withLock {
            $0.arrivals.take(address: client.address.bytes, neighbour: client.holder, now: now)
        }
        if let wait { throw .tooManyAttempts(retryAfter: wait) }
    }

    /// One more of all; nil when there may be one, else how long until then.
    package func takeOfToday(now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { $0.today.take(now: now) }
    }

    package func beginAnew() { state.withLock { $0.today.beginAnew() } }

    /// One that began today has come to nothing.
    package func giveBackOfToday() { state.withLock { $0.today.giveBack() } }

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
