/// Threads of their own for work that waits for a disk or computes long, so that neither event loops nor the
/// cooperative threads ever do.
package final class BlockingPool: Sendable {
    /// What the threads are for, to tell pools apart in a debugger.
    package let name: String
    private let queue: JobQueue

    /// - Parameter priority: whom the threads give way to.
    package init(name: String, threads: Int, priority: ThreadPriority = .usual) {
        self.name = name
        let threads = max(1, threads)
        queue = JobQueue(threads: threads)
        for number in 0..<threads {
            startThread(named: "\(name)-\(number)") { [queue] in
                priority.takeOn()
                queue.work()
            }
        }
    }

    /// As many threads as the system gives, at most so many; nil where it gives none. For work that others do as well.
    package init?(atMost threads: Int, named name: String) {
        self.name = name
        queue = JobQueue(threads: threads)
        for number in 0..<threads {
            guard startThread(named: "\(name)-\(number)", isVital: false, { [queue] in queue.work() }) else {
                if number == 0 { return nil }
                return
            }
        }
    }

    deinit {
        queue.close()
    }

    /// Runs `body` on one of the threads and waits for it. Work that has begun is never abandoned; a task cancelled
    /// while its work still queues gets `CancellationError`.
    package func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        let job = Job()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
                job.queue(in: queue) { mayRun in
                    continuation.resume(with: mayRun ? Result { try body() } : .failure(CancellationError()))
                }
            }
        } onCancel: {
            job.withdraw()
        }
    }

    /// Hands `body` to the threads at once, before anybody waits for it: so that work overlaps with what the caller does
    /// next. Never abandoned once it has begun.
    package func start<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> StartedWork<R> {
        let work = StartedWork<R>()
        submit { mayRun in work.fulfil(mayRun ? Result { try body() } : .failure(CancellationError())) }
        return work
    }

    /// Hands work to the threads that is called in any case, and told whether it may run: not when the pool is closed.
    package func submit(_ work: @escaping @Sendable (_ mayRun: Bool) -> Void) { Job().queue(in: queue, work) }

    /// Whether work waits that no thread is free for.
    package var isOverfull: Bool { queue.isOverfull }

    /// Blocking. Runs `body` for about equal parts of `0..<count` side by side, the first on the calling thread, and
    /// returns what they gave in their order. Never from one of the pool's own threads, which would wait for each other.
    package func split<R: Sendable>(
        _ count: Int, into parts: Int, _ body: @escaping @Sendable (Range<Int>) throws -> R
    ) throws -> [R] {
        let parts = max(1, min(parts, count))
        let ranges = (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
        let others = ranges.dropFirst().map { range in start { try body(range) } }
        let first = Result { try body(ranges[0]) }
        // All have ended before an error leaves, for the parts may share what the caller owns.
        let results = [first] + others.map { $0.waitForResult() }
        return try results.map { try $0.get() }
    }

    /// Lets running work end; queued work fails.
    package func shutdown() async { await queue.end() }
}
