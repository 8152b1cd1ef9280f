import Bytes
import Store
import StoreSupport
import TestSupport
import Testing
import Threads

@testable import Content
@testable import Records
@testable import Unlocking

@Suite("The throttle of password attempts")
struct ThrottleTests {
    private let sample: SampleStore
    private let clock = StandingClock()

    init() throws {
        sample = try SampleStore()
        try sample.open()
    }

    private var ledger: Ledger { get throws { try sample.store.ledger } }

    /// As after a start.
    private func throttle() throws -> AttemptThrottle {
        try AttemptThrottle(ledger: ledger, devices: .load(from: ledger), now: { [clock] in clock.now })
    }

    private func client(_ last: UInt8, device: String? = nil) -> Client {
        Client(address: .ip(.ipv4(192, 168, 1, last)), deviceCookie: device)
    }

    /// Of a device that was not here before.
    private func cookie() throws -> String { DeviceCookies.text(try DeviceCookies.load(from: ledger).draw()) }

    /// Seconds until the next attempt, nil when one was admitted, and was wrong.
    private func wait(
        _ throttle: AttemptThrottle, _ client: Client, at place: [UInt8]? = nil
    ) async throws -> Duration? {
        do {
            try await throttle.guessing(client, at: place) { _ in throw VaultError.noSuchVault }
            return nil
        } catch VaultError.noSuchVault {
            return nil
        } catch VaultError.tooManyAttempts(let wait, _) {
            return wait
        }
    }

    private func fail(_ throttle: AttemptThrottle, _ client: Client) async throws {
        #expect(try await wait(throttle, client) == nil)
    }

