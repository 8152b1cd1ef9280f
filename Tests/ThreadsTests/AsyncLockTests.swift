import TestSupport
import Testing
import Threads

@Suite("A lock that tasks wait for")
struct AsyncLockTests {
    @Test("one at a time, in the order of arrival")
    func lockOrder() async {
        let lock = AsyncLock()
        await lock.acquire()
        let order = Recorder()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await lock.acquire()
                    order.add("\(number)")
                    lock.release()
                }
            }
            lock.release()
        }
        #expect(Set(order.all) == Set((0..<20).map { "\($0)" }))
        #expect(await lock.acquire(within: .zero))
    }

    @Test("whoever has no patience goes without, and the turn is not lost")
    func lockPatience() async {
        let lock = AsyncLock()
        await lock.acquire()
        #expect(await !lock.acquire(within: .milliseconds(1)))
        lock.release()
        #expect(await lock.acquire(within: .milliseconds(1)))
    }

    @Test("a cancelled request leaves the line at once; one that must have its turn gets it")
    func line() async {
        let lock = AsyncLock()
        await lock.acquire()
        let leaving = Task { await lock.acquire(within: .seconds(3600)) }
        let staying = Task { await lock.acquireDespiteCancellation(within: .seconds(3600)) }
        while lock.waitingCount < 2 { await Task.yield() }
        leaving.cancel()
        staying.cancel()
        #expect(await !leaving.value)
        #expect(lock.waitingCount == 1)
        lock.release()
        #expect(await staying.value)
        #expect(lock.waitingCount == 0)
        lock.release()
        #expect(lock.acquireIfFree())
        #expect(!lock.acquireIfFree())
    }
}
