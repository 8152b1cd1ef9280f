import Bytes
import Threads

/// What the ledger lists and what the bucket has, compared both ways by one list of the bucket.
///
/// A store may lose an object after it has said that it has it. While this disk still has the file, it is put again; what
/// neither has is told. What the bucket has and nothing lists is for `StrayObjects`.
struct BucketComparison {
    /// What is beyond that is noted once these are gone.
    private static let mostStrays = 2000

    /// Objects that the bucket did not have, or had cut off, although the ledger lists them.
    struct Losses: Sendable, Equatable {
        var lost = 0
        /// Of these: put again from here.
        var mended = 0
    }

    struct Differences {
        /// The bucket has them, and nothing lists them.
        var strays: [ObjectID] = []
        /// The ledger lists them, and the list of the bucket does not, or with fewer bytes than here.
        var suspects: [ObjectID] = []
    }

    private struct Shard {
        let number: UInt8
        let known: Set<ObjectID>
        var unseen: Set<ObjectID>
    }

    let remote: any RemoteObjects
    let objects: ObjectTier
    let ledger: Ledger
    /// Throws when nobody wants it any more.
    let requireWanted: @Sendable () throws -> Void

    /// Blocking. The list is in the order of names as a rule; in any other it only takes longer.
    func differences() throws -> Differences {
        var found = Differences()
        var (shard, done): (Shard?, Set<UInt8>) = (nil, [])
        func finish() {
            guard let finished = shard else { return }
            found.suspects += finished.unseen
            done.insert(finished.number)
        }
        try remote.list(StoreLayout.objects + "/") { name, byteCount in
            try requireWanted()
            guard let id = ObjectID(at: name, by: LogNames.object) else { return }
            let number = UInt8(truncatingIfNeeded: id.high >> 56)
            if shard?.number != number {
                finish()
                shard = try self.shard(number)
            }
            if shard?.unseen.remove(id) != nil {
                if let here = try objects.byteCountHere(of: id), here > byteCount { found.suspects.append(id) }
            } else if shard?.known.contains(id) != true, found.strays.count < Self.mostStrays {
                found.strays.append(id)
            }
        }
        finish()
        for number in UInt8.min...UInt8.max where !done.contains(number) {
            found.suspects += try self.shard(number).unseen
        }
        return found
    }

    private func shard(_ number: UInt8) throws -> Shard {
        let live = try ledger.readBlocking { try $0.liveObjects(inShard: number) }
        return Shard(number: number, known: live.objects.union(live.parts), unseen: live.objects)
    }

    /// Blocking. Asks for each by itself, since lists may be behind, and puts again what is here.
    func mend(_ suspects: [ObjectID]) throws -> Losses {
        var losses = Losses()
        for id in suspects {
            try requireWanted()
            let here = try objects.byteCountHere(of: id) ?? 0
            switch try objects.putAgain(id, isCutOff: { $0 < here }, while: { try isListed(id) }) {
            case .isThere: break
            case .mended: (losses.lost, losses.mended) = (losses.lost + 1, losses.mended + 1)
            case .isLost: losses.lost += 1
            }
        }
        return losses
    }

    /// It may have been deleted since the list was read.
    private func isListed(_ id: ObjectID) throws -> Bool {
        try ledger.readBlocking { try $0.isLive(id) }
    }
}

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
