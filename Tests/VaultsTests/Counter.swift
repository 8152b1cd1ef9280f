import Synchronization

/// Counts across tasks.
final class Counter: Sendable {
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func add() { counted.withLock { $0 += 1 } }
}

/// Notes across tasks, in order.
final class Recorder: Sendable {
    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock { $0 } }

    func add(_ note: String) { noted.withLock { $0.append(note) } }
}
