import HostSupport
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Unlocking
@testable import Vaults

@Suite("Guesses at a host")
struct GuessingTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test("wrong guesses are counted over restarts, and each vault is told of those since it was opened last")
    func wrongGuesses() async throws {
        var service = try await host.start()
        try await service.lock(try await service.make("violet tram seven"))
        for guess in 0..<4 {
            _ = try? await service.open(
                "violet tram \(guess)", from: Client(address: .ip(.ipv4(192, 168, 1, UInt8(guess)))))
        }
        service = try await host.restart()
        for _ in 0..<3 { _ = try? await service.open("violet tram ten", from: .stranger) }
        let first = try await service.open("violet tram seven")
        #expect(first.wrongGuesses == 7)
        #expect(try await service.open("violet tram seven").wrongGuesses == 0)
        // Who begins now is told of none that were before.
        #expect(try await service.make("seven violet trams").wrongGuesses == 0)
        try await service.lock(first)
        _ = try? await service.open("violet tram ten", from: .stranger)
        service = try await host.restart()
        #expect(try await service.open("violet tram seven").wrongGuesses == 1)
        #expect(try await service.open("seven violet trams").wrongGuesses == 1)
        try await host.stop()
    }

    @Test("wrong passwords count, right ones and a busy queue do not")
    func service() async throws {
        let service = try await host.start()
        try await service.make("violet tram seven")
        for _ in 0..<20 { try await service.lock(try await service.open("violet tram seven")) }
        for _ in 0..<5 {
            await #expect(throws: VaultError.noSuchVault) { _ = try await service.open("violet tram eight") }
        }
        // The sixth attempt is admitted and right, so it leaves nothing behind.
        try await service.lock(try await service.open("violet tram seven"))
        await #expect(throws: VaultError.noSuchVault) { _ = try await service.open("violet tram eight") }
        let refused = await #expect(throws: VaultError.self) { _ = try await service.open("violet tram seven") }
        #expect(refused?.code == "too-many-attempts")
        try await host.stop()
    }

    @Test("setup codes are guessed no faster than passwords")
    func setupCodes() async throws {
        let service = try await host.start()
        let typed = try password("violet tram seven")
        func create(_ code: String) async throws {
            _ = try await service.create(password: typed, confirmation: typed, code: code, client: .stranger)
        }
        for _ in 0..<6 { await #expect(throws: VaultError.setupCodeWrong) { try await create("AAAA-AAAA") } }
        let refused = await #expect(throws: VaultError.self) { try await create(service.setupCode.text) }
        #expect(refused?.code == "too-many-attempts")
        try await host.stop()
    }

    @Test("more derivations than may wait are told to come again, and it is no failure of theirs")
    func busy() async throws {
        host.configuration.limits.waitingDerivations = 0
        host.configuration.unsafeKDF = UnsafeKDF(iterations: 2, memoryKiB: 32 << 10)
        let service = try await host.start()
        try await service.make("violet tram seven")
        let outcomes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        _ = try await service.open("violet tram seven")
                        return "open"
                    } catch {
                        return VaultError(error).code
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(outcomes == ["open", "busy"])
        for _ in 0..<6 { _ = try await service.open("violet tram seven") }
        try await host.stop()
    }

    @Test("is how they ended: right, wrong, or refused unseen")
    func totals() async throws {
        let service = try await host.start()
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
        try await host.stop()
    }
}
