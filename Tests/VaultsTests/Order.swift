import Synchronization

/// Names in the order in which things happened.
final class Order: Sendable {
    private let kept = Mutex<[String]>([])
    var names: [String] { kept.withLock { $0 } }
    func add(_ name: String) { kept.withLock { $0.append(name) } }
}
