import Bytes
import NIOCore
import NIOPosix
import Testing

@testable import Listener

@Suite("Turns of those who want much")
struct FairRateLimitTests {
    private static let start = NIODeadline.uptimeNanoseconds(100_000_000_000)

    private var pace = FairRateLimit(rules: .init(burst: 3, rate: 1, commonRate: 10), now: start - .seconds(10))
    private var lastID: FairRateLimit.ID = 0

    private static func visitor(_ device: UInt8, _ address: UInt32 = 1) -> ConnectionQuota.Visitor {
        ConnectionQuota.Visitor(address: IPNetwork(IPAddress(ipv4: address)), device: [2, 0, 0, 0, 0, device])
    }

    private mutating func ask(_ device: UInt8, _ address: UInt32 = 1, after: TimeAmount = .zero) -> Bool {
        lastID += 1
        return pace.ask(Self.visitor(device, address), as: lastID, now: Self.start + after)
    }

    @Test("Who was quiet goes on at once, by however many addresses, until the burst is used up")
    mutating func burst() {
        let answers = (1...5).map { ask(1, UInt32($0)) }
        #expect(answers == [true, true, true, false, false])
        let other = ask(2)
        #expect(other)
    }

    @Test("The burst grows again with time, and never beyond its size")
    mutating func growth() {
        for _ in 1...3 { _ = ask(1) }
        let answers = [ask(1, after: .milliseconds(900)), ask(1, after: .seconds(1))]
        #expect(answers == [false, true])
        let later = (1...4).map { _ in ask(1, after: .hours(1)) }
        #expect(later == [true, true, true, false])
    }

    @Test("Those that wait come one after the other, devices in turn, and addresses of a device in turn")
    mutating func turns() {
        for _ in 1...3 { _ = ask(1) }
        for _ in 1...3 { _ = ask(2) }
        for _ in 1...3 { _ = ask(1, 1) }  // 7, 8, 9
        _ = ask(1, 2)  // 10
        _ = ask(2, 5)  // 11
        #expect(pace.due(now: Self.start) == [7])
        #expect(pace.due(now: Self.start + .milliseconds(99)) == [])
        #expect(pace.due(now: Self.start + .milliseconds(400)) == [11, 10, 8, 9])
        #expect(pace.nextTurn == nil)
    }

    @Test("Who has gone takes nobody's turn")
    mutating func gone() {
        for _ in 1...3 { _ = ask(1) }
        for _ in 1...3 { _ = ask(1) }
        pace.leave(4)
        pace.leave(6)
        #expect(pace.waitingCount == 1)
        #expect(pace.due(now: Self.start) == [5])
        #expect(pace.nextTurn == nil)
    }

    @Test("What was worth several counts as several, and nobody is in debt for long")
    mutating func costly() {
        let first = ask(1)
        pace.charge(2, to: Self.visitor(1), isCommon: false, now: Self.start)
        let answers = [first, ask(1), ask(1, after: .seconds(1))]
        #expect(answers == [true, false, true])
        pace.charge(1_000_000, to: Self.visitor(2), isCommon: false, now: Self.start)
        let later = [ask(2, after: .seconds(5)), ask(2, after: .seconds(6))]
        #expect(later == [false, true])
    }

    @Test("What those do that wait keeps all of them waiting longer, not those that want little")
    mutating func costlyTurns() {
        for _ in 1...3 { _ = ask(1) }
        for _ in 1...3 { _ = ask(1) }
        #expect(pace.due(now: Self.start) == [4])
        pace.charge(4, to: Self.visitor(1), isCommon: true, now: Self.start)
        #expect(pace.due(now: Self.start + .milliseconds(499)) == [])
        #expect(pace.due(now: Self.start + .milliseconds(500)) == [5])
        let other = ask(2)
        #expect(other)
        pace.charge(1_000_000, to: Self.visitor(1), isCommon: true, now: Self.start + .seconds(1))
        #expect(pace.due(now: Self.start + .milliseconds(2100)) == [6])
    }

    @Test("What a connection's task takes of the processors is counted, however busy the host is with others")
    func processorTime() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let executor = EventLoopExecutor(loop)
        _ = await withTaskExecutorPreference(executor) { Self.computeOnThisThread(for: .milliseconds(20)) }
        // Behind the step that computed.
        try await loop.submit {}.get()
        // 19 ms more than a step should take, each worth eight.
        #expect(executor.takeSpent() >= .milliseconds(1 + 19 * 8))
        #expect(executor.takeSpent() == .zero)
    }

    @Test("Many short steps count as what they take together")
    func shortSteps() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let executor = EventLoopExecutor(loop)
        // A machine that takes its processors away counts that as the thread's time, too: what steps took is measured.
        let steps = await withTaskExecutorPreference(executor) {
            var steps: [TimeAmount] = []
            for _ in 0..<40 {
                steps.append(Self.computeOnThisThread(for: .microseconds(500)))
                await Task.yield()
            }
            return steps
        }
        try await loop.submit {}.get()
        let (spent, taken) = (executor.takeSpent(), steps.reduce(.zero, +))
        #expect(spent >= taken)
        let long = steps.filter { $0 > .microseconds(900) }.reduce(.zero, +)
        #expect(spent - taken < taken * 3 + long * 8)
    }

    /// - Returns: what it took in the end.
    @discardableResult
    private static func computeOnThisThread(for amount: TimeAmount) -> TimeAmount {
        let begun = EventLoopExecutor.processorTime
        while EventLoopExecutor.processorTime < begun + amount.nanoseconds {}
        return .nanoseconds(EventLoopExecutor.processorTime - begun)
    }

    @Test("A connection that closes gives up its turn, and this host never waits")
    func connections() async throws {
        let turns = RateLimiter(.init(burst: 1, rate: 1, commonRate: 1))
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        #expect(turns.ask(for: nil, as: 1, on: loop) == nil)
        let asked = (2...1000).map { turns.ask(for: Self.visitor(1), as: $0, on: loop) }
        #expect(asked[0] == nil)
        let last = try #require(asked.last ?? nil)
        for id: FairRateLimit.ID in 2...1000 { turns.leave(id) }
        await #expect(throws: ChannelError.ioOnClosedChannel) { try await last.get() }
    }
}
