import Synchronization

/// One at a time, in the order of arrival, across suspension points.
final class TurnLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Whoever gets true gives the turn back. False when the time is over before it comes.
    func take(within limit: Duration? = nil) async -> Bool {
        guard !takeFree() else { return true }
        var alarm: Task<Void, Never>?
        let isMine = await withCheckedContinuation { continuation in
            let number = state.withLock { state -> UInt64? in
                guard state.isTaken else {
                    state.isTaken = true
                    return nil
                }
                state.nextNumber += 1
                state.waiting.append((state.nextNumber, continuation))
                return state.nextNumber
            }
            guard let number else { return continuation.resume(returning: true) }
            alarm = limit.map { limit in
                Task { [weak self] in
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    self?.giveUp(number)
                }
            }
        }
        alarm?.cancel()
        return isMine
    }

    private func takeFree() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.isTaken = false
            return nil
        }
        next?.resume(returning: true)
    }

    private func giveUp(_ number: UInt64) {
        let given = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        given?.resume(returning: false)
    }
}
