import Synchronization
import TestSupport
import Testing
import Threads

@testable import Content
@testable import Records

@Suite("Taking turns")
struct TurnTests {
    /// Sessions are told apart by identity only.
    private final class Someone {}

    @Test("when all places are taken, sessions are let in by turns, however many wait of one")
    func fairness() async {
        let semaphore = FairSemaphore(places: 1)
        let (busy, single, own) = (Someone(), Someone(), Someone())
        await semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(own)))
        let order = Recorder()
        await withTaskGroup(of: Void.self) { group in
            func wait(_ who: Someone, _ name: String) {
                let key = FairSemaphore.Visitor(ObjectIdentifier(who))
                group.addTask {
                    await semaphore.acquire(key)
                    order.add(name)
                    semaphore.release(key)
                }
            }
            for _ in 0..<16 { wait(busy, "busy") }
            while semaphore.waitingCount < 16 { await Task.yield() }
            wait(single, "single")
            while semaphore.waitingCount < 17 { await Task.yield() }
            semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(own)))
        }
        let found = order.all
        #expect(found.count == 17)
        #expect(found.firstIndex(of: "single") == 1)
    }

    @Test("a place beside others is taken only while few are taken")
    func spare() async {
        let semaphore = FairSemaphore(places: 3)
        #expect(semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 2))
        #expect(semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 2))
        #expect(!semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 2))
        #expect(semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 9))
        #expect(!semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(semaphore)), ifFewerThan: 9))
        for _ in 0..<3 { semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(semaphore))) }
        await semaphore.waitUntilIdle()
    }

    @Test("whoever waits for nobody to work is woken by the last one, and by cancellation")
    func idle() async {
        let semaphore = FairSemaphore(places: 2)
        await semaphore.waitUntilIdle()
        let someone = Someone()
        await semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(someone)))
        await semaphore.acquire(FairSemaphore.Visitor(ObjectIdentifier(someone)))
        let waiting = Task { await semaphore.waitUntilIdle() }
        let cancelled = Task { await semaphore.waitUntilIdle() }
        cancelled.cancel()
        await cancelled.value
        semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(someone)))
        semaphore.release(FairSemaphore.Visitor(ObjectIdentifier(someone)))
        await waiting.value
    }

    @Test("the re-read goes on when it is quiet, and where it never is, after its patience, for as long")
    func pacing() {
        var pacing = RereadPacing(quiet: .seconds(1), patience: .seconds(10))
        let start = ContinuousClock.now
        func verdict(_ inFlight: Int, _ admitted: UInt64, _ seconds: Int) -> RereadPacing.Verdict {
            pacing.verdict(inFlight: inFlight, admitted: admitted, now: start + .seconds(seconds))
        }
        #expect(verdict(0, 5, 0) == .wait(.seconds(1)))
        #expect(verdict(0, 5, 1) == .go)
        #expect(verdict(0, 5, 2) == .go)
        #expect(verdict(1, 6, 3) == .wait(.seconds(1)))
        #expect(verdict(0, 7, 4) == .wait(.seconds(1)))
        #expect(verdict(1, 8, 12) == .wait(.seconds(1)))
        #expect(!pacing.isOverdue)
        #expect(verdict(1, 8, 13) == .go)
        #expect(pacing.isOverdue)
        #expect(verdict(1, 9, 22) == .go)
        #expect(pacing.isOverdue)
        #expect(verdict(1, 9, 23) == .wait(.seconds(1)))
        #expect(verdict(0, 9, 24) == .wait(.seconds(1)))
        #expect(verdict(0, 9, 25) == .go)
        #expect(!pacing.isOverdue)
    }

    @Test("room is kept for what a request may still write, and goes with it")
    func reservations() {
        let room = SpaceReservations()
        do {
            let (one, two) = (room.reserve(), room.reserve(beyond: 50))
            #expect(room.byteCount == 0 && two.byteCount == 50)
            one.cover(100) { _ in }
            two.cover(.max) { _ in }
            #expect(room.byteCount == .max)
            two.note(written: .max)
            one.note(written: 40)
            one.note(written: 20)
            #expect(one.byteCount == 100)
            one.uncover(to: 60)
            one.cover(30) { _ in }
            #expect(one.byteCount == 60)
        }
        let three = room.reserve()
        three.cover(7) { _ in }
        #expect(room.byteCount == 7)
        three.note(written: 9)
        #expect(room.byteCount == 0)
    }

    @Test("room that is not there is promised to nobody, and of many who ask at once only to those for whom it is")
    func noRoom() async {
        struct Full: Error {}
        let room = SpaceReservations()
        let kept = await withTaskGroup(of: SpaceReservation?.self, returning: [SpaceReservation].self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let reservation = room.reserve()
                    return (try? reservation.cover(40) { if $0 > 100 { throw Full() } }) == nil ? nil : reservation
                }
            }
            return await group.reduce(into: []) { kept, reservation in if let reservation { kept.append(reservation) } }
        }
        #expect(kept.count == 2)
        #expect(room.byteCount == 80)
    }

    @Test("slow senders stay with small segments, fast ones get large ones")
    func segments() {
        #expect(SegmentSize.small.next(afterFillingIn: .milliseconds(10)) == .large)
        #expect(SegmentSize.small.next(afterFillingIn: .seconds(1)) == .small)
        #expect(SegmentSize.large.next(afterFillingIn: .seconds(1)) == .large)
        #expect(SegmentSize.large.next(afterFillingIn: .seconds(2)) == .small)
    }
}
