import Records
import Synchronization

/// Bytes of disk that running uploads may still write before they ask again. What somebody announces, and does not
/// send, takes nothing: room is kept for what has come, and for a little more while its request runs.
package final class SpaceReservations: Sendable {
    private let total = Mutex<UInt64>(0)

    package init() {}

    package var byteCount: UInt64 { total.withLock { $0 } }

    /// Room for one request; none yet beyond what is there.
    /// - Parameter written: of its object.
    package func reserve(beyond written: UInt64 = 0) -> SpaceReservation { SpaceReservation(written, self) }

    /// - Parameter check: refuses, by throwing, what is then promised in all. Two that ask at once see each other.
    fileprivate func replace(_ old: UInt64, with new: UInt64, check: (UInt64) throws -> Void) rethrows {
        try total.withLock { total in
            let sum = clampedSum(total - min(total, old), new)
            try check(sum)
            total = sum
        }
    }
}

/// The room of one request. It goes when this is dropped.
package final class SpaceReservation: Sendable {
    private struct State {
        var covered: UInt64
        var written: UInt64
        var content: UInt64 = 0

        var ahead: UInt64 { covered - min(covered, written) }
    }

    private let state: Mutex<State>
    private let reservations: SpaceReservations

    fileprivate init(_ written: UInt64, _ reservations: SpaceReservations) {
        state = Mutex(State(covered: written, written: written))
        self.reservations = reservations
    }

    deinit { reservations.replace(state.withLock { $0.ahead }, with: 0) { _ in } }

    /// How large its object may become, as far as there is room for it.
    package var byteCount: UInt64 { state.withLock { $0.covered } }

    /// How much of the content that is, where somebody counts by it.
    package var contentByteCount: UInt64 { state.withLock { $0.content } }
    package func note(content byteCount: UInt64) { state.withLock { $0.content = byteCount } }

    /// From now on the object may become so large.
    /// - Parameter check: as above.
    package func cover(_ byteCount: UInt64, check: (UInt64) throws -> Void) rethrows {
        try state.withLock { state in
            var next = state
            next.covered = max(next.covered, byteCount)
            try reservations.replace(state.ahead, with: next.ahead, check: check)
            state = next
        }
    }

    /// No larger than that, after all.
    package func uncover(to byteCount: UInt64) { change { $0.covered = min($0.covered, byteCount) } }

    /// So much of it is written now; less than before when something was thrown away.
    package func note(written: UInt64) { change { $0.written = written } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            let before = state.ahead
            body(&state)
            reservations.replace(before, with: state.ahead) { _ in }
        }
    }
}
