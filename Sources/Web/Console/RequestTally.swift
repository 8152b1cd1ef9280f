import HTTPTypes
import Synchronization

/// Counts answered requests by the kind of their status. Of all of them together: nothing here is per vault.
package final class RequestTally: Sendable {
    private let counts = Mutex<[Int: UInt64]>([:])

    package init() {}

    /// How many requests were answered, by the first digit of the status, 1 to 5.
    package var countsByKind: [Int: UInt64] { counts.withLock { $0 } }

    func note(_ status: HTTPResponse.Status) {
        counts.withLock { $0[min(max(status.code / 100, 1), 5), default: 0] += 1 }
    }
}
