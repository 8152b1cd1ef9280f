import NIOCore
import NIOPosix
import Synchronization

/// Carries out what `FairPace` decides for the connections of other hosts.
final class Turns: Sendable {
    private struct State {
        var pace: FairPace
        var waiting: [FairPace.ID: EventLoopPromise<Void>] = [:]
        var lastID: FairPace.ID = 0
        var isAlarmSet = false
    }

    private let state: Mutex<State>
    private let alarmLoop = MultiThreadedEventLoopGroup.singleton.any()

    init(_ rules: FairPace.Rules) {
        state = Mutex(State(pace: FairPace(rules: rules, now: .now())))
    }

    /// - Parameters:
    ///   - visitor: nil for this host, which never waits
    ///   - channel: what wants to go on
    /// - Returns: when it may, and fails when the channel is closed before; nil where it need not wait
    func ask(for visitor: Seating.Visitor?, _ channel: any Channel) -> EventLoopFuture<Void>? {
        guard let visitor else { return nil }
        let waiting = state.withLock { state -> (id: FairPace.ID, promise: EventLoopPromise<Void>)? in
            state.lastID += 1
            guard !state.pace.ask(visitor, as: state.lastID, now: .now()) else { return nil }
            let promise = channel.eventLoop.makePromise(of: Void.self)
            state.waiting[state.lastID] = promise
            return (state.lastID, promise)
        }
        guard let waiting else { return nil }
        channel.closeFuture.whenComplete { _ in self.leave(waiting.id) }
        setAlarm()
        return waiting.promise.futureResult
    }

    private func leave(_ id: FairPace.ID) {
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
