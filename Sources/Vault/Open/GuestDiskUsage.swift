import Bytes
package import Records
package import Store
import Synchronization

/// Bytes of disk that guests take, all together and those of one neighbour. No row says in clear what a guest's object
/// takes, so the files are looked at once, and counted in memory from then on. Whose a space is, only memory knows.
package final class GuestDiskUsage: Sendable {
    /// What a guest's photo counts for each of its rows, beside its file: it takes room and time in the ledger, however
    /// small it is.
    package static let leastByteCountPerRow: UInt64 = 4096
    /// An unfinished upload takes a row, in which stands what its client says of it.
    package static let byteCountPerUpload: UInt64 = 8192

    private struct State {
        /// Open spaces by the id of each.
        var open: [RowID: WeakSpace] = [:]
        var closed: [RowID: Closed] = [:]
        /// Bytes behind rows that name no space.
        var others: UInt64 = 0
    }

    private struct WeakSpace {
        weak var space: OpenVault?
    }

    private struct Closed {
        var byteCount: UInt64
        /// Who had it open last in this run. What stands on the disk does not say it.
        var neighbour: [UInt8]?
        /// Of somebody who came to a door, as far as this run knows.
        var visit: Visit?
    }

    /// The door to which somebody came, and what broke off there.
    struct Visit {
        let door: DoorID
        var underWay: UnderWay
    }

    private let state = Mutex(State())

    package var byteCount: UInt64 { byteCounts(of: nil).all }

    /// Bytes of the spaces that a neighbour has, or had last.
    package func byteCount(of neighbour: [UInt8]) -> UInt64 { byteCounts(of: neighbour).own }

    /// What all take, what those do of whom it is not known that they came to a door, and what a neighbour does, by one
    /// look at the spaces.
    func byteCounts(of neighbour: [UInt8]?) -> (all: UInt64, guests: UInt64, own: UInt64) {
        let (open, closed, others) = state.withLock { state in
            (state.open.values.compactMap(\.space), state.closed, state.others)
        }
        var (all, guests, own) = (others, others, UInt64(0))
        func add(_ byteCount: UInt64, of holder: [UInt8]?, isVisit: Bool) {
            all = clampedSum(all, byteCount)
            if isVisit { return }
            guests = clampedSum(guests, byteCount)
            if let neighbour, holder == neighbour { own = clampedSum(own, byteCount) }
        }
        for space in closed.values { add(space.byteCount, of: space.neighbour, isVisit: space.visit != nil) }
        for space in open where !space.takesNothing {
            add(space.usedByteCount, of: space.neighbour, isVisit: space.door != nil)
        }
        return (all, guests, own)
    }

    /// What has come of such uploads in the open spaces of a door that are meant.
    func underWay(at door: DoorID, where isMeant: (DoorSpace) -> Bool) -> UnderWay {
        let open = state.withLock { $0.open.values.compactMap(\.space) }
        return open.filter { space in
            guard let own = space.door, own.token.id == door, !space.takesNothing else { return false }
            return isMeant(own)
        }.map(\.underWay).reduce(UnderWay(), +)
    }

    /// What has come at a door of uploads that have not ended. A restart forgets of whom nobody has come back since.
    func underWay(at door: DoorID) -> UnderWay {
        let (open, closed) = state.withLock { state in
            (state.open.values.compactMap(\.space), state.closed.values.compactMap(\.visit))
        }
        let broken = closed.filter { $0.door == door }.map(\.underWay)
        let running = open.filter { $0.door?.token.id == door && !$0.takesNothing }.map(\.underWay)
        return (broken + running).reduce(UnderWay(), +)
    }

    /// Blocking. Looks at the file of every guest's object; at start, and after a sweep.
    package func measure(_ store: Store) throws {
        let (rows, uploads) = try store.ledger.readBlocking { reader in
            (
                try reader.guestSpaces(),
                GuestUploadUsage(try reader.metaValue(GuestUploadUsage.metaKey)).byteCount(from: store.today)
            )
        }
        var total = uploads
        var found: [RowID: (byteCount: UInt64, parts: UnderWay)] = [:]
        for space in rows {
            let photos = clampedSum(
                clampedProduct(UInt64(space.rowCount), Self.leastByteCountPerRow),
                Self.byteCount(of: space.objects, store))
            total = clampedSum(total, photos)
            guard let id = space.id.row else { continue }
            let rows = clampedProduct(UInt64(space.parts.count), Self.byteCountPerUpload)
            let parts = Self.byteCount(of: space.parts, store)
            found[id] = (
                [rows, parts].reduce(photos, clampedSum),
                UnderWay(photoCount: UInt64(space.parts.count), byteCount: parts)
            )
        }
        let spaces = state.withLock { $0.open.values.compactMap(\.space) }
        let open = spaces.filter { !$0.takesNothing }.map(\.durableByteCount).reduce(0, clampedSum)
        state.withLock { [total, found] state in
            let closed = found.filter { state.open[$0.key] == nil }
            let named = closed.values.map(\.byteCount).reduce(open, clampedSum)
            let known = state.closed
            state.closed = [:]
            for (id, (byteCount, parts)) in closed {
                var visit = known[id]?.visit
                // Some may have expired.
                visit?.underWay.limit(to: parts)
                state.closed[id] = Closed(byteCount: byteCount, neighbour: known[id]?.neighbour, visit: visit)
            }
            state.others = total - min(total, named)
        }
    }

    /// One that the disk cannot show counts for nothing: it must not keep the daemon from starting.
    private static func byteCount(of objects: [ObjectID], _ store: Store) -> UInt64 {
        objects.reduce(0) { clampedSum($0, (try? store.objects.byteCount(of: $1)) ?? 0) }
    }

    /// A space that is new.
    package func begin(_ space: OpenVault) {
        guard let id = space.space else { return }
        state.withLock { $0.open[id] = WeakSpace(space: space) }
    }

    /// One that was there.
    package func add(_ space: OpenVault) {
        guard let id = space.space else { return }
        let durable = space.durableByteCount
        state.withLock { state in
            let known = state.closed.removeValue(forKey: id)?.byteCount ?? 0
            if durable > known { state.others -= min(state.others, durable - known) }
            state.open[id] = WeakSpace(space: space)
        }
    }

    /// Closed ones that are no more.
    package func forget(_ spaces: [RowID]) { state.withLock { state in for id in spaces { state.closed[id] = nil } } }

    /// Nobody has the space open any more. One that is gone takes nothing.
    func close(_ id: RowID, byteCount: UInt64, neighbour: [UInt8]?, visit: Visit?) {
        // Handed out, because its last reference must not go inside the lock.
        _ = state.withLock { state -> OpenVault? in
            // Another one may have been opened since.
            if let other = state.open[id]?.space { return other }
            state.open[id] = nil
            let closed = Closed(byteCount: byteCount, neighbour: neighbour, visit: visit)
            state.closed[id] = byteCount > 0 ? closed : nil
            return nil
        }
    }
}

