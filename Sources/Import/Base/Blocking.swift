import Dispatch
import Synchronization

/// Waits for asynchronous work. To be called on a thread that may block, never on one of the cooperative pool.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let answer = OneAnswer<Value>()
    let isThere = DispatchSemaphore(value: 0)
    Task {
        answer.put(await work())
        isThere.signal()
    }
    isThere.wait()
    guard let value = answer.value else { preconditionFailure("The answer is put before it is said to be there.") }
    return value
}

private final class OneAnswer<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    var value: Value? { kept.withLock { $0 } }

    func put(_ value: Value) { kept.withLock { $0 = value } }
}
