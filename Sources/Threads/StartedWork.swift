import Dispatch
import Synchronization

/// Work on a thread that somebody waits for: one at a time.
package final class StartedWork<R: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<R, any Error>)
        case blocking(DispatchSemaphore)
        case over(Result<R, any Error>)

        /// A second one would be heard in place of the first, who would wait for ever.
        mutating func wait(_ waiting: State) {
            guard case .running = self else { preconditionFailure("two wait for the same work") }
            self = waiting
        }
    }

    private let state = Mutex(State.running)

    package init() {}

    /// By whoever does the work, once.
    package func fulfil(_ result: Result<R, any Error>) {
        let waiting = state.withLock { state in
            defer { state = .over(result) }
            return state
        }
        switch waiting {
        case .running, .over: break
        case .awaited(let continuation): continuation.resume(with: result)
        case .blocking(let semaphore): semaphore.signal()
        }
    }

    /// Its outcome. Not cancellable: what has begun comes to its end. Throws `CancellationError` when the pool was shut
    /// down before it began.
    package func value() async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<R, any Error>? in
                if case .over(let result) = state { return result }
                state.wait(.awaited(continuation))
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// Waits for asynchronous work. To be called on a thread that may block, never on one of the cooperative pool.
    package static func wait(for work: @escaping @Sendable () async throws -> R) throws -> R {
        let started = StartedWork()
        Task {
            do { started.fulfil(.success(try await work())) } catch { started.fulfil(.failure(error)) }
        }
        return try started.waitForResult().get()
    }

    /// Blocking. Never from one of the pool's own threads, which would wait for each other.
    package func waitForResult() -> Result<R, any Error> {
        let semaphore = DispatchSemaphore(value: 0)
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state.wait(.blocking(semaphore))
            return false
        }
        if !isOver { semaphore.wait() }
        guard case .over(let result) = state.withLock({ $0 }) else { return .failure(CancellationError()) }
        return result
    }
}
