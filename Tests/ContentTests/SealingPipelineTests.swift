import Dispatch
import NIOCore
import Sealing
import Store
import StoreSupport
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Content
@testable import Records

@Suite("Bytes on their way to the disk")
struct SealingPipelineTests {
    private let sample: SampleStore
    private let store: Store
    private let threads = SealingThreads(readsFromBucket: false)
    private let reservations = SpaceReservations()
    /// Sessions are told apart by identity only.
    private let session: FairSemaphore.Visitor

    init() throws {
        sample = try SampleStore()
        try sample.open()
        store = try sample.store
        session = FairSemaphore.Visitor(ObjectIdentifier(store))
    }

    private func end() async throws {
        await threads.shutdown()
        try sample.close()
    }

    /// From its return on every upload is held back where it notes that a segment is written.
    /// - Returns: to be signalled when they may go on
    private func holdWrites() async -> DispatchSemaphore {
        let (isHeld, mayGoOn) = (OneTimeEvent(), DispatchSemaphore(value: 0))
        let held = reservations.reserve()
        DispatchQueue.global().async {
            held.cover(0) { _ in
                isHeld.happen()
                mayGoOn.wait()
            }
        }
        await isHeld.wait()
        return mayGoOn
    }

    @Test(
        "are sealed to their end also where the last of them were left for others that wait for a thread",
        .timeLimit(.minutes(10)))
    func lastStepLeft() async throws {
        let reservation = reservations.reserve()
        let lane = try SealingLane(
            store: store, start: SealingLane.Start(fileKey: SharedSecret(try SecretBytes(random: 32))),
            reservation: reservation)
        nonisolated(unsafe) let pipeline = SealingPipeline(
            lane: lane, threads: threads, session: session)
        // No second thread: all other places are taken.
        let others = Counter()
        while threads.semaphore.acquire(session, ifFewerThan: 7) {
            others.add()
        }

        // The first segment is held back.
        let mayGoOn = await holdWrites()
        let content = SegmentSize.small.plaintextByteCount + 1000
        try await pipeline.append(ByteBuffer(bytes: sampleBytes(content)))
        let (closed, isOver) = (Outcome(), OneTimeEvent())
        Task {
            let run = try? await pipeline.beginClosing(endOf: UInt64(content)).run
            closed.byteCount.withLock { $0 = run.map { [$0].storedByteCount } }
            isOver.happen()
        }
        while pipeline.steps.waitingCount == 0 { await Task.yield() }

        // Others want all threads, and one more: that of the first segment, once it is written.
        let (begun, haveBegun, mayEnd) = (Counter(), OneTimeEvent(), DispatchSemaphore(value: 0))
        let work = (0..<8).map { _ in
            threads.start {
                begun.add()
                if begun.count == 8 { haveBegun.happen() }
                mayEnd.wait()
            }
        }
        while !pipeline.steps.isContended { await Task.yield() }
        mayGoOn.signal()
        await haveBegun.wait()
        for _ in work { mayEnd.signal() }
        for work in work { try await work.value() }
        await isOver.wait()
        #expect(closed.byteCount.withLock { $0 } == ObjectSize.ofOneRun(content: UInt64(content)))
        for _ in 0..<others.count { threads.semaphore.release(session) }
        await pipeline.discard()
        try await end()
    }

    @Test("end with a block of the file behind the last of several runs, and only there")
    func runs() async throws {
        let lane = try SealingLane(
            store: store, start: SealingLane.Start(fileKey: SharedSecret(try SecretBytes(random: 32))),
            reservation: reservations.reserve())
        let pipeline = SealingPipeline(
            lane: lane, threads: threads, session: session)
        let part = 150_001
        var runs: [PhotoRecord.Run] = []
        for number in 1...3 {
            try await pipeline.append(ByteBuffer(bytes: sampleBytes(part)))
            runs.append(try await pipeline.closeRun(endOf: number == 3 ? UInt64(3 * part) : nil))
        }
        #expect(runs[0].plaintextByteCount == UInt64(part) && runs[1].plaintextByteCount == UInt64(part))
        let start = Array(runs[..<2]).storedByteCount
        let padding = ObjectSize.padding(
            ofContent: UInt64(3 * part), lastRunAt: start, runByteCount: UInt64(part))
        #expect(runs[2].plaintextByteCount == UInt64(part) + padding)
        #expect(lane.staged.byteCount == runs.storedByteCount && runs.storedByteCount.isMultiple(of: 4096))
        await pipeline.discard()
        try await end()
    }

    private final class Outcome: Sendable {
        let byteCount = Mutex<UInt64?>(nil)
    }
}
