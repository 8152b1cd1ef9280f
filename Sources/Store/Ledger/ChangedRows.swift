import Foundation
internal import GRDB

/// Which rows a transaction has touched, whatever statements did it: noted by triggers of the writing connection alone,
/// in memory, and only where the ledger goes along with a log.
enum ChangedRows {
    /// Of this host alone: the rest of `meta` goes along.
    static let localMeta = Set([
        LedgerSchema.MetaKey.copyDay, LedgerSchema.MetaKey.logLostDay,
        LedgerSchema.MetaKey.lastCommits, HostMetaKey.healthProbe, HostMetaKey.guestUploads,
        HostMetaKey.vaultsGiven, HostMetaKey.guessKey,
    ]).union(LedgerSchema.MetaKey.ofBucket)

    static func isLocal(_ row: LogRow) -> Bool {
        guard row.table == LogTable.meta.number, case .text(let key) = row.key else { return false }
        return localMeta.contains(String(decoding: key, as: UTF8.self))
    }

    /// From now on, for as long as the connection is open.
    static func watch(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS changed(tbl INTEGER NOT NULL, id NOT NULL, PRIMARY KEY (tbl, id))
                WITHOUT ROWID
                """)
        for table in LogTable.all {
            for (event, row) in [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")] {
                // Not INSERT OR IGNORE: the statement that fires a trigger decides about conflicts within it.
                try database.execute(
                    sql: """
                        CREATE TEMP TRIGGER IF NOT EXISTS changed_\(table.name)_\(event.lowercased())
                        AFTER \(event) ON main.\(table.name) BEGIN
                        INSERT INTO changed (tbl, id) SELECT \(table.number), \(row).\(table.key)
                        WHERE NOT EXISTS (SELECT 1 FROM changed WHERE tbl = \(table.number) AND id = \(row).\(table.key));
                        END
                        """)
            }
        }
    }

    /// Also what the transaction has not touched.
    static func note(_ row: LogRow, _ database: Database) throws {
        try database.run(
            "INSERT OR IGNORE INTO temp.changed (tbl, id) VALUES (?, ?)",
            [.integer(Int64(row.table)), SQLValue(row.key)])
    }

    static func clear(_ database: Database) throws { try database.run("DELETE FROM temp.changed") }

    static func concernOthers(_ database: Database) throws -> Bool {
        let keys = try Row.fetchCursor(database, sql: "SELECT tbl, id FROM temp.changed")
        while let found = try keys.next() {
            guard let number = UInt8(exactly: found[0] as Int64), let key = LogValue(found[1] as DatabaseValue) else {
                return true
            }
            if isLocal(LogRow(table: number, key: key, values: nil)) { continue }
            guard let table = LogTable.numbered(number), table.tellsOnlyOfRemoval else { return true }
            if try values(of: key, in: table, database) == nil { return true }
        }
        return false
    }

    /// Calls `body` with what the rows are now, in the order of tables and ids.
    /// - Parameter slot: what stands at a position of the slot table, or is about to.
    static func forEach(
        _ database: Database, slot: (UInt32) throws -> [UInt8], _ body: (LogRow) throws -> Void
    ) throws {
        let keys = try Row.fetchCursor(database, sql: "SELECT tbl, id FROM temp.changed ORDER BY tbl, id")
        while let found = try keys.next() {
            guard let number = UInt8(exactly: found[0] as Int64), let key = LogValue(found[1] as DatabaseValue) else {
                throw StoreError.ledgerDamaged("a row has a key that none has")
            }
            var row = LogRow(table: number, key: key, values: nil)
            if isLocal(row) { continue }
            if number == LogTable.slots {
                guard case .integer(let position) = key else { continue }
                row.values = [.blob(try slot(UInt32(clamping: position)))]
            } else {
                guard let table = LogTable.numbered(number) else { continue }
                row.values = try values(of: key, in: table, database)
                if table.tellsOnlyOfRemoval, row.values != nil { continue }
            }
            try body(row)
        }
    }

    private static func values(of key: LogValue, in table: LogTable, _ database: Database) throws -> [LogValue]? {
        // A text of its own: a cached statement that is run in the short way must not be one that GRDB runs.
        let columns = (["1 AS found"] + table.columns).joined(separator: ", ")
        let statement = try database.cachedStatement(
            sql: "SELECT \(columns) FROM \(table.name) WHERE \(table.key) = ?")
        guard let row = try Row.fetchOne(statement, arguments: [key.databaseValue]) else { return nil }
        return try table.columns.indices.map { index in
            guard let value = LogValue(row[index + 1] as DatabaseValue) else {
                throw StoreError.ledgerDamaged("a column holds what none does")
            }
            return value
        }
    }
}

extension LogValue {
    init?(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(Array(text.utf8))
        case .blob(let data): self = .blob([UInt8](data))
        case .double: return nil
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let bytes): String(decoding: bytes, as: UTF8.self).databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}

extension SQLValue {
    init(_ value: LogValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): self = .blob(bytes)
        }
    }
}
