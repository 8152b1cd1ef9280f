import Synchronization

/// Something that happens once and wakes all who wait for it.
package final class OneTimeEvent: Sendable {
    private struct State {
        var hasHappened = false
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    package func happen() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.hasHappened = true
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when it has happened, or the task is cancelled: then nothing is left of whoever waited.
    package func wait() async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.hasHappened || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
