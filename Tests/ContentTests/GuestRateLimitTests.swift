import Testing

@testable import Content
@testable import Records

@Suite("How many guests come")
struct GuestRateLimitTests {
    @Test("few in an hour from one address, more in a day from one neighbour, and nobody else is kept out by that")
    func arrivals() {
        var arrivals = GuestRateLimit()
        var now = ContinuousClock.now
        let neighbour: [UInt8] = [1]
        for _ in 0..<arrivals.byAddress.most {
            #expect(arrivals.take(address: [1], neighbour: neighbour, now: now) == nil)
        }
        #expect(arrivals.take(address: [1], neighbour: neighbour, now: now) == .seconds(3600))
        for address in 2...6 as ClosedRange<UInt8> {
            for _ in 0..<10 { #expect(arrivals.take(address: [address], neighbour: neighbour, now: now) == nil) }
        }
        #expect(arrivals.take(address: [7], neighbour: neighbour, now: now) == .seconds(86_400))
        #expect(arrivals.take(address: [7], neighbour: [2], now: now) == nil)
        now += .seconds(3600)
        #expect(arrivals.take(address: [1], neighbour: neighbour, now: now) == .seconds(82_800))
        now += .seconds(82_800)
        #expect(arrivals.take(address: [1], neighbour: neighbour, now: now) == nil)
        // However many ask, no more are remembered than that.
        for number in 0..<5000 {
            _ = arrivals.take(address: withUnsafeBytes(of: number) { Array($0) }, neighbour: [3], now: now)
        }
    }

    @Test("at one door many in an hour, and one that was taken makes room for another, whatever was given back before")
    func visits() {
        var visits = VisitRateLimit()
        let now = ContinuousClock.now
        visits.giveBack(holder: [1], door: [1])
        for _ in 0..<VisitRateLimit.mostPerDoor { #expect(visits.take(holder: [1], door: [1], now: now) == nil) }
        #expect(visits.take(holder: [1], door: [1], now: now) == .seconds(3600))
        #expect(visits.take(holder: [1], door: [2], now: now) == nil)
        #expect(visits.take(holder: [2], door: [1], now: now) == nil)
        visits.giveBack(holder: [1], door: [1])
        #expect(visits.take(holder: [1], door: [1], now: now) == nil)
        #expect(visits.take(holder: [1], door: [1], now: now) == .seconds(3600))
    }
}
