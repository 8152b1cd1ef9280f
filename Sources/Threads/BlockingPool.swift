internal import CLinux
import Glibc

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

/// Whom a thread gives way to where there is more work than processors. Advice only: a service manager may forbid it.
package enum ThreadPriority: Sendable {
    case usual
    /// Does not push aside whoever runs when it wakes: for work that is waited for in groups, beside event loops.
    case patient
    /// Behind everybody, with a share of a tenth: for what nobody waits for, and what has to come all the same.
    case last

    /// Gives the calling thread this priority.
    func takeOn() {
        switch self {
        case .usual: break
        case .patient: linux_run_as_batch()
        case .last: setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        }
    }
}

/// Starts a thread that nobody joins.
/// - Parameters:
///   - name: for debuggers; its first 15 bytes are seen.
///   - isVital: without it the daemon would wait for ever, and rather ends
/// - Returns: whether there is one
@discardableResult
package func startThread(named name: String, isVital: Bool = true, _ body: @escaping @Sendable () -> Void) -> Bool {
    let life = Unmanaged.passRetained(ThreadLife(name: name, body: body))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            let life = Unmanaged<ThreadLife>.fromOpaque(argument).takeRetainedValue()
            linux_name_thread(life.name)
            life.body()
            return nil
        }, life.toOpaque())
    guard failure == 0 else {
        life.release()
        if isVital { fatalError("no thread could be started (error \(failure))") }
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadLife: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
