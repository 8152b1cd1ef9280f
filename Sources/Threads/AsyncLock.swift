import Synchronization

/// A lock that may be held over suspension points, and is handed on in the order of arrival.
package final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns with the lock, which is to be released, however long it takes and whether the task is cancelled or
    /// not.
    package func acquire() async {
        guard !acquireIfFree() else { return }
        _ = await withCheckedContinuation { enqueue($0, as: newNumber()) }
    }

    /// Whoever gets true releases the lock. False when the time is over before it comes; when the task is cancelled,
    /// at once, and nothing is left of whoever waited.
    package func acquire(within limit: Duration) async -> Bool {
        guard !acquireIfFree() else { return true }
        let number = newNumber()
        return await withTaskCancellationHandler {
            await wait(number, limit)
        } onCancel: {
            giveUp(number)
        }
    }

    /// Waits as `acquire(within:)` does, in a cancelled task too.
    package func acquireDespiteCancellation(within limit: Duration) async -> Bool {
        await wait(newNumber(), limit, always: true)
    }

    /// False, at once, when another has it.
    package func acquireIfFree() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    package func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.isTaken = false
            return nil
        }
        next?.resume(returning: true)
    }

    private func wait(_ number: UInt64, _ limit: Duration, always: Bool = false) async -> Bool {
        var alarm: Task<Void, Never>?
        let isMine = await withCheckedContinuation { continuation in
            guard enqueue(continuation, as: number, unlessCancelled: !always) else { return }
            // Once it stands in the line: an alarm that rang before would wake nobody.
            alarm = Task { [weak self] in
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                self?.giveUp(number)
            }
        }
        alarm?.cancel()
        return isMine
    }

    /// - Returns: whether it has to wait.
    @discardableResult
    private func enqueue(
        _ continuation: CheckedContinuation<Bool, Never>, as number: UInt64, unlessCancelled: Bool = false
    ) -> Bool {
        let isMine = state.withLock { state -> Bool? in
            guard state.isTaken else {
                state.isTaken = true
                return true
            }
            // Whoever cancels says so before it looks for the number in the line.
            if unlessCancelled, Task.isCancelled { return false }
            state.waiting.append((number, continuation))
            return nil
        }
        guard let isMine else { return true }
        continuation.resume(returning: isMine)
        return false
    }

    private func newNumber() -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }

    private func giveUp(_ number: UInt64) {
        let given = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        given?.resume(returning: false)
    }
}

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
