internal import GRDB

/// Does to a ledger what an entry of the log says: all of it with the mark behind it, or nothing. Rows stand there whole,
/// so what was done already may be done again.
struct LogReplay {
    let pool: DatabasePool
    let slots: SlotTable

    func apply(_ entry: LogEntryReader, _ mark: LogMark) throws {
        try translatingLedgerErrors {
            try pool.write { database in
                var slots: [(position: UInt32, bytes: [UInt8])] = []
                let isClosed = try JoinedLedger.isClosed(to: entry.header.writer, database)
                try entry.forEachRow { row in
                    if isClosed, row.table != LogTable.meta.number { throw JoinedLedger.changed }
                    if row.table == LogTable.slots {
                        slots.append(try Self.slot(row))
                    } else {
                        try Self.apply(row, database)
                    }
                }
                // Before the mark: behind it nobody would write them any more.
                try self.slots.writeHere(slots)
                try Self.set(mark, database)
            }
        }
    }

    static func set(_ mark: LogMark, _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [.text(LedgerSchema.MetaKey.logPosition), .blob(mark.bytes)])
    }

    private static func slot(_ row: LogRow) throws -> (position: UInt32, bytes: [UInt8]) {
        guard case .integer(let number) = row.key, let position = UInt32(exactly: number),
            position < SlotTable.slotCount, case .blob(let bytes)? = row.values?.first,
            bytes.count == SlotTable.slotByteCount
        else { throw StoreError.ledgerDamaged("an entry of its log names a slot that is none") }
        return (position, bytes)
    }

    private static func apply(_ row: LogRow, _ database: Database) throws {
        guard !ChangedRows.isLocal(row), let table = LogTable.numbered(row.table) else { return }
        guard let values = row.values else {
            return try database.run("DELETE FROM \(table.name) WHERE \(table.key) = ?", [SQLValue(row.key)])
        }
        guard !table.tellsOnlyOfRemoval else { return }
        // Somebody may be removing it at this moment, however late: an upload of here that has it begins anew.
        if row.table == LogTable.doomed.number {
            try database.run("DELETE FROM upload WHERE part = ?", [SQLValue(row.key)])
        }
        let columns = [table.key] + table.columns
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        try database.run(
            "INSERT OR REPLACE INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places))",
            [SQLValue(row.key)] + values.map { SQLValue($0) })
    }
}
