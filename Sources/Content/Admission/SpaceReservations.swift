import Glibc
package import Records
package import Store
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

/// What the disk has. Looking there may block, so a small upload goes by the last look when that one was a moment ago
/// and saw far more room than anybody can have written since.
package final class DiskSpace: Sendable {
    package struct Look: Sendable {
        /// Free for objects.
        package var roomByteCount: UInt64
        /// Size of the file system.
        package var totalByteCount: UInt64

        /// - Throws: `diskFull`.
        package func require(_ byteCount: UInt64) throws(VaultError) {
            guard roomByteCount >= byteCount else { throw .diskFull }
        }

        /// For a look of a moment ago.
        /// - Throws: `diskFull` also when somebody may have taken the room since.
        package func requirePlenty(for byteCount: UInt64) throws(VaultError) {
            guard roomByteCount >= DiskSpace.margin, roomByteCount - DiskSpace.margin >= byteCount else {
                throw .diskFull
            }
        }
    }

    /// More than a disk takes in `validity`.
    fileprivate static let margin: UInt64 = 16 << 30
    private static let validity: Duration = .seconds(1)

    private let path: String
    private let reserve: DiskReserve
    private let last = Mutex<(look: Look, at: ContinuousClock.Instant)?>(nil)

    package init(path: String, reserve: DiskReserve) {
        self.path = path
        self.reserve = reserve
    }

    /// Blocking.
    package func look() throws -> Look {
        let look = Look(roomByteCount: try reserve.roomByteCount(), totalByteCount: try Self.totalByteCount(path))
        last.withLock { $0 = (look, .now) }
        return look
    }

    /// The last look, unless it is too long ago to tell anything.
    package var recentLook: Look? {
        guard let (look, time) = last.withLock({ $0 }), ContinuousClock.now - time < Self.validity else { return nil }
        return look
    }

    package static func totalByteCount(_ path: String) throws(VaultError) -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw VaultError(StoreError.failure("statvfs", errno)) }
        return UInt64(status.f_blocks) * UInt64(status.f_frsize)
    }
}
