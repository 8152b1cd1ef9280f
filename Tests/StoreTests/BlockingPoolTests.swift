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
}
