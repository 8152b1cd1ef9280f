import Bytes
internal import GRDB

/// Brings a ledger that has just been opened to where the bucket's log ends, and makes this data directory the one that
/// writes there, by a seal under the next number. Before anything is put in order here: what the log tells decides which
/// files belong to the store.
struct TierOpening {
    let tier: TierConfiguration
    let pool: DatabasePool
    let slots: SlotTable
    let objects: ObjectTier
    /// Of the header: whose bucket it is.
    let hostSalt: [UInt8]

    /// By how many numbers a host that takes over gets before one that writes meanwhile.
    private static let lead: UInt64 = 64

    /// - Returns: the log; where it has entries of changes that failed, this ledger stands before the first of them, and
    ///   they are to be taken back (`LogWriting.settle`)
    /// - Throws: `unusable` where another host writes there, or another data directory's log is there;
    ///   `bucketUnreachable`
    func join() throws -> LedgerLog {
        try ObjectTier.reaching {
            let start: LogMark
            if let known = try mark() {
                try TierOrigin.require(hostSalt, in: tier.remote)
                start = known
            } else {
                start = try begin()
            }
            let writer = try writer()
            var refused: [RefusedEntry] = []
            let sealed: LogMark
            switch tier.intent {
            case .goOn:
                (sealed, refused) = try goOn(from: start, as: writer)
            // Another host has gone on with whatever stood there.
            case .takeOver: sealed = try takeOver(from: start, as: writer)
            }
            // The place of one that stands before what failed is that one's, until all of it is taken back.
            if refused.isEmpty {
                try pool.write { database in
                    try LogReplay.set(sealed, database)
                    try database.run("DELETE FROM meta WHERE key = ?", [.text(LedgerSchema.MetaKey.logRefused)])
                }
            }
            try pool.writeWithoutTransaction { try ChangedRows.watch($0) }
            return LedgerLog(tier.remote, mark: sealed, undone: refused)
        }
    }

    /// Entries at the end of this writer's log whose changes failed, as was noted here, and which nothing has taken back:
    /// every entry does that with those before it. None where somebody else has gone on from there.
    private func refusedEntries(from start: LogMark, as writer: LogWriterID) throws -> [RefusedEntry] {
        let noted = RefusedEntry.entries(try pool.read { try Self.meta(LedgerSchema.MetaKey.logRefused, $0) } ?? [])
        guard !noted.isEmpty else { return [] }
        var standing: [RefusedEntry] = []
        var mark = start
        let walk = LogWalk(remote: tier.remote)
        while mark.writer == writer,
            let next = try walk.step(
                from: mark,
                { entry, _ in
                    guard entry.header.kind == .changes else { return }
                    let position = entry.header.position
                    let found = noted.filter { $0.position == position }
                    let digest = try found.isEmpty ? nil : tier.remote.look(at: LogNames.entry(position))?.digest
                    standing = found.filter { $0.digest == digest }
                })
        {
            mark = next
        }
        return mark.writer == writer ? standing : []
    }

    // MARK: Where it stands

    static func goesAlong(_ pool: DatabasePool) throws -> Bool {
        try pool.read { try Self.meta(LedgerSchema.MetaKey.logPosition, $0) } != nil
    }

    private func mark() throws -> LogMark? {
        try pool.read(Self.place).mark
    }

    private static func meta(_ key: String, _ database: Database) throws -> [UInt8]? {
        try database.blob("SELECT value FROM meta WHERE key = ?", [.text(key)])
    }

    /// Who this data directory is as a writer. Another one with each take-over, noted here before it is in the bucket: who is
    /// cut off in between is not taken for somebody else.
    private func writer() throws -> LogWriterID {
        if tier.intent == .goOn, let known = try pool.read(Self.place).writer { return known }
        let drawn = LogWriterID.random()
        try note(drawn)
        return drawn
    }

    private func note(_ writer: LogWriterID) throws {
        try pool.write { database in
            try database.run(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [.text(LedgerSchema.MetaKey.logWriter), .blob(writer.bytes)])
            try JoinedLedger.note(writer, database)
        }
    }

    /// - Parameter refused: what is passed over; from there on the place in the log is not noted
    private func catchUp(
        from start: LogMark, upTo end: LogPosition = LogPosition(epoch: .max, number: 0), of writer: LogWriterID? = nil,
        without refused: [RefusedEntry] = []
    ) throws -> LogMark {
        let (walk, replay) = (LogWalk(remote: tier.remote), LogReplay(pool: pool, slots: slots))
        do {
            var mark = start
            while mark.position < end, writer == nil || mark.writer == writer,
                let next = try walk.step(
                    from: mark,
                    { entry, mark in
                        let isBefore = refused.allSatisfy { entry.header.position < $0.position }
                        if isBefore { try replay.apply(entry, mark) }
                    })
            {
                mark = next
            }
            return mark
        } catch is LogWalk.Gap {
            throw try isAhead(of: start) ? Self.ahead : Self.tooOld
        }
    }

