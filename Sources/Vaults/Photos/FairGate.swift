import Synchronization

/// Places to seal and write in. When all are taken, those who wait are let in session by session in turn, so that
/// many connections of one session do not keep another's single one waiting.
final class FairGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [ObjectIdentifier: [CheckedContinuation<Void, Never>]] = [:]
        /// Sessions that wait, the next one first.
        var turns: [ObjectIdentifier] = []
        /// Happens when all places are free again; somebody waits for it.
        var idle: OneTimeEvent?
    }

    private let places: Int
    private let state: Mutex<State>

    init(places: Int) {
        self.places = places
        state = Mutex(State(free: places))
    }

    /// Those who wait for a place.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Whether anybody waits for a place.
    var isAwaited: Bool { state.withLock { !$0.turns.isEmpty } }

    /// Returns once a place is taken; every one is given back with `leave`.
    func enter(_ key: ObjectIdentifier) async {
        if takeFree() { return }
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                if state.waiting[key, default: []].isEmpty { state.turns.append(key) }
                state.waiting[key, default: []].append(continuation)
                return false
            }
            if isIn { continuation.resume() }
        }
    }

    /// Takes a place for which nobody has to wait, if fewer than `most` are taken.
    func enter(ifFewerThan most: Int) -> Bool {
        state.withLock { state in
            guard state.free > 0, places - state.free < most else { return false }
            state.free -= 1
            return true
        }
    }

    func leave() {
        let (next, idle) = state.withLock { state -> (CheckedContinuation<Void, Never>?, OneTimeEvent?) in
            if let next = Self.takeNext(&state) { return (next, nil) }
            state.free += 1
            guard state.free == places else { return (nil, nil) }
            defer { state.idle = nil }
            return (nil, state.idle)
        }
        next?.resume()
        idle?.happen()
    }

    /// Returns when nobody seals or writes, or the task is cancelled.
    func waitUntilIdle() async {
        let event = state.withLock { state -> OneTimeEvent? in
            guard state.free < places else { return nil }
            let event = state.idle ?? OneTimeEvent()
            state.idle = event
            return event
        }
        await event?.wait()
    }

    private func takeFree() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    private static func takeNext(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard let key = state.turns.first, var queue = state.waiting[key], !queue.isEmpty else { return nil }
        state.turns.removeFirst()
        let next = queue.removeFirst()
        state.waiting[key] = queue.isEmpty ? nil : queue
        if !queue.isEmpty { state.turns.append(key) }
        return next
    }
}
