import Dispatch
import Glibc
import TestSupport
import Testing
import Threads

@Suite("A blocking pool")
struct BlockingPoolTests {
    private enum Refusal: Error { case refused }

    @Test("runs work, passes errors on, and refuses work after its end")
    func run() async throws {
        let pool = BlockingPool(name: "test", threads: 2)
        #expect(try await pool.run { 6 * 7 } == 42)
        await #expect(throws: Refusal.refused) { try await pool.run { throw Refusal.refused } }
        await pool.shutdown()
        await #expect(throws: (any Error).self) { try await pool.run { 1 } }
    }

    @Test("splits work into parts that cover it once, and gives their results in order")
    func split() async throws {
        let pool = BlockingPool(name: "test", threads: 3)
        for (count, parts) in [(0, 2), (1, 4), (7, 3), (1000, 4)] {
            let ranges = try pool.split(count, into: parts) { $0 }
            #expect(ranges.flatMap { Array($0) } == Array(0..<count))
            #expect(ranges.count == max(1, min(parts, count)))
        }
        await pool.shutdown()
    }

    @Test("ends all parts before it passes the error of one on")
    func failingPart() async throws {
        let pool = BlockingPool(name: "test", threads: 3)
        let ended = (0..<3).map { _ in Box(false) }
        #expect(throws: Refusal.refused) {
            try pool.split(3, into: 3) { part in
                ended[part.lowerBound].value = true
                if part.contains(1) { throw Refusal.refused }
            }
        }
        #expect(ended.filter(\.value).count == 3)
        await pool.shutdown()
    }

    @Test("begins work before anybody waits for it, and gives its result whenever that is asked for")
    func start() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let works = (0..<4).map { number in pool.start { number * 2 } }
        let failing = pool.start { throw Refusal.refused }
        await #expect(throws: Refusal.refused) { try await failing.value() }
        // The one thread has come to the last, so the first are over.
        for (number, work) in works.enumerated() { #expect(try await work.value() == number * 2) }
        await pool.shutdown()
    }

    @Test("calls what it was handed in any case, and says whether it may run")
    func submit() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let answers = Box<[Bool]>([])
        pool.submit { mayRun in answers.change { $0.append(mayRun) } }
        // Behind it on the one thread.
        try await pool.run {}
        await pool.shutdown()
        pool.submit { mayRun in answers.change { $0.append(mayRun) } }
        #expect(answers.value == [true, false])
    }

    @Test("never runs work whose task was cancelled while it queued, and does not keep that task waiting")
    func cancelled() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let busy = await BusyThread(of: pool)
        let hasRun = Box(false)
        let queued = Task { try await pool.run { hasRun.value = true } }
        queued.cancel()
        // The one thread is still busy.
        await #expect(throws: CancellationError.self) { try await queued.value }
        busy.letGo()
        #expect(try await pool.run { 2 } == 2)
        #expect(!hasRun.value)
        await pool.shutdown()
    }

    @Test("lets running work end when it is shut down, and fails what queues")
    func shutdown() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let busy = await BusyThread(of: pool)
        let queued = pool.start {}
        async let isOver: Void = pool.shutdown()
        await #expect(throws: CancellationError.self) { try await queued.value() }
        #expect(!busy.hasEnded.value)
        busy.letGo()
        await isOver
        #expect(busy.hasEnded.value)
        await pool.shutdown()
    }

    @Test("fails what queues when nobody has it any more")
    func dropped() async throws {
        var pool: BlockingPool? = BlockingPool(name: "test", threads: 1)
        let busy = await BusyThread(of: try #require(pool))
        let queued = pool?.start {}
        pool = nil
        await #expect(throws: CancellationError.self) { try await queued?.value() }
        busy.letGo()
        try await busy.work.value()
    }

    @Test("runs its work at the priority it was made for", arguments: [ThreadPriority.usual, .patient, .last])
    func priority(_ priority: ThreadPriority) async throws {
        let pool = BlockingPool(name: "test", threads: 1, priority: priority)
        let (policy, nice) = try await pool.run {
            (sched_getscheduler(0), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
        }
        let usualNice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        // SCHED_BATCH is 3 and SCHED_OTHER 0.
        #expect(policy == (priority == .patient ? 3 : 0))
        #expect(nice == (priority == .last ? 10 : usualNice))
        await pool.shutdown()
    }
}

/// Keeps the only thread of a pool at work until it is let go.
private struct BusyThread {
    let work: StartedWork<Void>
    let hasEnded = Box(false)
    private let mayEnd = DispatchSemaphore(value: 0)

    init(of pool: BlockingPool) async {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        work = pool.start { [hasEnded, mayEnd] in
            beginning.finish()
            mayEnd.wait()
            hasEnded.value = true
        }
        for await _ in begun {}
    }

    func letGo() { mayEnd.signal() }
}
