package import NIOCore
package import Records
import Store
package import Threads

/// Bytes on their way to the disk: copied once, into a segment, sealed there, and written, while the next segment
/// fills; where nobody else waits to seal, one is written, one sealed, and one waits behind them. Memory is four
/// segments, whatever the size. One user at a time.
package final class SealingPipeline {
    package let lane: SealingLane
    private let threads: SealingThreads
    package let steps: SealingSteps
    /// Nil until bytes are there: an upload that only waits costs no memory.
    private var filling: SegmentBuffer?
    private var fillingSince = ContinuousClock.now
    private var size = SegmentSize.small
    /// Where in the object the segment begins that fills, or the next one.
    private var position: UInt64
    private var isRunBegun = false
    /// Where in the object the run begins, and bytes of it so far.
    private var runStart: UInt64
    private var runByteCount: UInt64 = 0
    /// Segments that are sealed and written, or wait for that, the oldest first; a buffer is given back as soon as it
    /// was written, whether or not more bytes come.
    private var sealing: [StartedWork<Void>] = []
    /// The last one of a run that nobody waited for.
    private var closing: StartedWork<Void>?
    /// The first thing that went wrong. It stays: bytes may be missing from the run since.
    private var failure: (any Error)?

    package init(lane: SealingLane, threads: SealingThreads, session: FairSemaphore.Visitor) {
        self.lane = lane
        self.threads = threads
        steps = threads.sealingSteps(for: session)
        position = lane.staged.byteCount
        runStart = lane.runStart
    }

    /// Takes all bytes; waits while the disk is behind.
    package func append(_ bytes: ByteBuffer) async throws {
        try await sticking { try await take(bytes) }
    }

    /// Ends the run; what it holds is on disk then.
    /// - Parameter content: bytes of the whole content, if it ends here: then the object is padded.
    package func closeRun(endOf content: UInt64?) async throws -> PhotoRecord.Run {
        try await sticking {
            let (run, written) = try await close(endOf: content)
            // What goes wrong before the last step fails that, too.
            await stop()
            try await steps.value(of: written)
            position = lane.staged.byteCount
            runStart = lane.runStart
            runByteCount = 0
            isRunBegun = false
            return try await run.value()
        }
    }

    /// The same, but returns as soon as the run is sealed, while the disk is at its last segment. Nothing can follow but
    /// to drop it.
    /// - Returns: also what waits for the disk: for a thread that is none of the pool's, and may block
    package func beginClosing(
        endOf content: UInt64
    ) async throws -> (run: PhotoRecord.Run, wait: @Sendable () throws -> Void) {
        try await sticking {
            let (run, written) = try await close(endOf: content)
            closing = written
            // In their order, for a thread may have left the last one to whoever waits.
            while !sealing.isEmpty { try await settleOldest() }
            return (try await steps.value(of: run), { try written.waitForResult().get() })
        }
    }

    private func sticking<R>(_ step: () async throws -> R) async throws -> R {
        if let failure { throw failure }
        do {
            return try await step()
        } catch {
            failure = error
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer) async throws {
        var rest = bytes
        while rest.readableBytes > 0 {
            let segment = segment()
            let taken = rest.withUnsafeReadableBytes { segment.append($0) }
            rest.moveReaderIndex(forwardBy: taken)
            runByteCount += UInt64(taken)
            if segment.isFull { try await flush(segment) }
        }
    }

    private func close(
        endOf content: UInt64?
    ) async throws -> (sealed: StartedWork<PhotoRecord.Run>, written: StartedWork<Void>) {
        var padding =
            content.map { ObjectSize.padding(ofContent: $0, lastRunAt: runStart, runByteCount: runByteCount) } ?? 0
        while padding > 0 {
            let segment = segment()
            padding -= UInt64(segment.appendZeros(padding))
            if segment.isFull { try await flush(segment) }
        }
        let last = segment()
        filling = nil
        try await waitForPlace()
        return await steps.add { [lane, threads] in
            let (run, write) = try lane.closeRun(last, isEnd: content != nil)
            return (
                run,
                {
                    try write()
                    threads.buffers.giveBack(last)
                }
            )
        }
    }

    /// Drops what is not listed.
    package func discard() async {
        await stop()
        await threads.finish { [lane] in lane.staged.discard() }
    }

    /// Writes nothing more and leaves the object as it is.
    package func release() async {
        await stop()
        await threads.finish { [lane] in lane.staged.release() }
    }

    private func stop() async {
        filling = nil
        while !sealing.isEmpty { try? await settleOldest() }
        if let closing = closing.take() { try? await steps.value(of: closing) }
    }

    private func segment() -> SegmentBuffer {
        if let filling { return filling }
        let taken = threads.buffers.take(size)
        taken.begin(at: position, prefixByteCount: isRunBegun ? 0 : lane.prefixByteCount)
        filling = taken
        fillingSince = .now
        return taken
    }

    /// Hands the full segment to the threads and goes on with another one.
    private func flush(_ full: SegmentBuffer) async throws {
        size = full.size.next(afterFillingIn: .now - fillingSince)
        position += full.storedByteCount
        isRunBegun = true
        filling = nil
        try await waitForPlace()
        let work = await steps.add { [lane, threads] in
            let write = try lane.seal(full)
            return {
                try write()
                threads.buffers.giveBack(full)
            }
        }
        sealing.append(work)
    }

    /// Waits until there is one behind the other steps.
    private func waitForPlace() async throws {
        while sealing.count >= (steps.isContended ? 1 : SealingSteps.most) { try await settleOldest() }
    }

    /// Waits for the segment that was handed over first.
    private func settleOldest() async throws { try await steps.value(of: sealing.removeFirst()) }
}

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
