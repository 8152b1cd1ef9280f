import Testing
import Threads

@Suite("A limit of a day")
struct DailyLimitTests {
    private let start = ContinuousClock.now

    @Test("so many of one day, and a failed one is given back")
    func dailyLimit() {
        var limit = DailyLimit(perDay: 2, now: start)
        #expect(limit.take(now: start) == nil)
        #expect(limit.take(now: start) == nil)
        #expect(limit.take(now: start + .seconds(400)) == .seconds(86_000))
        limit.giveBack()
        #expect(limit.take(now: start) == nil)
        #expect(limit.take(now: start + .seconds(86_400)) == nil)
    }
}