extension OpenVault {
    /// Bytes of disk that its photos take; of a guest, rows count too.
    package var storedByteCount: UInt64 { byteCount(of: head) }

    /// Those bytes with what its unfinished uploads take, and with what running requests have room for.
    var usedByteCount: UInt64 {
        [uploads.byteCount, byteCountOfUploadRows, arriving.byteCount].reduce(storedByteCount, clampedSum)
    }

    /// What those bytes will be when all uploads that move on have come to their end.
    var expectedByteCount: UInt64 {
        [uploads.expectedByteCount, byteCountOfUploadRows, arriving.expectedByteCount]
            .reduce(storedByteCount, clampedSum)
    }

    /// What has come of photos that are not there yet.
    var underWay: UnderWay { uploads.underWay + arriving.underWay }

    /// What of a guest would be there after a power cut.
    var durableByteCount: UInt64 {
        [uploads.storedByteCount, byteCountOfUploadRows].reduce(storedByteCount, clampedSum)
    }

    package func byteCount(of head: VaultHead) -> UInt64 {
        guard isGuest else { return head.storedByteCount }
        // Its head is a row as well.
        return clampedSum(
            head.storedByteCount, clampedProduct(clampedSum(head.rowCount, 1), GuestDiskUsage.leastByteCountPerRow))
    }

