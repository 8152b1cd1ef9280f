import Dispatch
import Store
import TestSupport
import Testing
import Threads

@testable import Content

@Suite("The steps of an upload on the threads that seal")
struct SealingStepsTests {
    private enum Refusal: Error { case refused }

    private let semaphore = FairSemaphore(places: 1)
    private let pool = BlockingPool(name: "test", threads: 2)
    private let log = Recorder()

    /// - Parameters: those of the suite, unless others are given.
    private func steps(
        _ semaphore: FairSemaphore? = nil, _ pool: BlockingPool? = nil, processors: Int = 2
    ) -> SealingSteps {
        SealingSteps(
            semaphore: semaphore ?? self.semaphore, pool: pool ?? self.pool,
            session: FairSemaphore.Visitor(ObjectIdentifier(log)),
            processors: processors)
    }

    @Test("run one after the other, and the second without being asked for")
    func order() async throws {
        let steps = steps()
        let (mayEnd, isOver) = (DispatchSemaphore(value: 0), OneTimeEvent())
        let first = await steps.add { [log] in
            mayEnd.wait()
            log.add("first")
            return { 1 }
        }
        let second = await steps.add { [log] in
            log.add("second")
            return {
                isOver.happen()
                return 2
            }
        }
        #expect(log.all.isEmpty)
        mayEnd.signal()
        await isOver.wait()
        #expect(log.all == ["first", "second"])
        #expect(try await first.value() == 1)
        #expect(try await second.value() == 2)
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("fail all with the first that failed")
    func failure() async throws {
        let steps = steps()
        let mayEnd = DispatchSemaphore(value: 0)
        let failing = await steps.add {
            {
                mayEnd.wait()
                throw Refusal.refused
            }
        }
        let second = await steps.add { [log] in { log.add("second") } }
        mayEnd.signal()
        await #expect(throws: Refusal.refused) { try await failing.value() }
        await #expect(throws: Refusal.refused) { try await second.value() }
        let third = await steps.add { [log] in { log.add("third") } }
        await #expect(throws: Refusal.refused) { try await third.value() }
        #expect(log.all.isEmpty)
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("are sealed while the one before is written, where a processor is free, and written in order")
    func overlap() async throws {
        let semaphore = FairSemaphore(places: 8)
        let steps = steps(semaphore)
        let isSealed = DispatchSemaphore(value: 0)
        let first = await steps.add { [log] in
            log.add("seal first")
            return {
                #expect(isSealed.wait(timeout: .now() + 600) == .success)
                log.add("write first")
            }
        }
        let second = await steps.add { [log] in
            log.add("seal second")
            isSealed.signal()
            return { log.add("write second") }
        }
        try await steps.value(of: first)
        try await steps.value(of: second)
        #expect(log.all == ["seal first", "seal second", "write first", "write second"])
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("tell what they sealed before it is written, and that an earlier one failed")
    func sealed() async throws {
        let steps = steps()
        let mayEnd = DispatchSemaphore(value: 0)
        let first = await steps.add { [log] in
            (
                "run",
                {
                    mayEnd.wait()
                    log.add("first")
                    throw Refusal.refused
                }
            )
        }
        #expect(try await steps.value(of: first.sealed) == "run")
        #expect(log.all.isEmpty)
        mayEnd.signal()
        await #expect(throws: Refusal.refused) { try await first.written.value() }
        let second = await steps.add { [log] in ("run", { log.add("second") }) }
        await #expect(throws: Refusal.refused) { try await second.sealed.value() }
        await #expect(throws: Refusal.refused) { try await second.written.value() }
        #expect(log.all == ["first"])
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("have no second thread where no processor is free for it")
    func oneProcessor() async throws {
        let semaphore = FairSemaphore(places: 8)
        let steps = steps(semaphore, processors: 1)
        let (isWritten, mayEnd) = (OneTimeEvent(), DispatchSemaphore(value: 0))
        let first = await steps.add { [log] in
            log.add("seal first")
            return {
                isWritten.happen()
                mayEnd.wait()
                log.add("write first")
            }
        }
        await isWritten.wait()
        let second = await steps.add { [log] in
            log.add("seal second")
            return { log.add("write second") }
        }
        // One place is taken, not two.
        let isFree = semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 2)
        #expect(isFree)
        if isFree { semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(semaphore))) }
        mayEnd.signal()
        try await steps.value(of: first)
        try await steps.value(of: second)
        #expect(log.all == ["seal first", "write first", "seal second", "write second"])
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("are not written behind one that failed to be sealed, and leave those before it alone")
    func failedSealing() async throws {
        let semaphore = FairSemaphore(places: 8)
        let steps = steps(semaphore)
        let first = await steps.add { [log] in { log.add("first") } }
        let failing = await steps.add { () throws -> @Sendable () -> Void in throw Refusal.refused }
        let third = await steps.add { [log] in { log.add("third") } }
        try await steps.value(of: first)
        await #expect(throws: Refusal.refused) { try await failing.value() }
        await #expect(throws: Refusal.refused) { try await third.value() }
        #expect(log.all == ["first"])
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("are not written behind one that failed to be written, though they were sealed before it failed")
    func failedWriting() async throws {
        let semaphore = FairSemaphore(places: 8)
        let steps = steps(semaphore)
        let isSealed = DispatchSemaphore(value: 0)
        let first = await steps.add { [log] in { log.add("first") } }
        let failing = await steps.add {
            {
                #expect(isSealed.wait(timeout: .now() + 600) == .success)
                throw Refusal.refused
            }
        }
        let third = await steps.add { [log] in
            log.add("seal third")
            isSealed.signal()
            return { log.add("write third") }
        }
        try await steps.value(of: first)
        await #expect(throws: Refusal.refused) { try await failing.value() }
        await #expect(throws: Refusal.refused) { try await third.value() }
        #expect(log.all == ["first", "seal third"])
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("keep their order and end, whatever many uploads and other work do to each other", .timeLimit(.minutes(10)))
    func crowd() async throws {
        let semaphore = FairSemaphore(places: 3)
        let pool = BlockingPool(name: "test", threads: 3)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let (sealed, written) = (Recorder(), Recorder())
                    let steps = SealingSteps(
                        semaphore: semaphore, pool: pool, session: FairSemaphore.Visitor(ObjectIdentifier(sealed)),
                        processors: 2)
                    var works: [StartedWork<Void>] = []
                    for number in 0..<2000 {
                        while works.count >= (steps.isContended ? 1 : SealingSteps.most) {
                            try? await steps.value(of: works.removeFirst())
                        }
                        works.append(
                            await steps.add {
                                sealed.add("\(number)")
                                return { written.add("\(number)") }
                            })
                    }
                    for work in works { try? await steps.value(of: work) }
                    #expect(sealed.all == (0..<2000).map(String.init))
                    #expect(written.all == sealed.all)
                }
            }
            group.addTask { for _ in 0..<2000 { try? await pool.run {} } }
        }
        await semaphore.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("leave the place to another upload that waits for it, and go on afterwards")
    func contended() async throws {
        let other = steps()
        try await giveWay(steps()) { steps in
            let others = Task { [log] in try await other.add { { log.add("other") } }.value() }
            while !steps.isContended { await Task.yield() }
            return others
        }
        await pool.shutdown()
    }

    @Test("leave the thread to other work that waits for one, and go on afterwards")
    func overfull() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        try await giveWay(steps(semaphore, pool)) { steps in
            let other = pool.start { [log] in log.add("other") }
            #expect(steps.isContended)
            return Task { try await other.value() }
        }
        await pool.shutdown()
    }

    /// - Parameter begin: begins what adds "other", which comes between the step that runs and the one behind it.
    private func giveWay(
        _ steps: SealingSteps, to begin: (SealingSteps) async -> Task<Void, any Error>
    ) async throws {
        let (hasBegun, mayEnd) = (OneTimeEvent(), DispatchSemaphore(value: 0))
        let first = await steps.add { [log] in
            hasBegun.happen()
            return {
                mayEnd.wait()
                log.add("first")
            }
        }
        await hasBegun.wait()
        let second = await steps.add { [log] in { log.add("second") } }
        #expect(!steps.isContended)
        let other = await begin(steps)
        mayEnd.signal()
        try await first.value()
        try await other.value
        await semaphore.waitUntilIdle()
        #expect(log.all == ["first", "other"])
        await steps.goOn()
        try await second.value()
        #expect(log.all == ["first", "other", "second"])
    }

    @Test("are brought to their end by a thread that runs, when the threads end before a second one has come")
    func helpRefused() async throws {
        let (semaphore, pool) = (FairSemaphore(places: 8), BlockingPool(name: "test", threads: 1))
        let steps = steps(semaphore, pool)
        let (isWritten, mayEnd) = (OneTimeEvent(), DispatchSemaphore(value: 0))
        let first = await steps.add { [log] in
            {
                isWritten.happen()
                mayEnd.wait()
                log.add("first")
            }
        }
        await isWritten.wait()
        let second = await steps.add { [log] in { log.add("second") } }
        #expect(pool.isOverfull)
        async let shutdown: Void = pool.shutdown()
        while pool.isOverfull { await Task.yield() }
        mayEnd.signal()
        try await steps.value(of: first)
        try await steps.value(of: second)
        #expect(log.all == ["first", "second"])
        await semaphore.waitUntilIdle()
        await shutdown
    }

    @Test("are told that they never run when the threads have ended, and give the place back")
    func closed() async throws {
        let steps = steps()
        let mayEnd = DispatchSemaphore(value: 0)
        let first = await steps.add { { mayEnd.wait() } }
        let second = await steps.add { [log] in { log.add("second") } }
        mayEnd.signal()
        try await first.value()
        try await second.value()
        await pool.shutdown()
        let third = await steps.add { [log] in { log.add("third") } }
        await #expect(throws: CancellationError.self) { try await third.value() }
        let fourth = await steps.add { [log] in { log.add("fourth") } }
        await #expect(throws: CancellationError.self) { try await fourth.value() }
        #expect(log.all == ["second"])
        await semaphore.waitUntilIdle()
    }
}
