import Store
import Synchronization

/// What one upload does on the threads that seal and write, in order and one after the other. One step may wait behind
/// the one that runs: the thread goes on with it at once, unless somebody else waits for the place, or other work for a
/// thread. After a failure every later step fails with it.
///
/// One user at a time, who waits for a step by `value(of:)`.
final class SealingSteps: Sendable {
    /// Does the step unless there is a failure, and gives the failure from then on and what tells whoever waits for it.
    private typealias Step = @Sendable (_ failure: (any Error)?) -> ((any Error)?, @Sendable () -> Void)

    private struct State {
        /// Whether a place was taken, or is being waited for.
        var isUnderWay = false
        var waiting: Step?
        var failure: (any Error)?
    }

    private let gate: FairGate
    private let pool: BlockingPool
    /// Whose upload it is, for the fair use of the places to seal in.
    private let session: ObjectIdentifier
    private let state = Mutex(State())

    init(gate: FairGate, pool: BlockingPool, session: ObjectIdentifier) {
        self.gate = gate
        self.pool = pool
        self.session = session
    }

    /// Whether others wait for a place or a thread: then nothing should be queued here.
    var isContended: Bool { gate.isAwaited || pool.isOverfull }

    /// Begins the step, or puts it behind the one that runs; there must be none behind it.
    func add<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async -> StartedWork<R> {
        await goOn()
        let work = StartedWork<R>()
        let step: Step = { failure in
            let result: Result<R, any Error> = failure.map { .failure($0) } ?? Result { try body() }
            return (result.failure, { work.fulfil(result) })
        }
        state.withLock { state in
            assert(state.waiting == nil, "a second step behind the one that runs")
            state.waiting = step
        }
        await goOn()
        return work
    }

    /// What a step gave, or the first failure, with the errors of this target.
    func value<R>(of work: StartedWork<R>) async throws -> R {
        await goOn()
        return try await translating { try await work.value() }
    }

    /// Begins the step that waits, unless one runs: the first, and one that a thread left for somebody else.
    func goOn() async {
        let step = state.withLock { state -> Step? in
            guard !state.isUnderWay, let step = state.waiting.take() else { return nil }
            state.isUnderWay = true
            return step
        }
        guard let step else { return }
        await gate.enter(session)
        pool.submit { [self] mayRun in
            if !mayRun { state.withLock { $0.failure = $0.failure ?? CancellationError() } }
            run(step)
        }
    }

    private func run(_ first: @escaping Step) {
        var step: Step? = first
        while let current = step {
            let (failure, tell) = current(state.withLock(\.failure))
            step = state.withLock { state in
                state.failure = failure
                guard !isContended, let next = state.waiting.take() else {
                    state.isUnderWay = false
                    return nil
                }
                return next
            }
            // Whoever hears of it may look for a free place.
            if step == nil { gate.leave() }
            tell()
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
