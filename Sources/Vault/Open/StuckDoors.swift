package import Records
import Synchronization

/// Doors through which something came that could not move into their vault, and why. In memory alone: each opening tries
/// again.
package final class StuckDoors: Sendable {
    private struct State {
        var reasons: [DoorName: VaultError] = [:]
        var retry: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    package init() {}

    package func note(_ reason: VaultError, at door: DoorName) { state.withLock { $0.reasons[door] = reason } }

    package func clear(_ door: DoorName) { state.withLock { $0.reasons[door] = nil } }

    package func reason(at door: DoorName) -> VaultError? { state.withLock { $0.reasons[door] } }

    /// What `wake` does while something is stuck.
    package func retry(by action: @escaping @Sendable () -> Void) { state.withLock { $0.retry = action } }

    /// There may be room now.
    package func wake() { state.withLock { $0.reasons.isEmpty ? nil : $0.retry }?() }
}
