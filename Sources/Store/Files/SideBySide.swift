import Dispatch
import Synchronization
import Threads

/// Works on items with several threads at once, for places that answer late: while one waits, others send.
enum SideBySide {
    private final class Shared<Item: Sendable, R: Sendable>: Sendable {
        struct State {
            var next = 0
            var done: [(item: Item, result: Result<R, any Error>)] = []
        }

        let items: [Item]
        let state = Mutex(State())
        let ready = DispatchSemaphore(value: 0)

        init(_ items: [Item]) { self.items = items }

        func take() -> Item? {
            state.withLock { state in
                guard state.next < items.count else { return nil }
                state.next += 1
                return items[state.next - 1]
            }
        }

        func put(_ item: Item, _ result: Result<R, any Error>) {
            state.withLock { $0.done.append((item, result)) }
            ready.signal()
        }

        /// Waits for the next that is done.
        func wait() -> (item: Item, result: Result<R, any Error>) {
            ready.wait()
            return state.withLock { $0.done.removeFirst() }
        }

        /// What has not begun yet does not begin any more.
        func stop() { state.withLock { $0.next = items.count } }
    }

    /// Blocking. All work has ended on return, also by an error.
    /// - Parameters:
    ///   - threads: with one, everything runs on the calling thread
    ///   - worker: makes what a thread works with; its number is below `threads`
    ///   - each: gets every result on the calling thread, in the order in which they come
    static func run<Item: Sendable, R: Sendable>(
        _ items: [Item], threads: Int, worker: @escaping @Sendable (_ number: Int) -> (Item) throws -> R,
        each: (Item, R) throws -> Void
    ) throws {
        guard threads > 1, items.count > 1 else {
            let work = worker(0)
            for item in items { try each(item, try work(item)) }
            return
        }
        let shared = Shared<Item, R>(items)
        let threads = min(threads, items.count)
        let pool = BlockingPool(name: "copy", threads: threads)
        let workers = (0..<threads).map { number in
            pool.start {
                let work = worker(number)
                while let item = shared.take() {
                    let result = Result { try work(item) }
                    if case .failure = result { shared.stop() }
                    shared.put(item, result)
                }
            }
        }
        let outcome = Result {
            for _ in items {
                let (item, result) = shared.wait()
                try each(item, try result.get())
            }
        }
        shared.stop()
        for worker in workers { _ = worker.waitForResult() }
        try outcome.get()
    }
}
