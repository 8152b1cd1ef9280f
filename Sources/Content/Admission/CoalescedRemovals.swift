package import Records
import Synchronization

/// Removals come to their end in rounds, which all share that wait for one: each writes both copies of the ledger anew.
/// A round is followed by a pause of the same length, so that nobody keeps the disk busy by removing little and often.
package final class CoalescedRemovals: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Void, VaultError>, Never>

    private struct State {
        var waiting: [Waiter] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let round: @Sendable () async throws -> Void
    private let pause: @Sendable (Duration) async -> Void

    /// - Parameters:
    ///   - round: finishes all removals that were committed before it began
    ///   - pause: returns after so long
    package init(
        round: @escaping @Sendable () async throws -> Void,
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.pause = pause
        self.round = round
    }

    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// On return, what the caller has removed is nowhere any more. Not cancelled with its task: others may wait for it.
    /// - Throws: what kept the round from that.
    package func finish() async throws(VaultError) {
        try await withCheckedContinuation { (waiter: Waiter) in
            let isFirst = state.withLock { state in
                state.waiting.append(waiter)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFirst { Task { await run() } }
        }.get()
    }

    private func run() async {
        while let waiting = takeWaiting() {
            let began = ContinuousClock.now
            let result = await outcome()
            let duration = ContinuousClock.now - began
            for waiter in waiting { waiter.resume(returning: result) }
            await pause(duration)
        }
    }

    private func outcome() async -> Result<Void, VaultError> {
        do { return .success(try await round()) } catch { return .failure(VaultError(error)) }
    }

    private func takeWaiting() -> [Waiter]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