    @Test("failures of one address slow down that address and no other")
    func addresses() async throws {
        let throttle = try throttle()
        for _ in 0..<6 { #expect(try await wait(throttle, client(1)) == nil) }
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        #expect(try await wait(throttle, client(2)) == nil)
        clock.advance(.seconds(1))
        #expect(try await wait(throttle, client(1)) == nil)
        #expect(try await wait(throttle, client(1)) == .seconds(2))
        try sample.close()
    }

    @Test("a refused attempt does not prolong the wait")
    func refusals() async throws {
        let throttle = try throttle()
        for _ in 0..<6 { try await fail(throttle, client(1)) }
        for _ in 0..<10 { #expect(try await wait(throttle, client(1)) == .seconds(1)) }
        try sample.close()
    }

    @Test("a success takes back its own entry and no other")
    func success() async throws {
        let throttle = try throttle()
        for _ in 0..<5 { try await fail(throttle, client(1)) }
        for _ in 0..<10 { try await throttle.guessing(client(1)) { _ in } }
        #expect(try await wait(throttle, client(1)) == nil)
        #expect(try await wait(throttle, client(1)) == .seconds(1))
        try sample.close()
    }

    @Test("what was recorded stands over a restart, and time without the daemon does not count")
    func restart() async throws {
        let before = try throttle()
        for _ in 0..<8 {
            _ = try await wait(before, client(1))
            clock.advance(.seconds(10))
        }
        try sample.close()
        try sample.open()
        #expect(try await wait(try throttle(), client(1)) == .seconds(4))
        try sample.close()
    }

    @Test("while the computer runs, each goes on waiting over a restart for what it did itself, and nobody else does")
    func restartOfDaemon() async throws {
        let memory = try MemoryFolder()
        func throttle() throws -> AttemptThrottle {
            try AttemptThrottle(
                ledger: ledger, devices: .load(from: ledger), memoryPath: memory.path, now: { [clock] in clock.now })
        }
        func guesser(_ last: UInt8, on neighbour: UInt8) -> Client {
            Client(address: .ip(.ipv4(192, 168, 1, last)), neighbour: [2, 0, 0, 0, 0, neighbour])
        }
        let before = try throttle()
        for last in 0..<30 as Range<UInt8> { for _ in 0..<5 { _ = try await wait(before, guesser(last, on: 1)) } }
        for _ in 0..<6 { try await fail(before, guesser(99, on: 2)) }
        try sample.close()
        try sample.open()
        let after = try throttle()
        #expect(try await wait(after, guesser(99, on: 2)) != nil)
        // Its budget is used up, whatever address it takes.
        #expect(try await wait(after, guesser(31, on: 1)) != nil)
        for _ in 0..<5 { try await fail(after, guesser(40, on: 3)) }
        // The computer was off: nobody knows any more who it was.
        memory.remove()
        try sample.close()
        try sample.open()
        #expect(try await wait(try throttle(), guesser(41, on: 4)) != nil)
        try sample.close()
    }

    @Test("an attempt that could not be noted is none")
    func unnoted() async throws {
        let throttle = try throttle()
        // The ledger takes nothing any more.
        try sample.close()
        for _ in 0..<20 {
            await #expect(throws: StoreError.self) { try await throttle.guessing(client(1)) { _ in } }
        }
    }

    @Test("one neighbour with many addresses has one budget, and leaves that of another")
    func neighbours() async throws {
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
        try sample.close()
    }

    @Test("no neighbour has more than a hundred an hour, nor takes what newcomers share, over a restart neither")
    func newcomersOfOneNeighbour() async throws {
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
        try sample.close()
    }

    @Test("when strangers have used up their budget, whoever has not failed lately is let in")
    func newcomers() async throws {
        let throttle = try throttle()
        for guess in 0..<300 { try await fail(throttle, client(UInt8(guess / 5))) }
        #expect(try await wait(throttle, client(0)) != nil)
        try await throttle.guessing(client(200)) { _ in }
        try await fail(throttle, client(200))
        #expect(try await wait(throttle, client(200)) != nil)
        try sample.close()
    }

    @Test("however many guess at one place, strangers who guess at another one wait for none of them")
    func places() async throws {
        let throttle = try throttle()
        var admitted = 0
        for guess in 0..<1000 where try await wait(throttle, client(UInt8(guess / 5)), at: [1]) == nil { admitted += 1 }
        // A hundred, and what newcomers share.
        #expect(admitted == 120)
        #expect(try await wait(throttle, client(201), at: [1]) != nil)
        for _ in 0..<5 { #expect(try await wait(throttle, client(202), at: [2]) == nil) }
        try sample.close()
    }

    @Test("a device that opened a vault before has a lane of its own")
    func deviceLane() async throws {
        let throttle = try throttle()
        let device = try cookie()
        for guess in 0..<410 { _ = try await wait(throttle, client(UInt8(guess / 5))) }
        #expect(try await wait(throttle, client(200)) != nil)
        #expect(try await wait(throttle, client(200, device: "forged")) != nil)
        for last in 200..<206 { #expect(try await wait(throttle, client(UInt8(last), device: device)) == nil) }
        #expect(try await wait(throttle, client(207, device: device)) == .seconds(1))
        try sample.close()
    }

    @Test("whoever may open one vault cannot use up the lane of those that open another")
    func households() async throws {
        let throttle = try throttle()
        var visitors: [String] = []
        for _ in 0..<20 {
            visitors.append(try cookie())
            throttle.note(visitors[visitors.count - 1], of: client(1), opened: [1])
        }
        let family = try cookie()
        throttle.note(family, of: client(2), opened: [2])
        // Of two neighbours, neither of whom has used up its own.
        for (number, visitor) in visitors.enumerated() {
            for _ in 0..<5 { try await fail(throttle, client(number.isMultiple(of: 2) ? 1 : 3, device: visitor)) }
        }
        for visitor in visitors { #expect(try await wait(throttle, client(1, device: visitor)) != nil) }
        for _ in 0..<5 { try await fail(throttle, client(2, device: family)) }
        // The strangers' budget is another one.
        #expect(try await wait(throttle, client(1)) == nil)
        try sample.close()
    }

    @Test("cookies of devices cannot multiply guesses: together they have a budget too, over a restart")
    func manyDevices() async throws {
        let before = try throttle()
        for _ in 0..<100 { try await fail(before, client(1, device: try cookie())) }
        #expect(try await wait(before, client(1, device: try cookie())) != nil)
        try sample.close()
        try sample.open()
        let after = try throttle()
        #expect(try await wait(after, client(1, device: try cookie())) != nil)
        try sample.close()
    }

    @Test("after a restart one neighbour cannot use up what all devices share until it is known what they open")
    func devicesAfterRestart() async throws {
        let throttle = try throttle()
        for _ in 0..<150 {
            _ = try await wait(throttle, client(1, device: try cookie()))
        }
        let family = try cookie()
        for _ in 0..<5 { try await fail(throttle, client(2, device: family)) }
        try sample.close()
    }

    @Test("vaults of one's own cannot multiply guesses: a neighbour has one budget for all its devices")
    func manyVaults() async throws {
        let throttle = try throttle()
        var admitted = 0
        for guess in 0..<200 {
            let device = try cookie()
            throttle.note(device, of: client(1), opened: [UInt8(guess / 10)])
            if try await wait(throttle, client(1, device: device)) == nil { admitted += 1 }
        }
        #expect(admitted == 100)
        try sample.close()
    }

    @Test("right ones that come at once wait for each other and are not refused")
    func rightAtOnce() async throws {
        let (throttle, guesser) = (try throttle(), client(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await throttle.guessing(guesser) { _ in } } }
            try await group.waitForAll()
        }
        #expect(throttle.wrongCount == 0)
        try sample.close()
    }

    @Test("wrong ones that come at once are no more than one after the other")
    func wrongAtOnce() async throws {
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
        try sample.close()
    }

    @Test("one neighbour that has as many waiting as it may, by many addresses, leaves room for another's")
    func waitingRoom() async throws {
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
        try sample.close()
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
        try sample.close()
    }

    @Test("crashes give nobody a guess: whatever was answered counts, and what was cut off counts as one")
    func cutOffGuesses() async throws {
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
        try sample.close()
    }

    @Test("what is kept ready is looked for only where a guess may be made, and then costs none")
    func recalling() async throws {
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
        try sample.close()
    }

    @Test("whoever has used up what neighbours may guess is told nothing of what is kept ready, whatever address asks")
    func recallingWithoutBudget() async throws {
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
        try sample.close()
    }

    @Test("what is forgotten leaves the ledger too")
    func forgotten() async throws {
        let throttle = try throttle()
        for last in 0..<20 { try await fail(throttle, client(UInt8(last))) }
        let before = try await ledger.read { try $0.throttleEntries().count }
        clock.advance(.seconds(3601))
        try await fail(throttle, client(200))
        let after = try await ledger.read { try $0.throttleEntries().count }
        // An entry and a budget of each, but for the one that has just failed.
        #expect(before - after == 38)
        try sample.close()
    }

    @Test("the ledger names no address")
    func hashed() async throws {
        try await fail(try throttle(), client(77))
        let keys = try await ledger.read { try $0.throttleEntries().map(\.key) }
        #expect(!keys.isEmpty)
        for key in keys { #expect(!key.contains([192, 168, 1, 77])) }
        try sample.close()
    }
}
