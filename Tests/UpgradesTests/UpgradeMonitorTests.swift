import Logging
import Releases
import Synchronization
import Testing

@testable import Upgrades

/// A host whose time passes only by sleeping, and which is switched off when its time is over.
private final class SimulatedHost: Sendable {
    struct SwitchedOff: Error {}

    private struct State {
        var now: Int64 = 1_000_000
        var end: Int64 = 0
        var disk: [UInt8]?
        var questions: [(time: Int64, tag: String?)] = []
        var answers: [Result<FeedAnswer, FeedError>] = []
    }

    private let state = Mutex(State())

    var questions: [(time: Int64, tag: String?)] { state.withLock(\.questions) }
    var now: Int64 { state.withLock(\.now) }

    func answer(_ answers: Result<FeedAnswer, FeedError>...) { state.withLock { $0.answers = answers } }

    /// What an earlier start has left behind.
    func remember(lastAsked: Int64) throws {
        var state = FeedState(feed: "https://example.org/feed.json")
        state.lastAsked = lastAsked
        let bytes = try state.encoded
        self.state.withLock { $0.disk = bytes }
    }

    /// Runs a monitor from now on for a while, as one start of the daemon.
    func run(for seconds: Int64, diskFails: Bool = false) async throws -> Release? {
        state.withLock { $0.end = $0.now + seconds }
        let feed = try #require(FeedAddress("https://example.org/feed.json"))
        let running = try #require(SemanticVersion("1.2.0"))
        let monitor = UpgradeMonitor(
            feed: feed, judge: FeedJudge(running: running, key: nil),
            world: .init(
                now: { self.now }, sleep: { try self.sleep($0) }, chance: { 0.5 },
                load: { self.state.withLock(\.disk) },
                save: { bytes in
                    if diskFails { throw SwitchedOff() }
                    self.state.withLock { $0.disk = bytes }
                },
                ask: { tag throws(FeedError) in try self.ask(tag) }),
            logger: Logger(label: "test"))
        await #expect(throws: SwitchedOff.self) { try await monitor.watch() }
        return monitor.release
    }

    private func sleep(_ duration: Duration) throws {
        try state.withLock { state in
            let wake = state.now + duration.components.seconds
            state.now = min(wake, state.end)
            if wake >= state.end { throw SwitchedOff() }
        }
    }

    private func ask(_ tag: String?) throws(FeedError) -> FeedAnswer {
        let result = state.withLock { state in
            state.questions.append((state.now, tag))
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        return try result.get()
    }
}

@Suite("The upgrade monitor")
struct UpgradeMonitorTests {
    private func document(_ version: String) -> Result<FeedAnswer, FeedError> {
        let text = #"{"version":"\#(version)","page":"https://example.org/"}"#
        return .success(.document(Array(text.utf8), signature: nil, entityTag: "\"1\""))
    }

    @Test("asks once a day, first a few seconds after the start")
    func day() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"))
        let begin = host.now
        #expect(try await host.run(for: 86_400)?.version == SemanticVersion("1.3.0"))
        #expect(host.questions.count == 1)
        #expect(host.questions[0].time >= begin + 5)
    }

    @Test("24 starts in a day ask no second time")
    func restarts() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"))
        for _ in 0..<24 { _ = try await host.run(for: 3_599) }
        #expect(host.questions.count == 1)
        _ = try await host.run(for: 7_200)
        #expect(host.questions.count == 2)
    }

    @Test("a time in the future silences it for a day and no longer, however often the host is started")
    func future() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"))
        try host.remember(lastAsked: host.now + 5 * 31_536_000)
        for _ in 0..<4 { _ = try await host.run(for: 36_000) }
        #expect(host.questions.count == 1)
    }

    @Test("a feed that fails is asked no sooner, and what was believed stays")
    func failure() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"), .failure(.unreachable("no route")))
        let release = try await host.run(for: 3 * 93_000)
        #expect(host.questions.count == 4 || host.questions.count == 3)
        #expect(zip(host.questions, host.questions.dropFirst()).allSatisfy { $1.time - $0.time >= 86_400 })
        #expect(release?.version == SemanticVersion("1.3.0"))
    }

    @Test("a feed that goes back is believed in nothing")
    func older() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"), document("1.1.0"))
        #expect(try await host.run(for: 2 * 93_000) == nil)
    }

    @Test("a disk that does not remember the time keeps the feed from being asked")
    func fullDisk() async throws {
        let host = SimulatedHost()
        host.answer(document("1.3.0"))
        #expect(try await host.run(for: 93_000, diskFails: true) == nil)
        #expect(host.questions.isEmpty)
    }
}
