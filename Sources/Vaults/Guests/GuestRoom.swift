import Store
import Synchronization

/// Bytes of disk that all guests take together. No row says in clear what a guest's object takes, so the files are
/// looked at once, and counted in memory from then on.
final class GuestRoom: Sendable {
    /// A photo takes a file and some rows, however small it is.
    static let leastByteCountPerRow: UInt64 = 4096

    private struct State {
        var open: [[UInt8]: WeakSpace] = [:]
        /// Of spaces that were open since the last look.
        var closed: [[UInt8]: UInt64] = [:]
        /// Of those that were not.
        var others: UInt64 = 0
    }

    private struct WeakSpace {
        weak var space: OpenVault?
    }

    private let state = Mutex(State())

    var byteCount: UInt64 {
        let (spaces, rest) = state.withLock { state in
            (state.open.values.compactMap(\.space), state.closed.values.reduce(state.others, Self.sum))
        }
        return spaces.map(\.usedByteCount).reduce(rest, Self.sum)
    }

    /// Blocking. Looks at the file of every guest's object; at start, and after a sweep.
    func measure(_ store: Store) throws {
        var objects: [ObjectID] = []
        try store.ledger.readBlocking { try $0.forEachGuestObject { objects.append($0) } }
        let total = try objects.reduce(0) { total, object in
            Self.sum(total, (try store.objects.byteCount(of: object) ?? 0) + Self.leastByteCountPerRow)
        }
        let spaces = state.withLock { $0.open.values.compactMap(\.space) }
        let open = spaces.map(\.storedByteCount).reduce(0, Self.sum)
        state.withLock { state in
            state.closed = [:]
            state.others = total - min(total, open)
        }
    }

    func add(_ space: OpenVault) {
        let stored = space.storedByteCount
        state.withLock { state in
            if state.closed.removeValue(forKey: space.uid) == nil { state.others -= min(state.others, stored) }
            state.open[space.uid] = WeakSpace(space: space)
        }
    }

    /// Nobody has the space open any more. One that is gone takes nothing.
    func close(_ uid: [UInt8], byteCount: UInt64) {
        // Handed out, because its last reference must not go inside the lock.
        _ = state.withLock { state -> OpenVault? in
            // Another one may have been opened since.
            if let other = state.open[uid]?.space { return other }
            state.open[uid] = nil
            state.closed[uid] = byteCount > 0 ? byteCount : nil
            return nil
        }
    }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension OpenVault {
    /// Bytes of disk that its photos take; of a guest, rows count too.
    var storedByteCount: UInt64 {
        let head = head
        guard isGuest else { return head.storedByteCount }
        let rows = head.rowCount.multipliedReportingOverflow(by: GuestRoom.leastByteCountPerRow)
        let (sum, overflow) = head.storedByteCount.addingReportingOverflow(rows.partialValue)
        return overflow || rows.overflow ? .max : sum
    }

    /// The same with what its unfinished uploads will take.
    var usedByteCount: UInt64 {
        let (sum, overflow) = storedByteCount.addingReportingOverflow(uploads.promisedByteCount)
        return overflow ? .max : sum
    }

    /// Why nothing more is taken.
    var fullError: VaultError { isGuest ? .guestFull : .vaultFull }
}
