import Synchronization

/// What was read of a library, and the listing number under which it holds.
final class ListingMemory<Value: Sendable>: Sendable {
    private let known = Mutex<(listing: UInt64, value: Value)?>(nil)

    /// Nil when something else may be listed now.
    func value(at listing: UInt64) -> Value? {
        known.withLock { known in known.flatMap { $0.listing == listing ? $0.value : nil } }
    }

    func note(_ value: Value, at listing: UInt64) { known.withLock { $0 = (listing, value) } }
}
