import Store
import Testing

@Suite("A blocking pool")
struct BlockingPoolTests {
    @Test("runs work, passes errors on, and refuses work after its end")
    func run() async throws {
        let pool = BlockingPool(name: "test", threads: 2)
        #expect(try await pool.run { 6 * 7 } == 42)
        await #expect(throws: SampleError.refused) { try await pool.run { throw SampleError.refused } }
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
        #expect(throws: SampleError.refused) {
            try pool.split(3, into: 3) { part in
                ended[part.lowerBound].value = true
                if part.contains(1) { throw SampleError.refused }
            }
        }
        #expect(ended.filter(\.value).count == 3)
        await pool.shutdown()
    }

    @Test("begins work before anybody waits for it, and gives its result whenever that is asked for")
    func start() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let works = (0..<4).map { number in pool.start { number * 2 } }
        let failing = pool.start { throw SampleError.refused }
        await #expect(throws: SampleError.refused) { try await failing.value() }
        // The one thread has come to the last, so the first are over.
        for (number, work) in works.enumerated() { #expect(try await work.value() == number * 2) }
        await pool.shutdown()
    }

    @Test("does what is to be done afterwards also when the work never runs")
    func afterwards() async throws {
        let pool = BlockingPool(name: "test", threads: 1)
        let ended = (0..<3).map { _ in Box(false) }
        try await pool.start(afterwards: { ended[0].value = true }) {}.value()
        await #expect(throws: SampleError.refused) {
            try await pool.start(afterwards: { ended[1].value = true }) { throw SampleError.refused }.value()
        }
        await pool.shutdown()
        await #expect(throws: CancellationError.self) {
            try await pool.start(afterwards: { ended[2].value = true }) {}.value()
        }
        #expect(ended.filter(\.value).count == 3)
    }
}
