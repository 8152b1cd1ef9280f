import Synchronization

/// Bytes of disk that photos in one piece take which are on their way to a guest. They are no promise of the guest's
/// rows, and without being counted any number of requests could fill the disk at once.
final class ArrivingBytes: Sendable {
    private let total = Mutex<UInt64>(0)

    var byteCount: UInt64 { total.withLock { $0 } }

    func add(_ count: UInt64) { total.withLock { $0 = clampedSum($0, count) } }
    func subtract(_ count: UInt64) { total.withLock { $0 -= min($0, count) } }
}

/// The room of one of them. It grows with what arrives, where nobody announced how much that will be.
final class GuestClaim: Sendable {
    // Not the space itself: a request that has fallen silent would keep its keys in memory.
    private let arriving: ArrivingBytes
    private let limit: UInt64
    private let claimed = Mutex<UInt64>(0)

    /// - Parameter limit: bytes of disk that the guest may use.
    init(in space: OpenVault, limit: UInt64) {
        arriving = space.arriving
        self.limit = limit
    }

    deinit { release() }

    /// - Parameter byteCount: of the content so far.
    /// - Throws: `guestFull`.
    func grow(to byteCount: UInt64, in space: OpenVault) throws {
        let needed = clampedSum(ObjectSize.ofOneRun(content: byteCount), GuestRoom.leastByteCountPerRow)
        let more = claimed.withLock { $0 < needed ? needed - $0 : 0 }
        guard more > 0 else { return }
        arriving.add(more)
        do {
            try space.requireRoomAsGuest(for: 0, limit: limit)
        } catch {
            arriving.subtract(more)
            throw error
        }
        claimed.withLock { $0 += more }
    }

    /// It has come, or it does not come.
    func release() {
        let count = claimed.withLock { claimed in
            defer { claimed = 0 }
            return claimed
        }
        arriving.subtract(count)
    }
}

extension OpenVault {
    /// Whether so much fits beside what a guest has, and what all guests have; vaults are asked elsewhere.
    /// - Throws: `guestFull`.
    func requireRoomAsGuest(for byteCount: UInt64, limit: UInt64? = nil) throws {
        guard isGuest else { return }
        guard clampedSum(usedByteCount, byteCount) <= (try limit ?? engine.byteLimit(of: self)) else {
            throw VaultError.guestFull
        }
        try engine.requireGuestRoom(for: byteCount)
    }
}
