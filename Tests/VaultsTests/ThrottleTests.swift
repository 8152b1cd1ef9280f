import Bytes
import Store
import Testing
import Threads

@testable import Content
@testable import Records
@testable import Unlocking
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
        Client(address: .ip(.ipv4(192, 168, 1, last)), deviceCookie: device)
    }

    /// Of a device that was not here before.
    private func cookie(_ service: VaultService) throws -> String { DeviceCookies.text(try service.devices.draw()) }

    /// Seconds until the next attempt, nil when one was admitted, and was wrong.
    private func wait(_ throttle: AttemptThrottle, _ client: Client) async throws -> Duration? {
        do {
            try await throttle.guessing(client) { _ in throw VaultError.noSuchVault }
            return nil
        } catch VaultError.noSuchVault {
            return nil
        } catch VaultError.tooManyAttempts(let wait) {
            return wait
        }
    }

    private func fail(_ throttle: AttemptThrottle, _ client: Client) async throws {
        #expect(try await wait(throttle, client) == nil)
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
        for _ in 0..<6 { try await fail(throttle, client(1)) }
        for _ in 0..<10 { #expect(try await wait(throttle, client(1)) == .seconds(1)) }
        try await sample.stop()
    }

    @Test("a success takes back its own entry and no other")
    func success() async throws {
        try await sample.start()
        let throttle = try throttle()
        for _ in 0..<5 { try await fail(throttle, client(1)) }
        for _ in 0..<10 { try await throttle.guessing(client(1)) { _ in } }
        #expect(try await wait(throttle, client(1)) == nil)
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        try await sample.stop()
    }

    @Test("what was recorded stands over a restart, and time without the daemon does not count")
    func restart() async throws {
        try await sample.start()
        let before = try throttle()
        for _ in 0..<8 {
            _ = try await wait(before, client(1))
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
            await #expect(throws: StoreError.self) { try await throttle.guessing(client(1)) { _ in } }
        }
    }

    @Test("one neighbour with many addresses has one budget, and leaves that of another")
    func neighbours() async throws {
        try await sample.start()
        let throttle = try throttle()
        func guesser(_ last: UInt8, on neighbour: UInt8) -> Client {
            Client(address: .ip(.ipv4(192, 168, 1, last)), neighbour: [2, 0, 0, 0, 0, neighbour])
        }
        for last in 0..<19 {
            for _ in 0..<5 { try await fail(throttle, guesser(UInt8(last), on: 1)) }
        }
        // Its budget is used up, whatever address it takes; only one that has not failed gets a few more.
        for last in 0..<19 { #expect(try await wait(throttle, guesser(UInt8(last), on: 1)) != nil) }
        for last in 20..<25 { try await fail(throttle, guesser(UInt8(last), on: 1)) }
        for last in 25..<45 { #expect(try await wait(throttle, guesser(UInt8(last), on: 1)) != nil) }
        for _ in 0..<5 { try await fail(throttle, guesser(45, on: 2)) }
        try await sample.stop()
    }

    @Test("no neighbour has more than a hundred an hour, nor takes what newcomers share, over a restart neither")
    func newcomersOfOneNeighbour() async throws {
        try await sample.start()
        func guesser(_ number: Int, on neighbour: Int) -> Client {
            let address = ClientAddress.ip(.ipv4(10, 77, UInt8(number / 250), UInt8(number % 250)))
            return Client(address: address, neighbour: [2, 0, 0, 0, 0, UInt8(neighbour)])
        }
        var admitted: [Int: Int] = [:]
        for round in 0..<2 {
            let throttle = try throttle()
            for neighbour in 1...7 {
                for number in 0..<130 {
                    let guesser = guesser((neighbour * 2 + round) * 130 + number, on: neighbour)
                    if try await wait(throttle, guesser) == nil { admitted[neighbour, default: 0] += 1 }
                }
            }
        }
        #expect(admitted.values.allSatisfy { $0 <= 100 })
        // The fourth came when strangers had used up what they share, and had of the newcomers' no more than its part.
        #expect((1...7).map { admitted[$0] ?? 0 } == [100, 100, 100, 5, 5, 5, 5])
        #expect(try await wait(try throttle(), guesser(2400, on: 8)) != nil)
        try await sample.stop()
    }

    @Test("when strangers have used up their budget, whoever has not failed lately is let in")
    func newcomers() async throws {
        try await sample.start()
        let throttle = try throttle()
        for guess in 0..<300 { try await fail(throttle, client(UInt8(guess / 5))) }
        #expect(try await wait(throttle, client(0)) != nil)
        try await throttle.guessing(client(200)) { _ in }
        try await fail(throttle, client(200))
        #expect(try await wait(throttle, client(200)) != nil)
        try await sample.stop()
    }

    @Test("a device that opened a vault before has a lane of its own")
    func deviceLane() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        let device = try cookie(service)
        for guess in 0..<410 { _ = try await wait(throttle, client(UInt8(guess / 5))) }
        #expect(try await wait(throttle, client(200)) != nil)
        #expect(try await wait(throttle, client(200, device: "forged")) != nil)
        for last in 200..<206 { #expect(try await wait(throttle, client(UInt8(last), device: device)) == nil) }
        #expect(try await wait(throttle, client(207, device: device)) == .seconds(1))
        try await sample.stop()
    }

    @Test("whoever may open one vault cannot use up the lane of those that open another")
    func households() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        var visitors: [String] = []
        for _ in 0..<20 {
            visitors.append(try cookie(service))
            throttle.note(visitors[visitors.count - 1], of: client(1), opened: [1])
        }
        let family = try cookie(service)
        throttle.note(family, of: client(2), opened: [2])
        // Of two neighbours, neither of whom has used up its own.
        for (number, visitor) in visitors.enumerated() {
            for _ in 0..<5 { try await fail(throttle, client(number.isMultiple(of: 2) ? 1 : 3, device: visitor)) }
        }
        for visitor in visitors { #expect(try await wait(throttle, client(1, device: visitor)) != nil) }
        for _ in 0..<5 { try await fail(throttle, client(2, device: family)) }
        // The strangers' budget is another one.
        #expect(try await wait(throttle, client(1)) == nil)
        try await sample.stop()
    }

    @Test("whoever opens a vault again and again without a cookie makes the host forget no device but its own")
    func forgettingDevices() {
        var households = KnownHouseholds()
        let bytes = { (number: Int) in withUnsafeBytes(of: number) { Array($0) } }
        households.note(bytes(-1), opened: [7], at: [1])
        households.note(bytes(-2), opened: [7], at: [2])
        for number in 0..<KnownHouseholds.most + 20 { households.note(bytes(number), opened: [8], at: [2]) }
        #expect(households.household(of: bytes(-1)) == [7])
        // At the same neighbour the one that was seen last longest ago goes.
        #expect(households.household(of: bytes(-2)) == nil)
        #expect(households.household(of: bytes(20)) == nil && households.household(of: bytes(21)) == [8])
        households.note(bytes(21), opened: [9], at: [2])
        households.note(bytes(-3), opened: [8], at: [2])
        #expect(households.household(of: bytes(21)) == [9] && households.household(of: bytes(22)) == nil)
    }

    @Test("cookies of devices cannot multiply guesses: together they have a budget too, over a restart")
    func manyDevices() async throws {
        let service = try await sample.start()
        let before = try throttle()
        for _ in 0..<100 { try await fail(before, client(1, device: try cookie(service))) }
        #expect(try await wait(before, client(1, device: try cookie(service))) != nil)
        let next = try await sample.restart()
        let after = try AttemptThrottle(
            ledger: next.store.ledger, devices: next.devices, now: { [clock] in clock.now })
        #expect(try await wait(after, client(1, device: try cookie(next))) != nil)
        try await sample.stop()
    }

    @Test("after a restart one neighbour cannot use up what all devices share until it is known what they open")
    func devicesAfterRestart() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        for _ in 0..<150 {
            _ = try await wait(throttle, client(1, device: try cookie(service)))
        }
        let family = try cookie(service)
        for _ in 0..<5 { try await fail(throttle, client(2, device: family)) }
        try await sample.stop()
    }

    @Test("vaults of one's own cannot multiply guesses: a neighbour has one budget for all its devices")
    func manyVaults() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        var admitted = 0
        for guess in 0..<200 {
            let device = try cookie(service)
            throttle.note(device, of: client(1), opened: [UInt8(guess / 10)])
            if try await wait(throttle, client(1, device: device)) == nil { admitted += 1 }
        }
        #expect(admitted == 100)
        try await sample.stop()
    }

    @Test("right ones that come at once wait for each other and are not refused")
    func rightAtOnce() async throws {
        try await sample.start()
        let (throttle, guesser) = (try throttle(), client(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await throttle.guessing(guesser) { _ in } } }
            try await group.waitForAll()
        }
        #expect(throttle.wrongCount == 0)
        try await sample.stop()
    }

    @Test("wrong ones that come at once are no more than one after the other")
    func wrongAtOnce() async throws {
        try await sample.start()
        let (throttle, guesser) = (try throttle(), client(1))
        let compared = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try? await throttle.guessing(guesser) { _ in
                        compared.add()
                        await Task.yield()
                        throw VaultError.noSuchVault
                    }
                }
            }
        }
        #expect(compared.count == 6)
        #expect(throttle.wrongCount == 6)
        try await sample.stop()
    }

    @Test("one neighbour that has as many waiting as it may, by many addresses, leaves room for another's")
    func waitingRoom() async throws {
        try await sample.start()
        let throttle = try throttle()
        let (mayEnd, compared, refused) = (OneTimeEvent(), Counter(), Counter())
        /// More of one address than may be under way at once: the others wait, or are refused.
        func guess(_ last: UInt8, of neighbour: UInt8, waiting: Int, in group: inout ThrowingTaskGroup<Void, any Error>)
            async
        {
            let client = Client(address: .ip(.ipv4(10, 77, neighbour, last)), neighbour: [neighbour])
            let (before, were) = (compared.count, throttle.waitingCount + refused.count)
            for number in 0..<6 + waiting {
                group.addTask {
                    do {
                        try await throttle.guessing(client) { _ in
                            compared.add()
                            await mayEnd.wait()
                        }
                    } catch VaultError.busy {
                        refused.add()
                    }
                }
                // Those that are compared first, so that it is known how many wait.
                if number == 5 { while compared.count < before + 6 { await Task.yield() } }
            }
            while throttle.waitingCount + refused.count < were + waiting { await Task.yield() }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for last in 1...6 as ClosedRange<UInt8> { await guess(last, of: 1, waiting: 60, in: &group) }
            #expect(refused.count > 0)
            let before = refused.count
            await guess(1, of: 2, waiting: 60, in: &group)
            #expect(refused.count == before)
            mayEnd.happen()
            try await group.waitForAll()
        }
        #expect(throttle.waitingCount == 0)
        try await sample.stop()
    }

    /// A guess of which only the beginning comes to the disk, as when the power goes.
    private func begin(_ throttle: AttemptThrottle, _ client: Client) async -> Task<Void, any Error> {
        let (begun, comparison) = AsyncStream<Void>.makeStream()
        let task = Task {
            defer { comparison.finish() }
            try await throttle.guessing(client) { _ in
                comparison.finish()
                try await Task.sleep(for: .seconds(86_400))
            }
        }
        for await _ in begun {}
        return task
    }

    @Test("right ones that crashes cut off keep nobody waiting, however many crashes there were")
    func cutOff() async throws {
        try await sample.start()
        var lost: [Task<Void, any Error>] = []
        for _ in 0..<20 { lost.append(await begin(try throttle(), client(1))) }
        let after = try throttle()
        for _ in 0..<4 { try await fail(after, client(1)) }
        try await after.guessing(client(1)) { _ in }
        // Its success shows that the owner is there: one more failure is free.
        for _ in 0..<2 { try await fail(after, client(1)) }
        #expect(try await wait(after, client(1)) == .seconds(1))
        #expect(after.wrongCount == 6)
        for task in lost {
            task.cancel()
            _ = await task.result
        }
        try await sample.stop()
    }

    @Test("crashes give nobody a guess: whatever was answered counts, and what was cut off counts as one")
    func cutOffGuesses() async throws {
        try await sample.start()
        var lost: [Task<Void, any Error>] = []
        for _ in 0..<5 { try await fail(try throttle(), client(1)) }
        var next = try throttle()
        for _ in 0..<3 {
            lost.append(await begin(next, client(1)))
            next = try throttle()
            #expect(try await wait(next, client(1)) == .seconds(1))
            clock.advance(.seconds(1))
        }
        #expect(try throttle().wrongCount == 5)
        for task in lost {
            task.cancel()
            _ = await task.result
        }
        try await sample.stop()
    }

    @Test("what is kept ready is looked for only where a guess may be made, and then costs none")
    func recalling() async throws {
        try await sample.start()
        let throttle = try throttle()
        let looked = Counter()
        func recall() async throws -> Int {
            try await throttle.guessing(
                client(1),
                recalling: { _ in
                    looked.add()
                    return 7
                }, comparing: { _ in 0 })
        }
        for _ in 0..<100 { #expect(try await recall() == 7) }
        #expect(looked.count == 100)
        for _ in 0..<6 { try await fail(throttle, client(1)) }
        await #expect(throws: VaultError.self) { try await recall() }
        #expect(looked.count == 100)
        try await sample.stop()
    }

    @Test("whoever has used up what neighbours may guess is told nothing of what is kept ready, whatever address asks")
    func recallingWithoutBudget() async throws {
        try await sample.start()
        let throttle = try throttle()
        func guesser(_ last: UInt8) -> Client {
            Client(address: .ip(.ipv4(192, 168, 1, last)), neighbour: [2, 0, 0, 0, 0, 1])
        }
        for last in 0..<19 {
            for _ in 0..<5 { try await fail(throttle, guesser(UInt8(last))) }
        }
        for last in 20..<25 { try await fail(throttle, guesser(UInt8(last))) }
        let looked = Counter()
        await #expect(throws: VaultError.self) {
            try await throttle.guessing(
                guesser(40),
                recalling: { _ in
                    looked.add()
                    return 7
                }, comparing: { _ in 0 })
        }
        #expect(looked.count == 0)
        try await sample.stop()
    }

    @Test("wrong guesses are counted over restarts, and each vault is told of those since it was opened last")
    func wrongGuesses() async throws {
        var service = try await sample.start()
        try await service.lock(try await service.make("violet tram seven"))
        for guess in 0..<4 {
            _ = try? await service.open("violet tram \(guess)", from: client(UInt8(guess)))
        }
        service = try await sample.restart()
        for _ in 0..<3 { _ = try? await service.open("violet tram ten", from: .stranger) }
        let first = try await service.open("violet tram seven")
        #expect(first.wrongGuesses == 7)
        #expect(try await service.open("violet tram seven").wrongGuesses == 0)
        // Who begins now is told of none that were before.
        #expect(try await service.make("seven violet trams").wrongGuesses == 0)
        try await service.lock(first)
        _ = try? await service.open("violet tram ten", from: .stranger)
        service = try await sample.restart()
        #expect(try await service.open("violet tram seven").wrongGuesses == 1)
        #expect(try await service.open("seven violet trams").wrongGuesses == 1)
        try await sample.stop()
    }

    @Test("what is forgotten leaves the ledger too")
    func forgotten() async throws {
        let service = try await sample.start()
        let throttle = try throttle()
        for last in 0..<20 { try await fail(throttle, client(UInt8(last))) }
        let before = try await service.store.ledger.read { try $0.throttleEntries().count }
        clock.advance(.seconds(3601))
        try await fail(throttle, client(200))
        let after = try await service.store.ledger.read { try $0.throttleEntries().count }
        // An entry and a budget of each, but for the one that has just failed.
        #expect(before - after == 38)
        try await sample.stop()
    }

    @Test("the ledger names no address")
    func hashed() async throws {
        let service = try await sample.start()
        try await fail(try throttle(), client(77))
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
        let refused = await #expect(throws: VaultError.self) { try await create(service.setupCode.text) }
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
