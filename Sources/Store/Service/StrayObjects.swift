import Bytes
import Threads

/// Objects in the bucket that nothing lists, such as those of a process that ended before their entry. They go as files in
/// quarantine do: 30 days after they were found, for a vault whose rows name one lists it again when it is opened.
///
/// None that may be listed yet is removed, by this host or another one: an entry of the log dooms it first. That entry
/// stands only while nobody else has taken over, so everything that was found before it was put by this host or one
/// before it. What a take-over finds may be the photo of an entry that the bucket has lost, and stays until somebody
/// decides. This host dooms nothing that is on its way, and one that had the log before and takes it back drops the
/// unfinished upload that a doomed object belongs to (`LogReplay`).
struct StrayObjects {
    enum Finder {
        case daily
        case takeOver
        /// Somebody has decided that what a take-over found may go.
        case takeOverWithout
    }

    /// The day of what stays until somebody decides.
    private static let never = UInt32.max

    let objects: ObjectTier
    let ledger: Ledger
    /// Of what is found now.
    let firstDay: UInt32
    /// Nil while the clock is not trusted: nothing goes then.
    let today: UInt32?
    var finder = Finder.daily

    /// Blocking. Notes those that were found, and dooms those whose days are over. May be cut off anywhere.
    /// - Returns: how many were doomed, and how many stay.
    func doomExpired(_ found: [ObjectID]) throws -> (doomed: Int, kept: Int) {
        let noted = try notedDays()
        guard !found.isEmpty || !noted.isEmpty else { return (0, 0) }
        let outcome = StartedWork<(doomed: Int, kept: Int)>()
        try ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { [objects, today] transaction, _ in
                var kept: [ObjectID: UInt32] = [:]
                var count = 0
                for id in found where try !objects.isOnItsWay(id) && !transaction.accountsFor(id) {
                    let day = self.day(noted[id])
                    if let today, UInt64(day) + UInt64(Expiry.quarantineDays) < UInt64(today) {
                        try transaction.doomObject(id)
                        count += 1
                    } else {
                        kept[id] = day
                    }
                }
                if kept != noted {
                    try transaction.setMetaValue(LedgerSchema.MetaKey.strayObjects, Self.bytes(of: kept))
                }
                outcome.fulfil(.success((count, kept.count)))
            })
        return try outcome.waitForResult().get()
    }

    private func day(_ noted: UInt32?) -> UInt32 {
        switch finder {
        case .daily: noted ?? firstDay
        case .takeOver: Self.never
        case .takeOverWithout: noted == Self.never ? firstDay : noted ?? firstDay
        }
    }

    private func notedDays() throws -> [ObjectID: UInt32] {
        let bytes = try ledger.readBlocking { try $0.metaValue(LedgerSchema.MetaKey.strayObjects) } ?? []
        var reader = ByteReader(bytes)
        var days: [ObjectID: UInt32] = [:]
        while let id = reader.read(ObjectID.byteCount).flatMap({ ObjectID(bytes: $0) }), let day = reader.readUInt32() {
            days[id] = day
        }
        return days
    }

    private static func bytes(of days: [ObjectID: UInt32]) -> [UInt8] {
        days.sorted { $0.key < $1.key }.flatMap { $0.key.bytes + $0.value.bigEndianBytes }
    }
}
