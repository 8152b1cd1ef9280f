import Store
import Testing

@testable import Vaults

@Suite("The throttle of password attempts")
struct ThrottleTests {
    let sample: SampleService
    let clock = SampleClock()

    init() throws { sample = try SampleService { [clock] in $0.attemptClock = { clock.now } } }

    private func throttle() throws -> AttemptThrottle {
        let service = try sample.service()
        return try AttemptThrottle(
            ledger: service.store.ledger, devices: service.devices, now: { [clock] in clock.now })
    }

    private func client(_ last: UInt8, device: String? = nil) -> Client {
        Client(address: .ipv4([192, 168, 1, last]), deviceCookie: device)
    }

    /// Seconds until the next attempt, nil when one was admitted.
    private func wait(_ throttle: AttemptThrottle, _ client: Client) async throws -> Duration? {
        do {
            _ = try await throttle.begin(client)
            return nil
        } catch VaultError.tooManyAttempts(let wait) {
            return wait
        }
    }

    @Test("failures of one address slow down that address and no other")
    func addresses() async throws {
        try await sample.start()
        let throttle = try throttle()
        for _ in 0..<6 { #expect(try await wait(throttle, client(1)) == nil) }
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        #expect(try await wait(throttle, client(2)) == nil)
        clock.advance(.seconds(1))
        #expect(try await wait(throttle, client(1)) == nil)
        #expect(try await wait(throttle, client(1)) == .seconds(2))
        try await sample.stop()
    }

    @Test("a refused attempt does not prolong the wait")
    func refusals() async throws {
        try await sample.start()
        let throttle = try throttle()
        for _ in 0..<6 { _ = try await throttle.begin(client(1)) }
        for _ in 0..<10 { #expect(try await wait(throttle, client(1)) == .seconds(1)) }
        try await sample.stop()
    }

    @Test("a success takes back its own entry and no other")
    func success() async throws {
        try await sample.start()
        let throttle = try throttle()
        for _ in 0..<5 { _ = try await throttle.begin(client(1)) }
        let good = try await throttle.begin(client(1))
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        try await throttle.takeBack(good)
        #expect(try await wait(throttle, client(1)) == nil)
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        try await sample.stop()
    }

    @Test("what was recorded stands over a restart, and time without the daemon does not count")
    func restart() async throws {
        try await sample.start()
        let before = try throttle()
        for _ in 0..<8 {
            _ = try? await before.begin(client(1))
            clock.advance(.seconds(10))
        }
        try await sample.stop()
        try await sample.start()
        #expect(try await wait(try throttle(), client(1)) == .seconds(4))
        try await sample.stop()
    }

    @Test("an attempt that could not be noted is none")
    func unnoted() async throws {
        try await sample.start()
        let throttle = try throttle()
        // The ledger takes nothing any more.
        try await sample.stop()
        for _ in 0..<20 {
            await #expect(throws: StoreError.self) { _ = try await throttle.begin(client(1)) }
        }
    }

    @Test("strangers share a budget; a device that opened a vault before has a lane of its own")
    func deviceLane() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        let device = try service.devices.issue()
        for last in 0..<100 { #expect(try await wait(throttle, client(UInt8(last))) == nil) }
        #expect(try await wait(throttle, client(200)) != nil)
        #expect(try await wait(throttle, client(200, device: "forged")) != nil)
        #expect(try await wait(throttle, client(200, device: device)) == nil)
        #expect(try await wait(throttle, client(201, device: device)) == nil)
        for _ in 0..<4 { #expect(try await wait(throttle, client(202, device: device)) == nil) }
        #expect(try await wait(throttle, client(203, device: device)) == .seconds(1))
        try await sample.stop()
    }

    @Test("cookies of devices cannot multiply guesses: together they have a budget too")
    func manyDevices() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        for _ in 0..<100 {
            #expect(try await wait(throttle, client(1, device: try service.devices.issue())) == nil)
        }
        #expect(try await wait(throttle, client(1, device: try service.devices.issue())) != nil)
        // The strangers' budget is another one.
        #expect(try await wait(throttle, client(1)) == nil)
        try await sample.stop()
    }

    @Test("what is forgotten leaves the ledger too")
    func forgotten() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        for last in 0..<20 { _ = try await throttle.begin(client(UInt8(last))) }
        let before = try await service.store.ledger.read { try $0.throttleEntries().count }
        clock.advance(.seconds(3601))
        _ = try await throttle.begin(client(200))
        let after = try await service.store.ledger.read { try $0.throttleEntries().count }
        #expect(before - after == 19)
        try await sample.stop()
    }

    @Test("the ledger names no address")
    func hashed() async throws {
        let service = try await sample.start()
        _ = try await throttle().begin(client(77))
        let keys = try await service.store.ledger.read { try $0.throttleEntries().map(\.key) }
        #expect(!keys.isEmpty)
        for key in keys { #expect(!key.contains([192, 168, 1, 77])) }
        try await sample.stop()
    }

    @Test("wrong passwords count, right ones and a busy queue do not")
    func service() async throws {
        let service = try await sample.start()
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
        try await sample.stop()
    }

    @Test("setup codes are guessed no faster than passwords")
    func setupCodes() async throws {
        let service = try await sample.start()
        let typed = try password("violet tram seven")
        func create(_ code: String) async throws {
            _ = try await service.create(password: typed, confirmation: typed, code: code, client: .stranger)
        }
        for _ in 0..<6 { await #expect(throws: VaultError.setupCodeWrong) { try await create("AAAA-AAAA") } }
        let refused = await #expect(throws: VaultError.self) { try await create(service.setupCode) }
        #expect(refused?.code == "too-many-attempts")
        try await sample.stop()
    }

    @Test("more derivations than may wait are told to come again, and it is no failure of theirs")
    func busy() async throws {
        sample.configuration.limits.waitingDerivations = 0
        sample.configuration.unsafeKDF = UnsafeKDF(iterations: 2, memoryKiB: 32 << 10)
        let service = try await sample.start()
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
        try await sample.stop()
    }
}
