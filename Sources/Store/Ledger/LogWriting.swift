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
    func write(_ database: Database, _ slotWrites: [SlotWrite], beginsEpoch: Bool) throws {
        let pending = Dictionary(slotWrites.map { ($0.position, $0.bytes) }) { _, last in last }
        for position in pending.keys {
            try ChangedRows.note(Self.row(ofSlot: position), database)
        }
        while true {
            do {
                try writeOnce(database, pending, beginsEpoch: beginsEpoch)
                break
            } catch is LedgerLog.Moved {}
        }
        try slots.writeHere(slotWrites)
        try ChangedRows.clear(database)
    }

    /// What concerns this host alone needs no bucket, whatever became of that.
    private func writeOnce(_ database: Database, _ pending: [UInt32: [UInt8]], beginsEpoch: Bool) throws {
        guard try beginsEpoch || ChangedRows.concernOthers(database) else { return }
        try log.requireWriting()
        for position in log.undone { try takeBack(position, database) }
        if let body = try entry(database, pending) {
            try LogReplay.set(LogMark(body.position, log.mark.writer), database)
            try log.append(body)
        }
        if beginsEpoch {
            try log.seal()
            try LogReplay.set(log.mark, database)
        }
    }

    /// Nil where nothing has changed that concerns others.
    private func entry(_ database: Database, _ pending: [UInt32: [UInt8]]) throws -> LogEntryBody? {
        let writer = try LogEntryWriter(log.nextHeader, in: folder)
        var isEmpty = true
        var listed: [ObjectID] = []
        let slot: (UInt32) throws -> [UInt8] = { position in try pending[position] ?? slots.read(position) }
        try ChangedRows.forEach(database, slot: slot) { row in
            isEmpty = false
            if let id = row.listedObject { listed.append(id) }
            try writer.append(row)
        }
        guard !isEmpty else { return nil }
        try objects.require(listed)
        return try writer.finish()
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
