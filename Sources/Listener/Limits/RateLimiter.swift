import NIOCore
import NIOPosix
import Synchronization

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
