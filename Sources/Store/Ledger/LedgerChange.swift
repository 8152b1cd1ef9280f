import Foundation
internal import GRDB

/// One indivisible change: at most one new object and the rows that go with it.
package struct LedgerChange: Sendable {
    package var object: ArrivingObject?
    package var participants: [any LedgerParticipant]
    /// May the disk reserve be given up for it? For deletes and openings; never for uploads.
    package var mayUseReserve: Bool
    /// Does it need a transaction of its own? For one after which its participants write in another way.
    package var runsAlone: Bool
    /// Slots that are written with it, where they go along with the ledger.
    var slots: [LogWriting.SlotWrite] = []
    /// Whether the log goes on in another epoch behind it.
    var beginsEpoch = false
    /// Runs on the writer thread, possibly more than once (after the reserve was released, or without another change
    /// whose object did not come). It gets the id under which the object is published. What it throws fails this change
    /// only.
    package var apply: @Sendable (LedgerTransaction, ObjectID?) throws -> Void

    package init(
        object: ArrivingObject? = nil, participants: [any LedgerParticipant] = [], mayUseReserve: Bool = false,
        runsAlone: Bool = false,
        apply: @escaping @Sendable (LedgerTransaction, ObjectID?) throws -> Void
    ) {
        self.object = object
        self.participants = participants
        self.mayUseReserve = mayUseReserve
        self.runsAlone = runsAlone
        self.apply = apply
    }
}

/// An object that a change of the ledger lists: on disk already, or on the way to it.
package struct ArrivingObject: Sendable {
    /// It is published under a random id; one change may carry it, once.
    package let staged: StagedObject
    /// Where it is on the way: returns once it is synchronized, or throws what became of it. The transaction waits for
    /// it before its COMMIT, as late as it can, and everybody with it; so not for long, and not for anything that waits
    /// for the ledger.
    package let wait: (@Sendable () throws -> Void)?
    /// Whether nothing is written to it any more: then it may leave the house.
    package let isWhole: Bool
    /// Whether it is no photo, but what a window shows.
    package let isList: Bool

    package init(
        _ staged: StagedObject, isWhole: Bool = true, isList: Bool = false, wait: (@Sendable () throws -> Void)? = nil
    ) {
        self.staged = staged
        self.isWhole = isWhole
        self.isList = isList
        self.wait = wait
    }
}

/// Takes part in every transaction that changes something of it: an open vault, which seals its head once per group.
/// Called on the ledger's writer thread; must not call `commitBlocking` from there.
package protocol LedgerParticipant: AnyObject, Sendable {
    /// After the changes of the group, before COMMIT. Throwing fails the whole group.
    func willCommit(_ transaction: LedgerTransaction) throws
    /// Everything of the group is durable.
    func didCommit()
    /// Nothing of it was stored: the transaction failed, or every change of this participant did. May be followed by
    /// another attempt of the same changes.
    func didRollBack()
}

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
