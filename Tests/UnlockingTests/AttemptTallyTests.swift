import Testing

@testable import Records
@testable import Unlocking

@Suite("What is counted of attempts")
struct AttemptTallyTests {
    @Test("is nothing of one that the host could not look at")
    func noGuess() async throws {
        let tally = AttemptTally()
        await #expect(throws: VaultError.diskFull) { try await tally.counting { throw VaultError.diskFull } }
        #expect(tally.totals == AttemptTotals())
        await #expect(throws: VaultError.setupCodeWrong) {
            try await tally.counting { throw VaultError.setupCodeWrong }
        }
        #expect(tally.totals.wrong == 1)
    }
}
