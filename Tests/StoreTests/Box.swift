import Synchronization

/// A value that closures on other threads may set.
final class Box<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    init(_ value: Value) { stored = Mutex(value) }

    var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { stored.withLock { body(&$0) } }
}
