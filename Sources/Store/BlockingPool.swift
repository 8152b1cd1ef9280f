import Dispatch
internal import NIOPosix
import Synchronization

/// Threads of their own for work that waits for a disk or computes long, so that neither event loops nor the
/// cooperative threads ever do.
package final class BlockingPool: Sendable {
    /// What the threads are for, to tell pools apart in a debugger.
    package let name: String
    private let pool: NIOThreadPool

    package init(name: String, threads: Int) {
        self.name = name
        pool = NIOThreadPool(numberOfThreads: max(1, threads))
        pool.start()
    }

    deinit {
        pool.shutdownGracefully { _ in }
    }

    /// Runs `body` on one of the threads and waits for it. Work that has begun is never abandoned; a task cancelled
    /// while its work still queues gets `CancellationError`.
    package func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await pool.runIfActive(body)
    }

    /// Blocking. Runs `body` for about equal parts of `0..<count` side by side, the first on the calling thread, and
    /// returns what they gave in their order. Never from one of the pool's own threads, which would wait for each other.
    package func split<R: Sendable>(
        _ count: Int, into parts: Int, _ body: @escaping @Sendable (Range<Int>) throws -> R
    ) throws -> [R] {
        let parts = max(1, min(parts, count))
        let ranges = (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
        let others = ranges.dropFirst().map { range in (range, Promised<R>()) }
        for (range, promised) in others {
            pool.submit { state in
                promised.fulfil(state == .active ? Result { try body(range) } : .failure(CancellationError()))
            }
        }
        let first = Result { try body(ranges[0]) }
        // All have ended before an error leaves, for the parts may share what the caller owns.
        let results = [first] + others.map { $0.1.wait() }
        return try results.map { try $0.get() }
    }

    private final class Promised<R: Sendable>: Sendable {
        private let result = Mutex<Result<R, any Error>?>(nil)
        private let isThere = DispatchSemaphore(value: 0)

        func fulfil(_ result: Result<R, any Error>) {
            self.result.withLock { $0 = result }
            isThere.signal()
        }

        func wait() -> Result<R, any Error> {
            isThere.wait()
            return result.withLock { $0 } ?? .failure(CancellationError())
        }
    }

    /// Lets running work end; queued work fails.
    package func shutdown() async {
        try? await pool.shutdownGracefully()
    }
}
