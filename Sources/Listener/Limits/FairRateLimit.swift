import Bytes
import NIOCore
import NIOPosix
import Synchronization

/// Lets each holder do a thing at once as long as it does it seldom, and what goes beyond that one after the other: at a
/// pace that all share, holders in turn, and the addresses of one holder in turn. Pure.
///
/// So one device that wants a thing without end has the common pace for itself while nobody else waits, never the
/// processors; and who has asked for little does not stand behind it.
struct FairRateLimit {
    struct Rules: Sendable, Equatable {
        /// How many times a holder that was quiet may do it at once.
        var burst: Int
        /// How many of these grow again each second.
        var rate: Int
        /// How many each second of all that wait.
        var commonRate: Int
    }

    typealias ID = UInt64

    /// How far in the future what was done already may keep a holder from its burst, and all that wait from their turns.
    private static let longestDebt: TimeAmount = .seconds(5)
    private static let longestCommonDebt: TimeAmount = .seconds(1)

    private typealias Queue = (address: IPNetwork, ids: [ID])

    private let rules: Rules
    /// When each holder will have its whole burst again; none stands here that has it.
    private var wholeAt: [ConnectionQuota.Holder: NIODeadline] = [:]
    private var pruningCount = 64
    /// Who waits, in turn.
    private var waiting: [(holder: ConnectionQuota.Holder, queues: [Queue])] = []
    private var lastTurn: NIODeadline

    init(rules: Rules, now: NIODeadline) {
        self.rules = rules
        lastTurn = now
    }

    var waitingCount: Int { waiting.reduce(0) { $0 + $1.queues.reduce(0) { $0 + $1.ids.count } } }

    /// When the next of those that wait has its turn.
    var nextTurn: NIODeadline? { waiting.isEmpty ? nil : lastTurn + Self.interval(rules.commonRate) }

    /// - Returns: whether it may do it at once; else it waits
    mutating func ask(_ visitor: ConnectionQuota.Visitor, as id: ID, now: NIODeadline) -> Bool {
        let interval = Self.interval(rules.rate)
        let whole = max(wholeAt[visitor.holder] ?? now, now) + interval
        guard whole - now <= interval * rules.burst else {
            wait(visitor, id, now: now)
            return false
        }
        wholeAt[visitor.holder] = whole
        prune(now: now)
        return true
    }

    /// What a holder has done counted as one, and was worth as many more.
    /// - Parameter isCommon: it had waited for its turn, so that it was done at the pace of all that wait
    mutating func charge(_ count: Double, to visitor: ConnectionQuota.Visitor, isCommon: Bool, now: NIODeadline) {
        if isCommon {
            lastTurn = min(max(lastTurn, now) + Self.interval(rules.commonRate, count), now + Self.longestCommonDebt)
        } else {
            let most = now + Self.interval(rules.rate) * rules.burst + Self.longestDebt
            let whole = max(wholeAt[visitor.holder] ?? now, now) + Self.interval(rules.rate, count)
            wholeAt[visitor.holder] = min(whole, most)
        }
    }

    /// Whose turn has come by now.
    mutating func due(now: NIODeadline) -> [ID] {
        var due: [ID] = []
        while let turn = nextTurn, turn <= now {
            due.append(takeNext())
            lastTurn = turn
        }
        return due
    }

    mutating func leave(_ id: ID) {
        for index in waiting.indices {
            for queue in waiting[index].queues.indices { waiting[index].queues[queue].ids.removeAll { $0 == id } }
            waiting[index].queues.removeAll { $0.ids.isEmpty }
        }
        waiting.removeAll { $0.queues.isEmpty }
    }