    /// Whether an epoch ended in the bucket at an entry that is known here as another one: an entry is there before it
    /// counts here, so the bucket has lost it.
    private func isAhead(of start: LogMark) throws -> Bool {
        guard let seal = try tier.remote.seal(of: start.position.epoch) else { return false }
        return seal <= start.position.number
    }

    static let ahead = StoreError.unusable(
        "This data directory knows changes that the bucket's log does not: the bucket has lost its last entries, or was set "
            + "back, and another host has taken over without them. What was saved last is on this disk alone: keep it, export "
            + "its vaults (safelight export), and send what the other host lacks. Nothing was changed.")

    static let tooOld = StoreError.unusable(
        "This data directory is older than what the bucket's log still tells. Move it away, and run safelight take-over "
            + "with an empty one. If that one says the same, an entry of the log is missing in the bucket: start the host "
            + "that wrote there last, and leave it running for a day.")

    /// Up to where the log stands in a ledger, and who its data directory is as a writer.
    static func place(_ database: Database) throws -> (mark: LogMark?, writer: LogWriterID?) {
        (
            LogMark(bytes: try meta(LedgerSchema.MetaKey.logPosition, database)),
            try meta(LedgerSchema.MetaKey.logWriter, database).flatMap { LogWriterID(bytes: $0) }
        )
    }

    /// To go on: everything is known here first, and only where the last seal is this data directory's own.
    /// - Returns: the beginning of the epoch that is ours, and what `refusedEntries` says.
    private func goOn(from start: LogMark, as writer: LogWriterID) throws -> (LogMark, [RefusedEntry]) {
        var mark = start
        while true {
            let list = try LogList(tier.remote)
            let refused = try refusedEntries(from: mark, as: writer)
            let end = try catchUp(from: mark, of: writer, without: refused)
            guard end.writer == writer else {
                throw StoreError.unusable(
                    "Another host has taken over what this data directory had in the bucket, and saves there now. Nothing "
                        + "was changed. Use that host; or stop it, and run safelight take-over on this one.")
            }
            switch try LogHole(remote: tier.remote).look(behind: end, list) {
            case .hole: throw LogHole.found(at: end.position.next)
            case .more:
                if refused.isEmpty { mark = end }
                continue
            case .end: break
            }
            let position = end.position.next
            if try put(.seal(at: position, by: writer)) {
                _ = try LedgerLog.markEnd(of: position.epoch, at: position.number, in: tier.remote)
                return (LogMark(position.nextEpoch, writer), refused)
            }
            // What a run before has left on the line, or another host after all.
            if refused.isEmpty { mark = end }
        }
    }

    /// To take over: the seal first, for whoever writes there may be faster than this host can follow. A seal that was put
    /// behind another one counts for nothing: following from here shows which is the first.
    /// - Returns: the beginning of the epoch that is ours.
    private func takeOver(from start: LogMark, as writer: LogWriterID) throws -> LogMark {
        // Where that cannot be followed from here, nobody is shut out for nothing.
        var mark = try followed(from: start)
        while true {
            // Somewhat ahead first: whoever writes faster than this host can ask comes no further. Then the first free number:
            // of several seals in an epoch the first one counts. It is looked for from where the log was followed to, for
            // a take-over that broke off may have left a seal ahead of the end, which is the last that lists name then.
            let ahead = try LogList(tier.remote).next(behind: mark.position)
            var position = ahead.epoch == mark.position.epoch ? mark.position.next : ahead
            var limit = LogPosition(epoch: ahead.epoch, number: ahead.number + Self.lead)
            while try !put(.seal(at: limit, by: writer)) { limit.number += Self.lead }
            while try position < limit && !put(.seal(at: position, by: writer)) { position = position.next }
            mark = try catchUp(from: mark)
            guard mark == LogMark(position.nextEpoch, writer) else { continue }
            guard try tier.remote.look(at: LogNames.end(of: position.epoch)) != nil else {
                throw StoreError.bucketUnreachable("The end of an epoch could not be marked. Run this again.")
            }
            return mark
        }
    }

    /// As far as the log went when this began, so that it ends however fast somebody writes.
    /// - Throws: `unusable` where an entry is missing before that
    private func followed(from start: LogMark) throws -> LogMark {
        let list = try LogList(tier.remote)
        let end = list.next(behind: start.position)
        var mark = start
        while true {
            mark = try catchUp(from: mark, upTo: end)
            switch try LogHole(remote: tier.remote).look(behind: mark, list) {
            case .end: return mark
            case .more: continue
            // In an epoch that has ended there is no place for a seal.
            case .hole where tier.mayLose && list.entries.allSatisfy({ $0.epoch <= mark.position.epoch }): return mark
            case .hole: throw LogHole.found(at: mark.position.next)
            }
        }
    }

    /// False where another entry has that number.
    private func put(_ seal: LogEntryBody) throws -> Bool {
        let name = LogNames.entry(seal.position)
        guard try tier.remote.putFirst(name, byteCount: seal.byteCount, read: seal.read(into:at:)) == .stands else {
            return false
        }
        return true
    }

    // MARK: The first time

