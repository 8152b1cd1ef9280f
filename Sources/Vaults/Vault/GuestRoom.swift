import Store
import Synchronization

/// Bytes of disk that all guests take together. No row says in clear what a guest's object takes, so the files are
/// looked at once, and counted in memory from then on.
final class GuestRoom: Sendable {
    /// What a guest's photo counts for each of its rows, beside its file: it takes room and time in the ledger, however
    /// small it is.
    static let leastByteCountPerRow: UInt64 = 4096
    /// An unfinished upload takes a row, in which stands what its client says of it.
    static let byteCountPerUpload: UInt64 = 8192

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
            (state.open.values.compactMap(\.space), state.closed.values.reduce(state.others, clampedSum))
        }
        // One that moved or was deleted may be held by a request for a while.
        return spaces.filter { !$0.hasEnded }.map(\.usedByteCount).reduce(rest, clampedSum)
    }

    /// Blocking. Looks at the file of every guest's object; at start, and after a sweep.
    func measure(_ store: Store) throws {
        var objects: [ObjectID] = []
        var total: UInt64 = 0
        try store.ledger.readBlocking { reader in
            try reader.forEachGuestObject { objects.append($0) }
            let rows = UInt64(try reader.rowCount(in: .guest(expiresDay: 0)))
            let uploads = GuestUploadTally(try reader.metaValue(GuestUploadTally.metaKey)).byteCount(from: store.today)
            total = clampedSum(clampedProduct(rows, Self.leastByteCountPerRow), uploads)
        }
        // One that the disk cannot show counts for nothing: it must not keep the daemon from starting.
        total = objects.reduce(total) { clampedSum($0, (try? store.objects.byteCount(of: $1)) ?? 0) }
        let spaces = state.withLock { $0.open.values.compactMap(\.space) }
        let open = spaces.filter { !$0.hasEnded }.map(\.durableByteCount).reduce(0, clampedSum)
        state.withLock { state in
            state.closed = [:]
            state.others = total - min(total, open)
        }
    }

    /// A space that is new.
    func begin(_ space: OpenVault) { state.withLock { $0.open[space.uid] = WeakSpace(space: space) } }

    /// One that was there.
    func add(_ space: OpenVault) {
        let durable = space.durableByteCount
        state.withLock { state in
            if state.closed.removeValue(forKey: space.uid) == nil { state.others -= min(state.others, durable) }
            state.open[space.uid] = WeakSpace(space: space)
        }
    }

    /// Closed ones that are no more.
    func forget(_ uids: [[UInt8]]) { state.withLock { state in for uid in uids { state.closed[uid] = nil } } }

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
}

func clampedSum(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
}

func clampedProduct(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? .max : product
}

extension OpenVault {
    /// Bytes of disk that its photos take; of a guest, rows count too.
    var storedByteCount: UInt64 { byteCount(of: head) }

    /// The same with what its unfinished uploads take, and with what running requests have room for.
    var usedByteCount: UInt64 {
        [uploads.byteCount, byteCountOfUploadRows, arriving.byteCount].reduce(storedByteCount, clampedSum)
    }

    /// The same when all that move on have come to their end.
    var expectedByteCount: UInt64 {
        [uploads.expectedByteCount, byteCountOfUploadRows, arriving.expectedByteCount]
            .reduce(storedByteCount, clampedSum)
    }

    /// Of a guest: what would be there after a power cut.
    var durableByteCount: UInt64 {
        [uploads.storedByteCount, byteCountOfUploadRows].reduce(storedByteCount, clampedSum)
    }

    func byteCount(of head: VaultHead) -> UInt64 {
        guard isGuest else { return head.storedByteCount }
        // Its head is a row as well.
        return clampedSum(
            head.storedByteCount, clampedProduct(clampedSum(head.rowCount, 1), GuestRoom.leastByteCountPerRow))
    }

    /// Of a guest.
    private var byteCountOfUploadRows: UInt64 {
        isGuest ? clampedProduct(UInt64(uploads.storedCount), GuestRoom.byteCountPerUpload) : 0
    }

    /// Why nothing more is taken.
    var fullError: VaultError { isGuest ? .guestFull : .vaultFull }
}
