import Glibc
import Sealing
import Testing

@testable import Unlocking

@Suite("How many secrets may be made")
struct SlotBudgetTests {
    private let start = ContinuousClock.now

    @Test("a new store takes 16 vaults, another one what a start gives, and one more comes back in four days")
    func vaults() {
        let day = Duration.seconds(86_400)
        var new = SlotBudget(capacity: 16, present: 16, now: start)
        for _ in 0..<16 { #expect(new.take(now: start) == nil) }
        #expect(new.take(now: start) == day * 4)
        new.giveBack()
        #expect(new.take(now: start) == nil)
        #expect(new.take(now: start + day * 4) == nil)
        new.beginAnew(now: start + day * 4)
        #expect((0..<16).allSatisfy { _ in new.take(now: start + day * 4) == nil })

        var old = SlotBudget(capacity: 16, present: 2, now: start)
        #expect(old.take(now: start) == nil && old.take(now: start) == nil)
        #expect(old.take(now: start) == day * 4)
        #expect(old.take(now: start + day * 4) == nil)
        var none = SlotBudget(capacity: 0, present: 0, now: start)
        #expect(none.take(now: start + .seconds(1_000_000)) != nil)
    }

    @Test("a start gives vaults only for days that have gone since a start gave some")
    func gifts() {
        #expect(SlotBudget.gift(on: 100, last: nil) == 2)
        #expect(SlotBudget.gift(on: 100, last: 100) == 0)
        #expect(SlotBudget.gift(on: 101, last: 100) == 1)
        #expect(SlotBudget.gift(on: 130, last: 100) == 2)
        // A clock that went back gives nothing.
        #expect(SlotBudget.gift(on: 99, last: 100) == 0)
    }

    @Test("of a vault's ways four are changed at once, and one with each day, however often somebody asks")
    func ways() {
        let budget = WayBudget(capacity: 4)
        var (until, today, made) = (UInt64(0), UInt64(20_000), 0)
        func change() -> Bool {
            guard case .taken(let next) = budget.take(usedUntil: until, today: today) else { return false }
            (until, made) = (next, made + 1)
            return true
        }
        while change() {}
        #expect(made == 4)
        #expect(budget.take(usedUntil: until, today: today) == .wait(.seconds(86_400)))
        for _ in 0..<30 {
            today += 1
            #expect(change() && !change())
        }
        today += 30
        while change() {}
        #expect(made == 4 + 30 + 4)
        // Written by a clock that was far ahead.
        until = today + 9000
        #expect(change() && !change())
        #expect(WayBudget(capacity: 0).take(usedUntil: 0, today: today) == .wait(.seconds(86_400)))
    }

    /// The sum of docs/format.md: started and used up each day for ten years, by the makers of vaults and by one vault
    /// whose ways are changed each day.
    @Test("ten years of it wear a vault that nobody opens away with a chance of less than one in a million")
    func wear() {
        let (budget, days) = (WayBudget(capacity: 4), UInt32(3652))
        var (made, last, until) = (16.0, UInt32?.none, UInt64(0))
        for day in 0..<days {
            // Many starts in a day.
            for _ in 0..<50 {
                let gift = SlotBudget.gift(on: day, last: last)
                if gift > 0 { last = day }
                made += Double(gift)
            }
            made += 16.0 / 64
            while case .taken(let next) = budget.take(usedUntil: until, today: UInt64(day)) {
                until = next
                made += 1
            }
        }
        #expect(made < 8240)
        let replicas = Double(SlotRoot.replicaCount)
        let overwritten = 1 - exp(-replicas * made / Double(SlotRoot.slotCount))
        #expect(pow(overwritten, replicas) < 1e-6)
    }
}
