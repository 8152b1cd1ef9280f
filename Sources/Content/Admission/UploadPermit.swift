package import Records
import Synchronization

/// One upload's place among those in flight; free again when it is dropped, or has given way to another.
package final class UploadPermit: Sendable {
    /// After which an upload's pace tells something.
    private static let trial: Duration = .seconds(3)
    /// After which whoever gave way may come again.
    package static let patience: Duration = .seconds(5)

    private struct State {
        var hasGivenWay = false
        var byteCount: UInt64 = 0
        var whenGivingWay: (@Sendable () -> Void)?
        var held: (any AnyObject & Sendable)?
    }

    package let holder: Holder
    package let session: ObjectIdentifier
    fileprivate let number: Int
    private let places: UploadLimiter
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    fileprivate init(_ number: Int, _ holder: Holder, _ session: ObjectIdentifier, _ places: UploadLimiter) {
        self.number = number
        self.holder = holder
        self.session = session
        self.places = places
    }

    deinit { places.leave(number) }

    package var visitor: FairSemaphore.Visitor { FairSemaphore.Visitor(session, of: holder) }

    /// Keeps something as long as the upload runs.
    package func hold(_ held: (any AnyObject & Sendable)?) { state.withLock { $0.held = held } }

    /// Bytes that have come.
    package func note(_ byteCount: Int) { state.withLock { $0.byteCount += UInt64(byteCount) } }

    /// - Throws: `busy` once another one has its place.
    package func requirePlace() throws(VaultError) {
        if state.withLock({ $0.hasGivenWay }) { throw .busy(retryAfter: Self.patience) }
    }

    /// Once at most; at once if it has given way already.
    package func whenGivingWay(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.hasGivenWay { state.whenGivingWay = body }
            return state.hasGivenWay
        }
        if isLate { body() }
    }

    fileprivate func giveWay() {
        let body = state.withLock { state in
            state.hasGivenWay = true
            defer { state.whenGivingWay = nil }
            return state.whenGivingWay
        }
        body?()
    }

    fileprivate var seat: UploadQuota.Seat {
        let age = ContinuousClock.now - began
        let pace = age < Self.trial ? .infinity : Double(state.withLock { $0.byteCount }) / (age / .seconds(1))
        return UploadQuota.Seat(number: number, holder: holder, session: session, pace: pace)
    }
}

/// The places of uploads in flight.
package final class UploadLimiter: Sendable {
    private struct State {
        var permits: [Int: WeakPermit] = [:]
        /// So far; tells whether one came and went.
        var admitted: UInt64 = 0
    }

    private struct WeakPermit {
        weak var permit: UploadPermit?
    }

    private let seats: UploadQuota
    private let state = Mutex(State())

    package init(count: Int) { seats = UploadQuota(count: count) }

    /// How many uploads run at this moment, and how many uploads and reads there have been so far.
    package var traffic: (inFlight: Int, admitted: UInt64) { state.withLock { ($0.permits.count, $0.admitted) } }

    /// Somebody reads: what may wait, waits.
    package func noteTraffic() { state.withLock { $0.admitted += 1 } }

    /// - Throws: `busy` when as many uploads run as may, and none has to give way.
    package func enter(_ holder: Holder, _ session: ObjectIdentifier) throws -> UploadPermit {
        let (permit, others, loser) = state.withLock { state -> (UploadPermit?, [UploadPermit], Int?) in
            // Handed out in any case: the last reference to one leaves by the same lock.
            let others = state.permits.values.compactMap(\.permit)
            let verdict = seats.verdict(for: holder, session, among: others.map(\.seat))
            switch verdict {
            case .none: return (nil, others, nil)
            case .insteadOf(let number):
                state.permits[number] = nil
                return (enter(holder, session, &state), others, number)
            case .free: return (enter(holder, session, &state), others, nil)
            }
        }
        guard let permit else { throw VaultError.busy(retryAfter: .seconds(2)) }
        if let loser { others.first { $0.number == loser }?.giveWay() }
        return permit
    }

    private func enter(_ holder: Holder, _ session: ObjectIdentifier, _ state: inout State) -> UploadPermit {
        state.admitted += 1
        let number = Int(clamping: state.admitted)
        let permit = UploadPermit(number, holder, session, self)
        state.permits[number] = WeakPermit(permit: permit)
        return permit
    }

    fileprivate func leave(_ number: Int) { state.withLock { $0.permits[number] = nil } }
}

/// By whom what is scarce is shared: a vault, or the neighbour whose guests' spaces they are.
package struct Holder: Hashable, Sendable {
    package var isGuest = false
    package var key: [UInt8] = []

    package init(isGuest: Bool = false, key: [UInt8] = []) {
        self.isGuest = isGuest
        self.key = key
    }
}

/// Who may upload at the same time. Half of the places are for vaults alone. When they are taken, whoever holds least is
/// let in, and the slowest upload of whoever holds most gives way. Decides only.
struct UploadQuota: Sendable {
    /// A place that is taken.
    package struct Seat: Sendable {
        package let number: Int
        package let holder: Holder
        /// Tells the holder's sessions apart.
        package let session: ObjectIdentifier
        /// Bytes in a second so far; infinite for one that has only begun.
        package let pace: Double
    }

    package enum Verdict: Equatable, Sendable {
        case free
        /// Once this one has given way.
        case insteadOf(number: Int)
        case none
    }

    let count: Int

    /// Uploads that all guests together may have in flight.
    var guestCount: Int { max(1, count / 2) }
    /// Uploads that one holder among the guests may have in flight.
    var countPerGuest: Int { max(1, guestCount / 2) }

    func verdict(for holder: Holder, _ session: ObjectIdentifier, among seats: [Seat]) -> Verdict {
        let own = seats.filter { $0.holder == holder }
        let guests = seats.filter(\.holder.isGuest)
        if holder.isGuest {
            if own.count >= countPerGuest { return instead(ofSessionIn: own, for: session) }
            if guests.count < guestCount, seats.count < count { return .free }
            return instead(ofHolderIn: guests, besides: holder, holding: own.count) ?? .none
        }
        if seats.count < count { return .free }
        return instead(ofHolderIn: seats, besides: holder, holding: own.count)
            ?? instead(ofHolderIn: guests, besides: holder, holding: -1)
            ?? instead(ofSessionIn: own, for: session)
    }

    /// One of whoever holds most, if that still is no less than what the newcomer then has.
    private func instead(ofHolderIn seats: [Seat], besides holder: Holder, holding own: Int) -> Verdict? {
        let others = Dictionary(grouping: seats.filter { $0.holder != holder }, by: \.holder)
        // Of two that hold as much, the guest.
        let most = others.max { ($0.value.count, $0.key.isGuest ? 1 : 0) < ($1.value.count, $1.key.isGuest ? 1 : 0) }
        guard let most, most.value.count >= own + 2 else { return nil }
        return slowest(of: mostOfOneSession(most.value))
    }

    private func instead(ofSessionIn seats: [Seat], for session: ObjectIdentifier) -> Verdict {
        let most = mostOfOneSession(seats.filter { $0.session != session })
        guard most.count >= seats.count(where: { $0.session == session }) + 2 else { return .none }
        return slowest(of: most) ?? .none
    }

    private func mostOfOneSession(_ seats: [Seat]) -> [Seat] {
        Dictionary(grouping: seats, by: \.session).values.max { $0.count < $1.count } ?? []
    }

    private func slowest(of seats: [Seat]) -> Verdict? {
        seats.min { ($0.pace, $0.number) < ($1.pace, $1.number) }.map { .insteadOf(number: $0.number) }
    }
}
