import NIOCore
import TestSupport
import Testing

@testable import Content
@testable import Records

@Suite("The places of uploads in flight")
struct UploadQuotaTests {
    private final class Someone {}

    private let one = Holder(key: [1])
    private let other = Holder(key: [2])
    private let guest = Holder(isGuest: true, key: [3])
    private let someone = Someone()
    private var session: ObjectIdentifier { ObjectIdentifier(someone) }

    private func seats(_ counts: [(Holder, Int)], pace: (Int) -> Double = { Double($0) }) -> [UploadQuota.Seat] {
        counts.flatMap { holder, count in Array(repeating: holder, count: count) }.enumerated().map { number, holder in
            UploadQuota.Seat(number: number, holder: holder, session: session, pace: pace(number))
        }
    }

    @Test("half of them are no guest's, and one guest has a few")
    func shares() {
        let places = UploadQuota(count: 256)
        let guests = (0..<16).map { Holder(isGuest: true, key: [UInt8($0)]) }
        let full = seats(guests.map { ($0, 8) })
        #expect(places.verdict(for: one, session, among: full) == .free)
        #expect(places.verdict(for: guests[0], session, among: seats([(guests[0], 63)])) == .free)
        #expect(places.verdict(for: guests[0], session, among: seats([(guests[0], 64)])) == .none)
        // Whoever has none yet is let in for the slowest of one who has most.
        #expect(places.verdict(for: Holder(isGuest: true, key: [99]), session, among: full) != .none)
        #expect(places.verdict(for: guests[0], session, among: full) == .none)
    }

    @Test(
        "when all are taken, the slowest of whoever holds most gives way to who holds less, and never to who holds more"
    )
    func givingWay() {
        let places = UploadQuota(count: 8)
        let taken = seats([(one, 7), (other, 1)]) { [4: 0.5][$0] ?? 9 }
        #expect(places.verdict(for: other, session, among: taken) == .insteadOf(number: 4))
        #expect(places.verdict(for: one, session, among: taken) == .none)
        #expect(places.verdict(for: Holder(key: [9]), session, among: taken) == .insteadOf(number: 4))
        let even = seats([(one, 4), (other, 4)])
        #expect(places.verdict(for: one, session, among: even) == .none)
        // A vault goes before guests, however few they have.
        let mixed = seats([(one, 7), (guest, 1)])
        #expect(places.verdict(for: one, session, among: mixed) == .insteadOf(number: 7))
        #expect(places.verdict(for: guest, session, among: mixed) == .none)
    }

    @Test("within one vault sessions share")
    func sessions() {
        let (second, places) = (Someone(), UploadQuota(count: 4))
        #expect(places.verdict(for: one, ObjectIdentifier(second), among: seats([(one, 4)])) == .insteadOf(number: 0))
        #expect(places.verdict(for: one, session, among: seats([(one, 4)])) == .none)
    }

    @Test("guests that seal and write leave places for vaults, which are let in in turn with them")
    func semaphore() async {
        let semaphore = FairSemaphore(places: 4)
        let owners = (0..<8).map { _ in Someone() }
        let guests = owners.prefix(4).enumerated().map { number, owner in
            FairSemaphore.Visitor(ObjectIdentifier(owner), of: Holder(isGuest: true, key: [UInt8(number)]))
        }
        for visitor in guests.prefix(3) { await semaphore.acquire(visitor) }
        #expect(!semaphore.acquire(guests[3], ifFewerThan: 4))
        let vault = FairSemaphore.Visitor(ObjectIdentifier(owners[4]), of: one)
        #expect(semaphore.acquire(vault, ifFewerThan: 4))
        let order = Recorder()
        await withTaskGroup(of: Void.self) { group in
            func wait(_ visitor: FairSemaphore.Visitor, _ name: String) async {
                let before = semaphore.waitingCount
                group.addTask {
                    await semaphore.acquire(visitor)
                    order.add(name)
                    semaphore.release(visitor)
                }
                while semaphore.waitingCount == before { await Task.yield() }
            }
            for _ in 0..<4 { await wait(guests[3], "guest") }
            await wait(FairSemaphore.Visitor(ObjectIdentifier(owners[5]), of: one), "one")
            await wait(FairSemaphore.Visitor(ObjectIdentifier(owners[6]), of: one), "one")
            await wait(FairSemaphore.Visitor(ObjectIdentifier(owners[7]), of: other), "other")
            semaphore.release(vault)
            while order.all.count < 3 { await Task.yield() }
            semaphore.release(guests[0])
        }
        #expect(order.all == ["one", "other", "one", "guest", "guest", "guest", "guest"])
        for visitor in guests[1..<3] { semaphore.release(visitor) }
        #expect(semaphore.waitingCount == 0)
    }
}
