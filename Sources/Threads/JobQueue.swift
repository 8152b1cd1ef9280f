import DequeModule
import Dispatch
import Synchronization

/// Work that waits for a thread. The threads hold the queue, not the pool: so they end when nobody has the pool any
/// more.
package final class JobQueue: Sendable {
    private struct State {
        var jobs: Deque<Job> = []
        var isClosed = false
        /// Threads that have not ended yet, and those of them that are at work.
        var threads: Int
        var busy = 0
        var waitForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    /// Counts what is to be taken: jobs, and for each thread the end.
    private let ready = DispatchSemaphore(value: 0)

    init(threads: Int) {
        state = Mutex(State(threads: threads))
    }

    /// False when the queue is closed.
    func add(_ job: Job) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        if isOpen { ready.signal() }
        return isOpen
    }

    /// Whether there is more than the threads without work will take.
    var isOverfull: Bool { state.withLock { $0.jobs.count > $0.threads - $0.busy } }

    /// A thread's life.
    func work() {
        while let job = next() {
            job.run()
            state.withLock { $0.busy -= 1 }
        }
        let waiting = state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? state.waitForEnd : []
        }
        for continuation in waiting { continuation.resume() }
    }

    private func next() -> Job? {
        ready.wait()
        return state.withLock { state in
            guard let job = state.jobs.popFirst() else { return nil }
            state.busy += 1
            return job
        }
    }

    /// What waits fails, and the threads end with what they are at.
    func close() {
        let (jobs, threads) = state.withLock { state in
            defer { (state.jobs, state.isClosed) = ([], true) }
            return (state.jobs, state.isClosed ? 0 : state.threads)
        }
        for _ in 0..<threads { ready.signal() }
        for job in jobs { job.withdraw() }
    }

    /// Closes it and returns when all threads have ended.
    func end() async {
        close()
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.threads > 0 { state.waitForEnd.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
        }
    }
}

/// Work that runs once, on a thread, or is told that it will not.
package final class Job: Sendable {
    /// - Parameter mayRun: whether to do the work; else only to say that it was not done.
    package typealias Work = @Sendable (_ mayRun: Bool) -> Void

    private enum State {
        case new
        case waiting(Work)
        case taken
    }

    private let state = Mutex(State.new)

    /// Once only.
    package func queue(in queue: JobQueue, _ work: @escaping Work) {
        let isWanted = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(work)
            return true
        }
        guard isWanted else { return work(false) }
        if !queue.add(self) { withdraw() }
    }

    package func run() { take()?(true) }

    /// Without effect once it runs.
    func withdraw() { take()?(false) }

    private func take() -> Work? {
        state.withLock { state in
            defer { state = .taken }
            guard case .waiting(let work) = state else { return nil }
            return work
        }
    }
}