    /// A data directory that begins to go along: its objects are in the bucket before anything is said of them.
    private func begin() throws -> LogMark {
        try Self.requireNoBackup(in: tier.remote)
        let live = try objectIDs()
        guard tier.intent == .takeOver || live.isEmpty else {
            throw StoreError.unusable(
                "There are photos here that are not in the bucket yet. Run safelight take-over once: it puts them there, and "
                    + "can be interrupted. Nothing was changed.")
        }
        try sendAll(live)
        let drawn = LogWriterID.random()
        let writer = try TierOrigin.found(hostSalt, writer: drawn, in: tier.remote)
        let start = LogMark(LogPosition(epoch: 1, number: 0), writer)
        // Found before, by a run that was cut off; what has gone on since is another one's.
        guard try writer == drawn || LogEntryReader.open(start.position.next, in: tier.remote) == nil else {
            throw StoreError.unusable(
                "The bucket has gone on without this data directory, which does not know how far. Move it away, and run "
                    + "safelight take-over with an empty one.")
        }
        try note(writer)
        try pool.write { try LogReplay.set(start, $0) }
        return start
    }

    private func objectIDs() throws -> [ObjectID] {
        try pool.read { database in
            var ids: [ObjectID] = []
            try database.forEachBlobs("SELECT id FROM object", columns: 1) { blobs in
                if let id = ObjectID(bytes: blobs[0]) { ids.append(id) }
            }
            return ids
        }
    }

    /// One that is lost here, or that the disk does not give, is no reason to leave the others at home.
    /// - Throws: `unusable`, behind all others, where the disk did not give some: the bucket may not speak of what it lacks,
    ///   and what cannot be read now may be readable another time
    private func sendAll(_ ids: [ObjectID]) throws {
        var known: Set<String> = []
        try tier.remote.list(StoreLayout.objects + "/") { name, _ in known.insert(name) }
        let missing = ids.filter { !known.contains(LogNames.object($0)) }
        var done = ids.count - missing.count
        var unreadableCount = 0
        tier.progress(done, ids.count)
        let send: @Sendable (ObjectID) throws -> Bool = { [objects] id in
            do { try objects.send(id) } catch StoreError.objectMissing {} catch StoreError.ioFailed { return false }
            return true
        }
        try SideBySide.run(
            missing, threads: tier.remote.concurrency, worker: { _ in send },
            each: { _, isRead in
                done += 1
                if !isRead { unreadableCount += 1 }
                tier.progress(done, ids.count)
            })
        guard unreadableCount == 0 else {
            throw StoreError.unusable(
                "This disk does not give \(unreadableCount) of \(ids.count) photos. All others are in the bucket, and nothing "
                    + "was changed here. Run this again; what can never be read again, delete for good in its vault, with "
                    + "the daemon and without objects, and then run this.")
        }
    }
}

extension TierOpening {
    /// Objects have the same names in both, and each of the two removes those that it needs no more.
    private static func requireNoBackup(in remote: any RemoteObjects) throws {
        guard try remote.look(at: StoreLayout.backupMarker) != nil else { return }
        throw StoreError.unusable(
            "The bucket holds a backup at \(remote.place), which would lose what goes from here. Choose another prefix "
                + "(objects). Nothing was changed.")
    }

    /// A data directory is not begun where the bucket holds one: it would be another one.
    static func requireNone(in remote: any RemoteObjects) throws {
        try ObjectTier.reaching {
            try requireNoBackup(in: remote)
            guard try remote.look(at: LogNames.origin) != nil else { return }
            throw StoreError.unusable(
                "The data directory is empty, and the bucket holds one. To go on with that on this host, run safelight "
                    + "take-over; the host that has it now saves nothing any more then. Nothing was changed.")
        }
    }
}

/// `log/origin`: whose log it is, and who began it.
enum TierOrigin {
    private static let magic = Array("SLORIGIN".utf8)
    private static let saltByteCount = 16
    private static var byteCount: Int { magic.count + saltByteCount + LogWriterID.byteCount }

    /// - Returns: the first writer: this one, or the one of a former try.
    static func found(
        _ hostSalt: [UInt8], writer: LogWriterID, in remote: any RemoteObjects
    ) throws -> LogWriterID {
        let bytes = magic + hostSalt + writer.bytes
        guard try remote.putFirst(LogNames.origin, bytes) != .stands else { return writer }
        return try require(hostSalt, in: remote)
    }

    @discardableResult
    static func require(_ hostSalt: [UInt8], in remote: any RemoteObjects) throws -> LogWriterID {
        guard let bytes = try remote.readAsPut(LogNames.origin, atMost: byteCount), bytes.count == byteCount,
            bytes.starts(with: magic),
            let writer = LogWriterID(bytes: bytes.suffix(LogWriterID.byteCount))
        else {
            throw StoreError.unusable(
                "The bucket holds no log of a data directory, and this one knows that it has one there. Is it another "
                    + "bucket, or another prefix (objects)? Nothing was changed.")
        }
        guard Array(bytes.dropFirst(magic.count).prefix(saltByteCount)) == hostSalt else {
            throw StoreError.unusable(
                "The bucket holds the log of another data directory. Choose another prefix (objects), or run safelight "
                    + "take-over with an empty data directory. Nothing was changed.")
        }
        return writer
    }
}
