import Records
import Store
import Synchronization
import Threads

/// What one upload does on the threads that seal and write: steps of two halves, in order. Of each half one runs at a
/// time, and of two steps the later one may be sealed while the earlier one is written: by a second thread, where a
/// processor is free, else by the same one after the other. Steps may wait behind those that run; a thread goes on with
/// them at once, unless somebody else waits for the place, or other work for a thread. After a failure every later step
/// fails with it.
///
/// One user at a time, who waits for the steps in their order by `value(of:)`.
package final class SealingSteps: Sendable {
    /// The second half: gives the failure from then on, and what tells whoever waits for the step.
    private typealias Writing = @Sendable (_ failure: (any Error)?) -> ((any Error)?, @Sendable () -> Void)
    private typealias Sealing = @Sendable (_ failure: (any Error)?) -> Writing

    private enum Half {
        case sealing(Sealing)
        case writing(Writing)
    }

    private struct State {
        /// Those that have a place, or wait for one.
        var threads = 0
        var isSealing = false
        var isWriting = false
        /// Steps behind those that run, the next one first.
        var waiting: [Sealing] = []
        /// The step that is sealed, while the one before it is written.
        var sealed: Writing?
        var failure: (any Error)?

        /// Whether the one thread that works leaves something for another.
        var needsHelp: Bool { threads == 1 && isWriting && canSeal }
        private var canWrite: Bool { sealed != nil && !isWriting }
        private var canSeal: Bool { !waiting.isEmpty && !isSealing && sealed == nil }

        /// - Parameter beginsSteps: whether also a step that nobody has begun.
        mutating func take(beginsSteps: Bool) -> Half? {
            if canWrite, let writing = sealed.take() {
                isWriting = true
                return .writing(writing)
            }
            guard beginsSteps, canSeal else { return nil }
            isSealing = true
            return .sealing(waiting.removeFirst())
        }
    }

    /// So many keep both halves going: one that is written, one that is sealed, one behind them.
    static let most = 3

    private let semaphore: FairSemaphore
    private let pool: BlockingPool
    /// Whose upload it is, for the fair use of the places to seal in.
    private let session: FairSemaphore.Visitor
    /// As long as fewer places are taken than there are processors, a second thread helps.
    private let processors: Int
    private let state = Mutex(State())

    init(semaphore: FairSemaphore, pool: BlockingPool, session: FairSemaphore.Visitor, processors: Int) {
        self.semaphore = semaphore
        self.pool = pool
        self.session = session
        self.processors = processors
    }

    /// Whether others wait for a place or a thread: then nothing should be queued here.
    var isContended: Bool { semaphore.isAwaited || pool.isOverfull }

    /// Those that nobody has begun.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Begins the step, or puts it behind the others.
    /// - Parameter seal: the first half; it gives the second one.
    func add<R: Sendable>(
        _ seal: @escaping @Sendable () throws -> @Sendable () throws -> R
    ) async -> StartedWork<R> {
        await add { ((), try seal()) }.written
    }

    /// The same, where somebody waits for what the first half gave, too. Once it is sealed it is also written, whatever
    /// else the threads do, or fails.
    func add<S: Sendable, R: Sendable>(
        _ seal: @escaping @Sendable () throws -> (S, @Sendable () throws -> R)
    ) async -> (sealed: StartedWork<S>, written: StartedWork<R>) {
        let (sealed, written) = (StartedWork<S>(), StartedWork<R>())
        let sealing: Sealing = { failure in
            let result = Result { try Self.unless(failure, seal) }
            sealed.fulfil(result.map(\.0))
            return { failure in
                let result = Result { try Self.unless(failure) { try result.get().1() } }
                return (result.failure, { written.fulfil(result) })
            }
        }
        state.withLock { $0.waiting.append(sealing) }
        await goOn()
        getHelp()
        return (sealed, written)
    }

    /// What a step gave, or the first failure, with the errors of this target.
    func value<R>(of work: StartedWork<R>) async throws -> R {
        await goOn()
        return try await translating { try await work.value() }
    }

    /// Begins what waits, unless something runs: the first step, and one that a thread left for somebody else.
    func goOn() async {
        let begins = state.withLock { state in
            guard state.threads == 0, !state.waiting.isEmpty else { return false }
            state.threads = 1
            return true
        }
        guard begins else { return }
        await semaphore.acquire(session)
        startThread()
    }

    /// A second thread, where there is work for it and a processor.
    private func getHelp() {
        let isWanted = state.withLock { state in
            guard state.needsHelp, semaphore.acquire(session, ifFewerThan: processors) else { return false }
            state.threads = 2
            return true
        }
        if isWanted { startThread() }
    }

    private func startThread() {
        pool.submit { [self] mayRun in
            if mayRun { work() } else { refuse() }
        }
    }

    /// The pool is closed: a thread that still runs brings the steps to their end, and where there is none they fail.
    private func refuse() {
        let isAlone = state.withLock { state in
            guard state.threads == 1 else {
                leave(&state)
                return false
            }
            state.failure = state.failure ?? CancellationError()
            return true
        }
        if isAlone { work() }
    }

    /// One thread, from its first half to its last. What is begun is brought to its end, whoever waits.
    private func work() {
        var next = state.withLock { state in takeOrLeave(&state, beginsSteps: true) }
        while let half = next {
            getHelp()
            switch half {
            case .sealing(let seal):
                let writing = seal(state.withLock(\.failure))
                next = state.withLock { state in
                    state.isSealing = false
                    state.sealed = writing
                    return takeOrLeave(&state, beginsSteps: false)
                }
            case .writing(let write):
                let (failure, tell) = write(state.withLock(\.failure))
                next = state.withLock { state in
                    state.isWriting = false
                    state.failure = failure
                    return takeOrLeave(&state, beginsSteps: !isContended)
                }
                // Behind the place, if it was given back: whoever hears of it may look for a free one.
                tell()
            }
        }
    }

    private func takeOrLeave(_ state: inout State, beginsSteps: Bool) -> Half? {
        if let half = state.take(beginsSteps: beginsSteps) { return half }
        leave(&state)
        return nil
    }

    private func leave(_ state: inout State) {
        state.threads -= 1
        semaphore.release(session)
    }

    private static func unless<R>(_ failure: (any Error)?, _ body: () throws -> R) throws -> R {
        if let failure { throw failure }
        return try body()
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
