import Releases
import Testing

@Suite("When a release feed is asked")
struct FeedScheduleTests {
    @Test("the first time is a few seconds after the start", arguments: [0, 0.5, 1])
    func first(chance: Double) {
        let wait = FeedSchedule.wait(lastAsked: nil, now: 1_000_000, isAtStart: true, chance: chance)
        #expect(wait >= .seconds(5) && wait <= .seconds(10))
    }

    @Test("never twice within 24 hours, however often the daemon starts", arguments: [0, 1], [true, false])
    func interval(chance: Double, isAtStart: Bool) {
        for passed: Int64 in [0, 1, 3_600, 86_390, 86_399] {
            let wait = FeedSchedule.wait(
                lastAsked: 1_000_000, now: 1_000_000 + passed, isAtStart: isAtStart, chance: chance)
            #expect(wait + .seconds(passed) >= .seconds(86_400))
            #expect(wait + .seconds(passed) <= .seconds(86_400 + 3_600 + 10))
        }
    }

    @Test("after a long time off it is asked soon after the start, not at once")
    func overdue() {
        let wait = FeedSchedule.wait(lastAsked: 1, now: 10_000_000, isAtStart: true, chance: 0)
        #expect(wait == .seconds(5))
    }

    @Test("a clock that stood in the future costs a day, not more")
    func future() {
        let wait = FeedSchedule.wait(lastAsked: .max, now: 1_000_000, isAtStart: true, chance: 0)
        #expect(wait == .seconds(86_400))
    }
}
