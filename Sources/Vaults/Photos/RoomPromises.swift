import Synchronization

/// Bytes of disk that uploads have announced and not written yet: a new one is refused before its body when it does not
/// fit beside them.
final class RoomPromises: Sendable {
    private let total = Mutex<UInt64>(0)

    var byteCount: UInt64 { total.withLock { $0 } }

    /// Keeps room until the promise is dropped, whether it is there or not.
    func promise(_ byteCount: UInt64) -> RoomPromise { promise(byteCount) { _ in } }

    /// The same where it is there.
    /// - Parameter check: refuses, by throwing, what is then promised in all. Two that ask at once see each other.
    func promise(_ byteCount: UInt64, check: (UInt64) throws -> Void) rethrows -> RoomPromise {
        try total.withLock { total in
            let sum = Self.sum(total, byteCount)
            try check(sum)
            total = sum
        }
        return RoomPromise(byteCount, self)
    }

    fileprivate func replace(_ old: UInt64, with new: UInt64) {
        total.withLock { $0 = Self.sum($0 - min($0, old), new) }
    }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// The room of one upload.
final class RoomPromise: Sendable {
    /// Of the finished object.
    let byteCount: UInt64
    private let remaining: Mutex<UInt64>
    private let promises: RoomPromises

    fileprivate init(_ byteCount: UInt64, _ promises: RoomPromises) {
        self.byteCount = byteCount
        self.promises = promises
        remaining = Mutex(byteCount)
    }

    deinit { promises.replace(remaining.withLock { $0 }, with: 0) }

    /// So much of it is written now; less than before when something was thrown away.
    func note(written: UInt64) {
        remaining.withLock { remaining in
            let left = byteCount - min(byteCount, written)
            promises.replace(remaining, with: left)
            remaining = left
        }
    }
}
