import Dispatch
import Store
import Testing

@testable import Vaults

@Suite("The steps of an upload on the threads that seal")
struct SealingStepsTests {
    private enum Refusal: Error { case refused }

    private let gate = FairGate(places: 1)
    private let pool = BlockingPool(name: "test", threads: 2)
    private let log = Order()

    private func steps() -> SealingSteps { SealingSteps(gate: gate, pool: pool, session: ObjectIdentifier(log)) }

    @Test("run one after the other, and the second without being asked for")
    func order() async throws {
        let steps = steps()
        let (mayEnd, isOver) = (DispatchSemaphore(value: 0), OneTimeEvent())
        let first = await steps.add { [log] in
            mayEnd.wait()
            log.add("first")
            return 1
        }
        let second = await steps.add { [log] in
            log.add("second")
            isOver.happen()
            return 2
        }
        #expect(log.names.isEmpty)
        mayEnd.signal()
        await isOver.wait()
        #expect(log.names == ["first", "second"])
        #expect(try await first.value() == 1)
        #expect(try await second.value() == 2)
        await gate.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("fail all with the first that failed")
    func failure() async throws {
        let steps = steps()
        let mayEnd = DispatchSemaphore(value: 0)
        let failing = await steps.add {
            mayEnd.wait()
            throw Refusal.refused
        }
        let second = await steps.add { [log] in log.add("second") }
        mayEnd.signal()
        await #expect(throws: Refusal.refused) { try await failing.value() }
        await #expect(throws: Refusal.refused) { try await second.value() }
        let third = await steps.add { [log] in log.add("third") }
        await #expect(throws: Refusal.refused) { try await third.value() }
        #expect(log.names.isEmpty)
        await gate.waitUntilIdle()
        await pool.shutdown()
    }

    @Test("leave the place to another upload that waits for it, and go on afterwards")
    func contended() async throws {
        let other = steps()
        try await giveWay(steps()) { steps in
            let others = Task { [log] in try await other.add { log.add("other") }.value() }
            while !steps.isContended { await Task.yield() }
            return others
        }
        await pool.shutdown()
    }

    @Test("leave the thread to other work that waits for one, and go on afterwards")
    func overfull() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        try await giveWay(SealingSteps(gate: gate, pool: pool, session: ObjectIdentifier(log))) { steps in
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
            mayEnd.wait()
            log.add("first")
        }
        await hasBegun.wait()
        let second = await steps.add { [log] in log.add("second") }
        #expect(!steps.isContended)
        let other = await begin(steps)
        mayEnd.signal()
        try await first.value()
        try await other.value
        await gate.waitUntilIdle()
        #expect(log.names == ["first", "other"])
        await steps.goOn()
        try await second.value()
        #expect(log.names == ["first", "other", "second"])
    }

    @Test("are told that they never run when the threads have ended, and give the place back")
    func closed() async throws {
        let steps = steps()
        let mayEnd = DispatchSemaphore(value: 0)
        let first = await steps.add { mayEnd.wait() }
        let second = await steps.add { [log] in log.add("second") }
        mayEnd.signal()
        try await first.value()
        try await second.value()
        await pool.shutdown()
        let third = await steps.add { [log] in log.add("third") }
        await #expect(throws: CancellationError.self) { try await third.value() }
        let fourth = await steps.add { [log] in log.add("fourth") }
        await #expect(throws: CancellationError.self) { try await fourth.value() }
        #expect(log.names == ["second"])
        await gate.waitUntilIdle()
    }
}
