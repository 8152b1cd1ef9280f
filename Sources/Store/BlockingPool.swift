internal import NIOPosix

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

    /// Lets running work end; queued work fails.
    package func shutdown() async {
        try? await pool.shutdownGracefully()
    }
}
