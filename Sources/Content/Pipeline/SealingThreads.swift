import NIOCore
import Records
import Store
package import Threads

/// The threads on which everything is sealed, written and read, with buffers in reserve, and one for what nobody waits
/// for. Where objects may have to come from a bucket, those that are read have threads of their own: nobody who seals
/// waits for a network. No blocking call of a vault runs anywhere else.
package final class SealingThreads: Sendable {
    private static let count = 8
    /// Most of them wait for the bucket.
    private static let fetchingCount = 16

    let buffers = SegmentBufferPool(limit: 16)
    /// To seal and write in turn.
    package let semaphore = FairSemaphore(places: SealingThreads.count)
    /// To read what is sent, a few pieces at a time: so whoever fetches much at once has no more of the threads, and of
    /// the event loops that encrypt and send it, than whoever fetches one. Never on all threads, however slow the disk is.
    package let readings: FairSemaphore
    /// Asked for once: it takes reading files of the system.
    private let processors: Int
    private let pool = BlockingPool(name: "seal", threads: SealingThreads.count, priority: .patient)
    private let idlePool = BlockingPool(name: "reread", threads: 1, priority: .last)
    /// `pool`, unless objects may lie in a bucket.
    private let readingPool: BlockingPool

    /// - Parameter readsFromBucket: whether objects may lie in a bucket alone
    package init(readsFromBucket: Bool = false) {
        processors = System.coreCount
        guard readsFromBucket else {
            readingPool = pool
            readings = FairSemaphore(places: min(max(4, processors), Self.count - 2))
            return
        }
        readingPool = BlockingPool(name: "fetch", threads: Self.fetchingCount, priority: .patient)
        readings = FairSemaphore(places: Self.fetchingCount - 2)
    }

    /// Runs blocking work of an upload or a download, with the errors of this target.
    package func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        do { return try await pool.run(body) } catch { throw VaultError(error) }
    }

    /// Begins such work at once, before anybody waits for it.
    package func start<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> StartedWork<R> { pool.start(body) }

    /// Begins to read ahead, where nobody waits for a place; else nil.
    package func startReading<R: Sendable>(
        for visitor: FairSemaphore.Visitor, _ body: @escaping @Sendable () throws -> R
    ) -> StartedWork<R>? {
        guard readings.acquire(visitor, ifFewerThan: .max) else { return nil }
        let work = StartedWork<R>()
        readingPool.submit { [readings] mayRun in
            let result = Result { if mayRun { try body() } else { throw CancellationError() } }
            readings.release(visitor)
            work.fulfil(result)
        }
        return work
    }

    /// Reads in turn with others. The place is given back where whoever asked goes on: what waits on an event loop to be
    /// sent is never more than there are places.
    package func read<R: Sendable>(
        for visitor: FairSemaphore.Visitor, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        await readings.acquire(visitor)
        defer { readings.release(visitor) }
        return try await readingPool.start(body).value()
    }

    /// Reads an object, or opens it for that: before everything that may wait, where somebody waits for it.
    package func readObject<R: Sendable>(
        isAwaited: Bool, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        guard isAwaited else { return try await runIdly(body) }
        do { return try await readingPool.run(body) } catch { throw VaultError(error) }
    }

    /// Runs blocking work that has to be done, in a cancelled task and on a pool that is closed too. May be called twice.
    package func finish(_ body: @escaping @Sendable () -> Void) async {
        let isDone = await Task { [pool] in (try? await pool.run(body)) != nil }.value
        if !isDone { body() }
    }

    /// Blocking. Runs `body` for the parts of `0..<count` side by side, on as many threads as there are processors, and
    /// returns what they gave in their order. Not for the pool's own threads, which would wait for each other.
    package func split<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Range<Int>) throws -> R) throws -> [R] {
        try pool.split(count, into: processors, body)
    }

    /// For one upload of that session: to seal and write in turn with others.
    func sealingSteps(for session: FairSemaphore.Visitor) -> SealingSteps {
        SealingSteps(semaphore: semaphore, pool: pool, session: session, processors: processors)
    }

    /// Runs blocking work that nobody waits for.
    package func runIdly<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await idlePool.run(body)
    }

    /// Runs such work before everything that may wait, where somebody waits for it.
    package func run<R: Sendable>(isAwaited: Bool, _ body: @escaping @Sendable () throws -> R) async throws -> R {
        isAwaited ? try await run(body) : try await runIdly(body)
    }

    package func shutdown() async {
        await pool.shutdown()
        await readingPool.shutdown()
        await idlePool.shutdown()
    }
}
