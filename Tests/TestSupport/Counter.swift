import Synchronization

/// Counts across tasks.
package final class Counter: Sendable {
    private let counted = Mutex(0)

    package init() {}

    package var count: Int { counted.withLock { $0 } }

    package func add() { counted.withLock { $0 += 1 } }
}

/// Notes across tasks, in order.
package final class Recorder: Sendable {
    private let noted = Mutex<[String]>([])

    package init() {}

    package var all: [String] { noted.withLock { $0 } }

    package func add(_ note: String) { noted.withLock { $0.append(note) } }
}