    /// Bytes that the rows of a guest's uploads count for.
    private var byteCountOfUploadRows: UInt64 {
        isGuest ? clampedProduct(UInt64(uploads.storedCount), GuestDiskUsage.byteCountPerUpload) : 0
    }

    /// Why nothing more is taken.
    var fullError: VaultError { door != nil ? .doorFull : isGuest ? .guestFull : .vaultFull }
}

/// Bytes of disk that unfinished uploads of guests take, each with its row, by the last day on which they are kept. The rows of uploads say
/// to nobody whose they are; after a restart, guests that are not there must count all the same. It is changed together
/// with the rows, so it is right after every power cut.
///
/// A list of day u32 ‖ bytes u64, integers big-endian.
package struct GuestUploadUsage: Equatable, Sendable {
    package static let metaKey = HostMetaKey.guestUploads
    private static let entryByteCount = 12

    private var byteCounts: [UInt32: UInt64] = [:]

    /// What cannot be read counts as nothing: it keeps nobody from anything.
    package init(_ encoded: [UInt8]?) {
        guard let encoded, encoded.count.isMultiple(of: Self.entryByteCount) else { return }
        var reader = ByteReader(encoded)
        while let day = reader.readUInt32(), let byteCount = reader.readUInt64() { byteCounts[day] = byteCount }
    }

    /// Nil for nothing.
    package var encoded: [UInt8]? {
        let entries = byteCounts.sorted { $0.key < $1.key }
        return entries.isEmpty ? nil : entries.flatMap { $0.key.bigEndianBytes + $0.value.bigEndianBytes }
    }

    /// Bytes of the uploads that the sweep has not taken by then.
    package func byteCount(from today: UInt32) -> UInt64 {
        byteCounts.filter { $0.key >= today }.values.reduce(0, clampedSum)
    }

    /// What an upload takes, and the last day on which it is kept.
    package struct Entry: Equatable {
        package var byteCount: UInt64
        package var day: UInt32

        package init(byteCount: UInt64, day: UInt32) {
            self.byteCount = byteCount
            self.day = day
        }
    }

    /// One stands as another from now on; nil for one that is not there.
    package mutating func replace(_ old: Entry?, with new: Entry?, today: UInt32) {
        if let old, let count = byteCounts[old.day] { byteCounts[old.day] = count - min(count, old.byteCount) }
        if let new { byteCounts[new.day] = clampedSum(byteCounts[new.day] ?? 0, new.byteCount) }
        byteCounts = byteCounts.filter { $0.key >= today && $0.value > 0 }
    }
}

extension OpenVault {
    /// Before the row of an unfinished upload is written, kept until then, or removed; counts those of guests only.
    /// - Parameter record: nil when it is removed.
    package func noteUpload(
        _ record: UploadRecord?, at row: RowID, until day: UInt32?, _ transaction: LedgerTransaction
    ) throws {
        guard isGuest else { return }
        // The row says what was counted for it; memory may be ahead of it, or behind.
        let before = try transaction.upload(row).map { stored in
            let opened = stored.body.withUnsafeBytes { try? openUpload($0, id: row) }
            return Self.entry(opened?.0, stored.expiresDay)
        }
        let after = record.flatMap { record in day.map { Self.entry(record, $0) } }
        guard before != after else { return }
        var tally = GuestUploadUsage(try transaction.metaValue(GuestUploadUsage.metaKey))
        tally.replace(before, with: after, today: store.today)
        try transaction.setMetaValue(GuestUploadUsage.metaKey, tally.encoded)
    }

    private static func entry(_ record: UploadRecord?, _ day: UInt32) -> GuestUploadUsage.Entry {
        let runs = record?.runs ?? []
        return GuestUploadUsage.Entry(
            byteCount: clampedSum(runs.isEmpty ? 0 : runs.storedByteCount, GuestDiskUsage.byteCountPerUpload), day: day)
    }
}
