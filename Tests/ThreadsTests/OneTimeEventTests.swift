import Testing
import Threads

@Suite("An event that happens once")
struct OneTimeEventTests {
    @Test("all who wait are woken, and so is whoever comes later")
    func happening() async {
        let event = OneTimeEvent()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await event.wait() } }
            while event.waitingCount < 10 { await Task.yield() }
            event.happen()
        }
        #expect(event.waitingCount == 0)
        await event.wait()
        event.happen()
    }

    @Test("whoever is cancelled stops waiting, and nothing is left of it")
    func cancellation() async {
        let event = OneTimeEvent()
        let waiting = Task { await event.wait() }
        while event.waitingCount < 1 { await Task.yield() }
        waiting.cancel()
        await waiting.value
        #expect(event.waitingCount == 0)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await event.wait()
        }
        await late.value
        #expect(event.waitingCount == 0)
    }

    @Test("an event that happens while others begin to wait, or stop, loses nobody")
    func race() async {
        for _ in 0..<300 {
            let event = OneTimeEvent()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let waiting = Task { await event.wait() }
                        if number.isMultiple(of: 3) { waiting.cancel() }
                        await waiting.value
                    }
                }
                group.addTask { event.happen() }
            }
            #expect(event.waitingCount == 0)
        }
    }
}
