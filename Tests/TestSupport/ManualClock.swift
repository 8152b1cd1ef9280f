import Synchronization

/// A clock that moves when a test says so.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Swift.Duration = .zero

        package func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        package static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [CheckedContinuation<Void, Never>] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0

        func hasSleeper(of duration: Swift.Duration) -> Bool {
            sleepers.values.contains { $0.until >= now.advanced(by: duration) }
        }

        func hasSleeper(within duration: Swift.Duration) -> Bool {
            sleepers.values.contains { $0.until <= now.advanced(by: duration) }
        }

        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            defer { watchers = [] }
            return watchers
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Swift.Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    if state.cancelled.remove(number) != nil {
                        continuation.resume(throwing: CancellationError())
                        return []
                    }
                    state.sleepers[number] = (deadline, continuation)
                    return state.takeWatchers()
                }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns once somebody sleeps until `duration` from now or later.
    package func waitForSleeper(of duration: Swift.Duration) async {
        while !state.withLock({ $0.hasSleeper(of: duration) }) {
            await waitForSleeper { $0.hasSleeper(of: duration) }
        }
    }

    /// Moves by `duration` as soon as somebody sleeps until then or less long. A task that is cancelled moves nothing.
    package func wakeSleeper(within duration: Swift.Duration) async {
        while !Task.isCancelled {
            let isThere = state.withLock { $0.hasSleeper(within: duration) }
            if isThere { return advance(by: duration) }
            await withTaskCancellationHandler {
                await waitForSleeper { $0.hasSleeper(within: duration) }
            } onCancel: {
                for watcher in state.withLock({ $0.takeWatchers() }) { watcher.resume() }
            }
        }
    }

    /// Returns when somebody else has gone to sleep, or at once if `condition` holds or the task is cancelled.
    private func waitForSleeper(unless condition: @Sendable (borrowing State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if condition(state) || Task.isCancelled { return true }
                state.watchers.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    package func advance(by duration: Swift.Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for sleeper in woken { sleeper.resume() }
    }
}
