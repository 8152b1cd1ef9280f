import DequeModule
import Dispatch
import Synchronization

/// Work that waits for a thread. The threads hold the queue, not the pool: so they end when nobody has the pool any
/// more.
final class JobQueue: Sendable {
    private struct State {
        var jobs: Deque<Job> = []
        var isClosed = false
        /// Threads that have not ended yet, and those of them that are at work.
        var threads: Int
        var busy = 0
        var sleeping = SleepingThreads()
        var waitForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(threads: Int) {
        state = Mutex(State(threads: threads))
    }

    /// False when the queue is closed.
    func add(_ job: Job) -> Bool {
        let (isOpen, sleeping) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            guard !state.isClosed else { return (false, nil) }
            state.jobs.append(job)
            return (true, state.sleeping.take())
        }
        sleeping?.signal()
        return isOpen
    }

    /// Whether there is more than the threads without work will take.
    var isOverfull: Bool { state.withLock { $0.jobs.count > $0.threads - $0.busy } }

    /// A thread's life.
    func work() {
        let wake = DispatchSemaphore(value: 0)
        while let job = next(wake) {
            job.run()
            state.withLock { $0.busy -= 1 }
        }
        let waiting = state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? state.waitForEnd : []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Nil when the thread ends. Whoever is awake takes what is there, so one that was woken may find nothing.
    private func next(_ wake: DispatchSemaphore) -> Job? {
        while true {
            let (job, isOver) = state.withLock { state -> (Job?, Bool) in
                if let job = state.jobs.popFirst() {
                    state.busy += 1
                    return (job, false)
                }
                if !state.isClosed { state.sleeping.add(wake) }
                return (nil, state.isClosed)
            }
            if job != nil || isOver { return job }
            wake.wait()
        }
    }

    /// What waits fails, and the threads end with what they are at.
    func close() {
        let (jobs, threads) = state.withLock { state in
            defer { (state.jobs, state.isClosed) = ([], true) }
            return (state.jobs, state.sleeping.takeAll())
        }
        for thread in threads { thread.signal() }
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
final class Job: Sendable {
    /// - Parameter mayRun: whether to do the work; else only to say that it was not done.
    typealias Work = @Sendable (_ mayRun: Bool) -> Void

    private enum State {
        case new
        case waiting(Work)
        case taken
    }

    private let state = Mutex(State.new)

    /// Once only.
    func queue(in queue: JobQueue, _ work: @escaping Work) {
        let isWanted = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(work)
            return true
        }
        guard isWanted else { return work(false) }
        if !queue.add(self) { withdraw() }
    }

    func run() { take()?(true) }

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