    private mutating func wait(_ visitor: ConnectionQuota.Visitor, _ id: ID, now: NIODeadline) {
        // Nobody saves up turns that nobody wanted.
        if waiting.isEmpty { lastTurn = max(lastTurn, now - Self.interval(rules.commonRate)) }
        let index = waiting.firstIndex { $0.holder == visitor.holder } ?? waiting.endIndex
        if index == waiting.endIndex { waiting.append((visitor.holder, [])) }
        if let queue = waiting[index].queues.firstIndex(where: { $0.address == visitor.address }) {
            waiting[index].queues[queue].ids.append(id)
        } else {
            waiting[index].queues.append((visitor.address, [id]))
        }
    }

    /// The first of the first; both go behind all others.
    private mutating func takeNext() -> ID {
        var (holder, queues) = waiting.removeFirst()
        var (address, ids) = queues.removeFirst()
        let id = ids.removeFirst()
        if !ids.isEmpty { queues.append((address, ids)) }
        if !queues.isEmpty { waiting.append((holder, queues)) }
        return id
    }

    private mutating func prune(now: NIODeadline) {
        guard wholeAt.count > pruningCount else { return }
        wholeAt = wholeAt.filter { $0.value > now }
        pruningCount = max(64, wholeAt.count * 2)
    }

    private static func interval(_ rate: Int) -> TimeAmount { .nanoseconds(1_000_000_000 / Int64(max(1, rate))) }

    /// For so many; beyond an hour's worth at one in a millisecond none is told from another.
    private static func interval(_ rate: Int, _ count: Double) -> TimeAmount {
        .nanoseconds(Int64(Double(interval(rate).nanoseconds) * min(max(count, 0), 3_600_000)))
    }
}

/// Carries out what `FairRateLimit` decides for the connections of other hosts.
final class RateLimiter: Sendable {
    private struct State {
        var pace: FairRateLimit
        var waiting: [FairRateLimit.ID: EventLoopPromise<Void>] = [:]
        var isAlarmSet = false
    }

    private let state: Mutex<State>
    private let alarmLoop = MultiThreadedEventLoopGroup.singleton.any()

    init(_ rules: FairRateLimit.Rules) {
        state = Mutex(State(pace: FairRateLimit(rules: rules, now: .now())))
    }

    /// - Parameters:
    ///   - visitor: nil for this host, which never waits
    ///   - id: of the connection, which asks again only when it has gone on
    /// - Returns: when it may go on, and fails when it leaves before; nil where it need not wait
    func ask(
        for visitor: ConnectionQuota.Visitor?, as id: FairRateLimit.ID, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void>? {
        guard let visitor else { return nil }
        let promise = state.withLock { state -> EventLoopPromise<Void>? in
            guard !state.pace.ask(visitor, as: id, now: .now()) else { return nil }
            let promise = eventLoop.makePromise(of: Void.self)
            state.waiting[id] = promise
            return promise
        }
        if promise != nil { setAlarm() }
        return promise?.futureResult
    }

    /// As `FairRateLimit.charge`; this host has no account.
    func charge(_ count: Double, to visitor: ConnectionQuota.Visitor?, isCommon: Bool) {
        guard let visitor else { return }
        state.withLock { $0.pace.charge(count, to: visitor, isCommon: isCommon, now: .now()) }
    }

    /// The connection is closed.
    func leave(_ id: FairRateLimit.ID) {
        let promise = state.withLock { state in
            let promise = state.waiting.removeValue(forKey: id)
            if promise != nil { state.pace.leave(id) }
            return promise
        }
        promise?.fail(ChannelError.ioOnClosedChannel)
    }

    private func setAlarm() {
        let deadline = state.withLock { state -> NIODeadline? in
            guard !state.isAlarmSet, let next = state.pace.nextTurn else { return nil }
            state.isAlarmSet = true
            return next
        }
        guard let deadline else { return }
        alarmLoop.scheduleTask(deadline: deadline) { self.alarmRang() }
    }

    private func alarmRang() {
        let due = state.withLock { state in
            state.isAlarmSet = false
            return state.pace.due(now: .now()).compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for promise in due { promise.succeed() }
        setAlarm()
    }
}
