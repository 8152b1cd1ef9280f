import Bytes
internal import GRDB
internal import GRDBSQLite
import Glibc

/// A ledger file that nobody writes, opened so that nothing beside it is created either (`immutable=1`, which GRDB
/// has no way to say), or another database of the program. Used by one thread at a time.
final class ImmutableLedger {
    private let connection: OpaquePointer?

    private init(_ connection: OpaquePointer?) {
        self.connection = connection
    }

    /// - Throws: `ledgerDamaged`; `foreignLedger` where the schema is not the one that the program writes.
    static func open(
        path: String, expecting schema: WrittenSchema = LedgerSchema.written
    ) throws(StoreError) -> ImmutableLedger {
        let ledger = ImmutableLedger(
            try connect("file:\(PercentEncoding.encodePath(path))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI))
        try ledger.require(schema)
        return ledger
    }

    /// For a private copy of a ledger and its log: the log is merged on opening. The files may be unlinked afterwards.
    static func open(mergingLogOf path: String) throws(StoreError) -> ImmutableLedger {
        try SQLiteSystemCalls.prepare()
        let ledger = ImmutableLedger(try connect(path, SQLITE_OPEN_READWRITE))
        try ledger.query("PRAGMA wal_checkpoint(TRUNCATE)") { _ in true }
        try ledger.require(LedgerSchema.written)
        return ledger
    }

    private func require(_ schema: WrittenSchema) throws(StoreError) {
        var entries: [String] = []
        try query(WrittenSchema.query) { bytes in
            entries.append(String(decoding: bytes, as: UTF8.self))
            return true
        }
        if let foreign = schema.foreignEntries(in: entries) { throw .foreignLedger(foreign) }
    }

    deinit {
        sqlite3_close_v2(connection)
    }

    func row(_ id: RowID, in home: RowHome = .vault) throws(StoreError) -> [UInt8]? {
        try blob("SELECT body FROM \(home.table) WHERE id = ?", id.bytes)
    }

    func metaValue(_ key: String) throws(StoreError) -> [UInt8]? {
        try blob("SELECT value FROM meta WHERE key = CAST(? AS TEXT)", Array(key.utf8))
    }

    /// Nil when every page can be read and is part of one tree; says nothing of indexes.
    func complaintAboutPages() throws(StoreError) -> String? { try verdict("PRAGMA quick_check(1)") }

    /// - Parameter check: the statement itself. As a table in a SELECT it takes a number for the name of a table, from
    ///   SQLite 3.46 on.
    private func verdict(_ check: String) throws(StoreError) -> String? {
        let verdict = String(decoding: try blob(check) ?? [], as: UTF8.self)
        return verdict == "ok" ? nil : verdict
    }

    /// Nil when the check passes and every table is there.
    func complaint(thorough: Bool = false) throws(StoreError) -> String? {
        let complaint = thorough ? try verdict("PRAGMA integrity_check(1)") : try complaintAboutPages()
        if let complaint { return complaint }
        for table in LedgerSchema.tables {
            let name = Array(table.name.utf8)
            guard try blob("SELECT 'yes' FROM sqlite_schema WHERE name = CAST(? AS TEXT)", name) != nil else {
                return "the table \(table.name) is missing"
            }
        }
        return nil
    }

    func forEachObject(_ body: (ObjectID) -> Void) throws(StoreError) {
        try query("SELECT id FROM object") { bytes in
            if let id = ObjectID(bytes: bytes) { body(id) }
            return true
        }
    }

    /// Ids in a column of another table that files in `objects` may belong to.
    func forEachID(column: String, of table: String, _ body: (ObjectID) -> Void) throws(StoreError) {
        try query("SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL") { bytes in
            if let id = ObjectID(bytes: bytes) { body(id) }
            return true
        }
    }

    /// The first column of the first result row.
    private func blob(_ sql: String, _ argument: [UInt8]? = nil) throws(StoreError) -> [UInt8]? {
        var found: [UInt8]?
        try query(sql, argument) { bytes in
            found = [UInt8](bytes)
            return false
        }
        return found
    }

    /// Calls `body` with the first column of each result row until it returns false.
    private func query(
        _ sql: String, _ argument: [UInt8]? = nil, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw damage() }
        defer { sqlite3_finalize(statement) }
        if let argument {
            // SQLITE_TRANSIENT: SQLite keeps its own copy.
            let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            sqlite3_bind_blob(statement, 1, argument, Int32(argument.count), transient)
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return
            case SQLITE_ROW:
                let count = Int(sqlite3_column_bytes(statement, 0))
                guard body(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count)) else {
                    return
                }
            default: throw damage()
            }
        }
    }

    private static func connect(_ name: String, _ flags: Int32) throws(StoreError) -> OpaquePointer? {
        var connection: OpaquePointer?
        let code = sqlite3_open_v2(name, &connection, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            sqlite3_close_v2(connection)
            throw .ledgerDamaged("cannot be opened (\(code))")
        }
        do throws(StoreError) {
            try WrittenSchema.distrust(connection)
        } catch {
            sqlite3_close_v2(connection)
            throw error
        }
        return connection
    }

    private func damage() -> StoreError {
        .ledgerDamaged(String(cString: sqlite3_errmsg(connection)))
    }
}

/// A ledger made of a former host's disk, with which nobody has taken over to the end yet (`snapshot_due` in its `meta`). It
/// has what no entry of the log tells, so that what another host has changed meanwhile must not be put over it.
enum JoinedLedger {
    static let changed = StoreError.unusable(
        "The host that took over has changed something since, so what the former host's disk may know beyond the bucket cannot "
            + "be joined any more. Nothing was changed. safelight export brings it out of that disk, with the same "
            + "configuration; send to the other host what that one lacks.")

    static func set(_ writers: [LogWriterID], _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [.text(LedgerSchema.MetaKey.snapshotDue), .blob([1] + writers.flatMap(\.bytes))])
    }

    /// This data directory writes as that one, too, from now on.
    static func note(_ writer: LogWriterID, _ database: Database) throws {
        guard let writers = try writers(database) else { return }
        try set(writers + [writer], database)
    }

    /// Whether an entry of this writer may not come in.
    static func isClosed(to writer: LogWriterID, _ database: Database) throws -> Bool {
        try writers(database).map { !$0.contains(writer) } ?? false
    }

    /// Those whose entries may come in; nil in any other ledger.
    static func writers(_ database: Database) throws -> [LogWriterID]? {
        let key = LedgerSchema.MetaKey.snapshotDue
        guard let bytes = try database.blob("SELECT value FROM meta WHERE key = ?", [.text(key)]) else { return nil }
        return stride(from: 1, to: bytes.count, by: LogWriterID.byteCount).compactMap {
            LogWriterID(bytes: bytes[$0..<min($0 + LogWriterID.byteCount, bytes.count)])
        }
    }
}
