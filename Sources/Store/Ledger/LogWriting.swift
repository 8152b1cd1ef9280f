internal import GRDB

/// What a group of changes does besides, where the ledger goes along with a log in a bucket: before the COMMIT its rows are
/// put there, as one entry.
struct LogWriting: Sendable {
    typealias SlotWrite = (position: UInt32, bytes: [UInt8])

    let log: LedgerLog
    let slots: SlotTable
    let objects: ObjectTier
    /// On whose file system a long entry may lie.
    let folder: Folder

    /// In the transaction, once everything of it is written. The slots are written here behind the entry: what is cut off
    /// between them is done by the next start.
    /// - Returns: whether there is an entry of it, or a seal: what concerns this host alone needs none.
    func write(_ database: Database, _ slotWrites: [SlotWrite], beginsEpoch: Bool) throws -> Bool {
        let wasUnsettled = log.isUnsettled
        let pending = Dictionary(slotWrites.map { ($0.position, $0.bytes) }) { _, last in last }
        for position in pending.keys {
            try ChangedRows.note(Self.row(ofSlot: position), database)
        }
        var hasEntry: Bool?
        while hasEntry == nil {
            do { hasEntry = try writeOnce(database, pending, beginsEpoch: beginsEpoch) } catch is LedgerLog.Moved {}
        }
        try slots.writeHere(slotWrites)
        if hasEntry == true, wasUnsettled { try forgetRefused(database) }
        try ChangedRows.clear(database)
        return hasEntry ?? false
    }

    // MARK: After a failure

    private static let refusedKey = SQLValue.text(LedgerSchema.MetaKey.logRefused)

    /// Blocking, on the ledger's writer thread. Takes back what stands in the bucket of changes that failed, and finds out
    /// what nobody knows: whoever goes on there must not find saved what somebody was told is not. Once the entry that does
    /// so stands it is settled, whatever becomes of the commit here: it says what is so here.
    func settle(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { database in
            try database.run("BEGIN IMMEDIATE")
            do {
                while log.isUnsettled {
                    do { try settleOnce(database) } catch is LedgerLog.Moved {}
                }
                try LogReplay.set(log.mark, database)
                try forgetRefused(database)
                try ChangedRows.clear(database)
                try database.run("COMMIT")
            } catch {
                if database.isInsideTransaction { try? database.rollback() }
                throw error
            }
        }
        log.didCommit()
    }

    private func settleOnce(_ database: Database) throws {
        try log.requireWriting()
        try takeBackUndone(database)
        // Without a row, where all that is known is that an entry may stand: then this one is in its place.
        guard let body = try entry(database, [:], mayBeEmpty: true) else { return }
        try log.append(body, changesNothing: true)
    }

    private func forgetRefused(_ database: Database) throws {
        try database.run("DELETE FROM meta WHERE key = ?", [Self.refusedKey])
    }

    /// For the next start, where this process ends before all is settled.
    func noteRefused(_ pool: DatabasePool) throws {
        try pool.write { database in
            try database.run(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [Self.refusedKey, .blob(RefusedEntry.bytes(of: log.refused))])
            try ChangedRows.clear(database)
        }
    }

    // MARK: An entry

    /// What concerns this host alone needs no bucket, whatever became of that.
    private func writeOnce(
        _ database: Database, _ pending: [UInt32: [UInt8]], beginsEpoch: Bool
    ) throws -> Bool {
        guard try beginsEpoch || ChangedRows.concernOthers(database) else { return false }
        try log.requireWriting()
        try takeBackUndone(database)
        let body = try entry(database, pending)
        if let body {
            try LogReplay.set(LogMark(body.position, log.mark.writer), database)
            try log.append(body, changesNothing: false)
        }
        if beginsEpoch {
            try log.seal()
            try LogReplay.set(log.mark, database)
        }
        return body != nil || beginsEpoch
    }

    /// Nil where nothing has changed that concerns others.
    private func entry(
        _ database: Database, _ pending: [UInt32: [UInt8]], mayBeEmpty: Bool = false
    ) throws -> LogEntryBody? {
        let writer = try LogEntryWriter(log.nextHeader, in: folder)
        var isEmpty = true
        var listed: [ObjectID] = []
        let slot: (UInt32) throws -> [UInt8] = { position in try pending[position] ?? slots.read(position) }
        try ChangedRows.forEach(database, slot: slot) { row in
            isEmpty = false
            if let id = row.listedObject { listed.append(id) }
            try writer.append(row)
        }
        guard !isEmpty || mayBeEmpty else { return nil }
        try log.atBucket { try objects.require(listed) }
        return try writer.finish()
    }

    private func takeBackUndone(_ database: Database) throws {
        for refused in log.undone { try log.atBucket { try takeBack(refused.position, database) } }
    }

    /// An entry that stands and is not in this ledger: its rows go along once more as they are here, and what it lists and
    /// nobody here does is to be removed.
    private func takeBack(_ position: LogPosition, _ database: Database) throws {
        try ObjectTier.reaching {
            guard let entry = try LogEntryReader.open(position, in: log.remote) else {
                throw StoreError.ledgerDamaged("an entry of its log in the bucket is gone")
            }
            try entry.forEachRow { row in
                try ChangedRows.note(row, database)
                guard let id = row.listedObject,
                    try !database.hasRow("SELECT 1 FROM object WHERE id = ?", [.id(id)]),
                    // It goes on: its last step was what failed.
                    try !database.hasRow("SELECT 1 FROM upload WHERE part = ?", [.id(id)])
                else { return }
                try database.run("INSERT OR IGNORE INTO doomed (id) VALUES (?)", [.id(id)])
            }
        }
    }

    static func row(ofSlot position: UInt32) -> LogRow {
        LogRow(table: LogTable.slots, key: .integer(Int64(position)), values: nil)
    }
}

extension LogRow {
    /// The object that this row puts on the list of those that live.
    fileprivate var listedObject: ObjectID? {
        guard table == LogTable.objects.number, values != nil, case .blob(let bytes) = key else { return nil }
        return ObjectID(bytes: bytes)
    }
}
