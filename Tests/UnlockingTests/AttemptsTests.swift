import Testing

@testable import Unlocking

@Suite("How guessing is slowed down")
struct AttemptsTests {
    private let start = ContinuousClock.now

    @Test("five failures are free, then the wait doubles from a second to an hour")
    func delays() {
        var attempts = Attempts(now: start)
        var waits: [Duration] = []
        for _ in 0..<20 {
            attempts.record(now: start)
            waits.append(attempts.wait(now: start))
        }
        #expect(waits.prefix(5).allSatisfy { $0 == .zero })
        #expect(waits[5...9].elementsEqual([1, 2, 4, 8, 16].map(Duration.seconds)))
        #expect(waits.suffix(3).allSatisfy { $0 == .seconds(3600) })
    }

    @Test("a wait ends with time")
    func waiting() {
        let attempts = Attempts(failures: 8, now: start)
        #expect(attempts.wait(now: start + .seconds(3)) == .seconds(1))
        #expect(attempts.wait(now: start + .seconds(4)) == .zero)
        #expect(attempts.wait(now: start + .seconds(9999)) == .zero)
    }

    @Test("two attempts at once read their clocks in any order, and neither waits for that")
    func clocksOutOfOrder() {
        var attempts = Attempts(now: start)
        attempts.record(now: start + .milliseconds(1))
        #expect(attempts.wait(now: start) == .zero)
        attempts.record(now: start)
        #expect(attempts.since == start + .milliseconds(1))
        var bucket = TokenBucket(capacity: 100, tokens: 0, now: start + .seconds(36))
        _ = bucket.take(now: start)
        #expect(bucket.take(now: start + .seconds(36)) != nil)
    }

    @Test("one failure is forgotten an hour, and no more than there were")
    func forgetting() {
        var attempts = Attempts(failures: 3, now: start)
        attempts.forget(now: start + .seconds(3599))
        #expect(attempts.failures == 3)
        attempts.forget(now: start + .seconds(7201))
        #expect(attempts.failures == 1)
        attempts.forget(now: start + .seconds(999_999))
        #expect(attempts.failures == 0)
        attempts.takeBack()
        #expect(attempts.failures == 0)
    }

    @Test("those under way when the process ends count as one, until a right one comes or an hour is over")
    func cutOff() {
        var attempts = Attempts(now: start)
        for _ in 0..<6 { attempts.record(now: start) }
        #expect(attempts.record(underWay: 4) == Attempts.Record(wrongCount: 2, isOneOpen: true))
        #expect(attempts.record(underWay: 0) == Attempts.Record(wrongCount: 6, isOneOpen: false))
        for _ in 0..<3 {
            attempts = Attempts(Attempts.Record(wrongCount: 2, isOneOpen: true), now: start)
            #expect(attempts.failures == 3)
            attempts.record(now: start)
            #expect(attempts.record(underWay: 1) == Attempts.Record(wrongCount: 2, isOneOpen: true))
        }
        var later = attempts
        attempts.succeed()
        #expect(attempts.record(underWay: 0) == Attempts.Record(wrongCount: 2, isOneOpen: false))
        later.forget(now: start + .seconds(3600))
        #expect(later.record(underWay: 1) == Attempts.Record(wrongCount: 2, isOneOpen: true))
        #expect(later.record(underWay: 0) == Attempts.Record(wrongCount: 3, isOneOpen: false))
    }

    @Test("a budget of a hundred failures an hour fills again with time, and no further")
    func bucket() {
        var bucket = TokenBucket(capacity: 100, now: start)
        for _ in 0..<100 { #expect(bucket.take(now: start) == nil) }
        let wait = bucket.take(now: start)
        #expect(wait.map { $0 > .seconds(35) && $0 <= .seconds(36) } == true)
        #expect(bucket.take(now: start + .seconds(36.1)) == nil)
        #expect(bucket.take(now: start + .seconds(36.2)) != nil)
        bucket.giveBack()
        #expect(bucket.take(now: start + .seconds(36.2)) == nil)
        bucket.fill(now: start + .seconds(999_999))
        #expect(bucket.tokens == 100)
        bucket.giveBack()
        #expect(bucket.tokens == 100)
    }
}
