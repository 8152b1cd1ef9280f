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
