import Testing

@testable import Records
@testable import Unlocking

@Suite("What is counted of attempts")
struct AttemptTallyTests {
    let sample: SampleService

    init() throws { sample = try SampleService() }

    @Test("is how they ended: right, wrong, or refused unseen")
    func totals() async throws {
        let service = try await sample.start()
        try await service.lock(try await service.make("violet tram seven"))
        try await service.lock(try await service.open("violet tram seven", from: .stranger))
        var expected = AttemptTotals()
        expected.right = 2
        #expect(await service.figures().attempts == expected)
        while expected.refused == 0 {
            do {
                _ = try await service.open("violet tram eight", from: .stranger)
            } catch VaultError.noSuchVault {
                expected.wrong += 1
            } catch VaultError.tooManyAttempts {
                expected.refused += 1
            }
        }
        #expect(expected.wrong > 0)
        #expect(await service.figures().attempts == expected)
        try await sample.stop()
    }

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
