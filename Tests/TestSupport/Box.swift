import Synchronization

/// A value that closures on other threads may set.
package final class Box<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    package init(_ value: Value) { stored = Mutex(value) }

    package var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    package func change(_ body: (inout Value) -> Void) { stored.withLock { body(&$0) } }
}
