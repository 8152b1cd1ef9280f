import Synchronization
import Testing
import Threads

@testable import Content
@testable import Records

@Suite("Taking turns")
struct TurnTests {
    @Test("one at a time, in the order of arrival")
    func lockOrder() async {
        let lock = TurnLock()
        await lock.take()
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await lock.take()
                    order.add("\(number)")
                    lock.giveBack()
                }
            }
            lock.giveBack()
        }
        #expect(Set(order.names) == Set((0..<20).map { "\($0)" }))
        #expect(await lock.take(within: .zero))
    }

    @Test("whoever has no patience goes without, and the turn is not lost")
    func lockPatience() async {
        let lock = TurnLock()
        await lock.take()
        #expect(await !lock.take(within: .milliseconds(1)))
        lock.giveBack()
        #expect(await lock.take(within: .milliseconds(1)))
    }

    /// Sessions are told apart by identity only.
    private final class Someone {}

    @Test("when all places are taken, sessions are let in by turns, however many wait of one")
    func fairness() async {
        let gate = FairGate(places: 1)
        let (busy, single, own) = (Someone(), Someone(), Someone())
        await gate.enter(FairGate.Visitor(ObjectIdentifier(own)))
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            func wait(_ who: Someone, _ name: String) {
                let key = FairGate.Visitor(ObjectIdentifier(who))
                group.addTask {
                    await gate.enter(key)
                    order.add(name)
                    gate.leave(key)
                }
            }
            for _ in 0..<16 { wait(busy, "busy") }
            while gate.waitingCount < 16 { await Task.yield() }
            wait(single, "single")
            while gate.waitingCount < 17 { await Task.yield() }
            gate.leave(FairGate.Visitor(ObjectIdentifier(own)))
        }
        let found = order.names
        #expect(found.count == 17)
        #expect(found.firstIndex(of: "single") == 1)
    }

    @Test("a place beside others is taken only while few are taken")
    func spare() async {
        let gate = FairGate(places: 3)
        #expect(gate.enter(FairGate.Visitor(ObjectIdentifier(gate)), ifFewerThan: 2))
        #expect(gate.enter(FairGate.Visitor(ObjectIdentifier(gate)), ifFewerThan: 2))
        #expect(!gate.enter(FairGate.Visitor(ObjectIdentifier(gate)), ifFewerThan: 2))
        #expect(gate.enter(FairGate.Visitor(ObjectIdentifier(gate)), ifFewerThan: 9))
        #expect(!gate.enter(FairGate.Visitor(ObjectIdentifier(gate)), ifFewerThan: 9))
        for _ in 0..<3 { gate.leave(FairGate.Visitor(ObjectIdentifier(gate))) }
        await gate.waitUntilIdle()
    }

    @Test("whoever waits for nobody to work is woken by the last one, and by cancellation")
    func idle() async {
        let gate = FairGate(places: 2)
        await gate.waitUntilIdle()
        let someone = Someone()
        await gate.enter(FairGate.Visitor(ObjectIdentifier(someone)))
        await gate.enter(FairGate.Visitor(ObjectIdentifier(someone)))
        let waiting = Task { await gate.waitUntilIdle() }
        let cancelled = Task { await gate.waitUntilIdle() }
        cancelled.cancel()
        await cancelled.value
        gate.leave(FairGate.Visitor(ObjectIdentifier(someone)))
        gate.leave(FairGate.Visitor(ObjectIdentifier(someone)))
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
        #expect(verdict(1, 8, 13) == .go)
        #expect(verdict(1, 9, 22) == .go)
        #expect(verdict(1, 9, 23) == .wait(.seconds(1)))
        #expect(verdict(0, 9, 24) == .wait(.seconds(1)))
        #expect(verdict(0, 9, 25) == .go)
    }

    @Test("room is kept for what a request may still write, and goes with it")
    func promises() {
        let room = RoomPromises()
        do {
            let (one, two) = (room.promise(), room.promise(beyond: 50))
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
        let three = room.promise()
        three.cover(7) { _ in }
        #expect(room.byteCount == 7)
        three.note(written: 9)
        #expect(room.byteCount == 0)
    }

    @Test("room that is not there is promised to nobody, and of many who ask at once only to those for whom it is")
    func noRoom() async {
        struct Full: Error {}
        let room = RoomPromises()
        let kept = await withTaskGroup(of: RoomPromise?.self, returning: [RoomPromise].self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let promise = room.promise()
                    return (try? promise.cover(40) { if $0 > 100 { throw Full() } }) == nil ? nil : promise
                }
            }
            return await group.reduce(into: []) { kept, promise in if let promise { kept.append(promise) } }
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

    @Test("a long request closes a run every 64 MiB, or every 128th of large content")
    func boundaries() {
        #expect(RunBoundary.runByteLimit(ofContent: 1) == 64 << 20)
        #expect(RunBoundary.runByteLimit(ofContent: 8 << 30) == 64 << 20)
        #expect(RunBoundary.runByteLimit(ofContent: 64 << 30) == 512 << 20)
    }
}
