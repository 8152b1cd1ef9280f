import Dispatch
import TestSupport
import Testing

@testable import Content

@Suite("Threads that seal and read")
struct SealingThreadsTests {
    @Test(
        "reads that a disk or a bucket holds up leave threads for other work, however many they are",
        arguments: [false, true])
    func slowReads(fromBucket: Bool) async throws {
        let threads = SealingThreads(readsFromBucket: fromBucket)
        let (mayEnd, begun) = (DispatchSemaphore(value: 0), Counter())
        let visitor = FairSemaphore.Visitor(ObjectIdentifier(threads))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await threads.read(for: visitor) {
                        begun.add()
                        mayEnd.wait()
                    }
                }
            }
            while begun.count + threads.readings.waitingCount < 50 { await Task.yield() }
            #expect(try await threads.run { 7 } == 7)
            for _ in 0..<50 { mayEnd.signal() }
            try await group.waitForAll()
        }
        await threads.shutdown()
    }
}
