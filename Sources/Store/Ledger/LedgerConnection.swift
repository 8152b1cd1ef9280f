import Foundation
internal import GRDB
internal import GRDBSQLite

/// How the ledger's database is opened: only with a schema that this program wrote, write-ahead log, every commit synced,
/// deleted content overwritten, the file growing in steps that hide single rows.
enum LedgerConnection {
    static let growthByteCount: Int32 = 1 << 20

    /// - Parameter keepsLog: whether the log stays whenever this process closes the file. By itself SQLite removes it then,
    ///   and a start that fails half-way would leave a mark behind of a log that nobody took away.
    /// - Throws: `foreignLedger` for a file with another schema; an empty one has none yet.
    static func open(path: String, keepsLog: Bool = false) throws -> DatabasePool {
        // Opening it to write changes the file. What else may be wrong with it shows then, and is told apart there.
        do throws(StoreError) { _ = try ImmutableLedger.open(path: path) } catch {
            if error.isForeignLedger { throw error }
        }
        var configuration = Configuration()
        configuration.label = "ledger"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        configuration.prepareDatabase { database in
            try WrittenSchema.distrust(database.sqliteConnection)
            if keepsLog { try setKeepsLog(true, of: database) }
            try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
        }
        try SQLiteSystemCalls.prepare()
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            try pool.writeWithoutTransaction { database in
                // GRDB sets NORMAL when it turns the log on, which loses acknowledged commits in a power cut.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try setGrowth(of: database)
                try requireDurability(of: database)
                if let foreign = try LedgerSchema.written.foreignEntries(in: database) {
                    throw StoreError.foreignLedger(foreign)
                }
            }
        } catch {
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Copies a whole ledger, as it is at one moment, into a file that exists and is empty. Whoever made the file syncs
    /// it, and throws it away if this fails.
    static func backUp(_ ledger: some DatabaseReader, to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try copy.writeWithoutTransaction { database in
            // Synced as a whole afterwards; a half-written copy is thrown away.
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try setGrowth(of: database)
        }
        try ledger.backup(to: copy)
        try copy.close()
    }

    /// Of a private copy, which has no log afterwards.
    static func mergeLog(of path: String) throws {
        try SQLiteSystemCalls.prepare()
        try translatingLedgerErrors {
            let copy = try DatabaseQueue(path: path)
            try copy.writeWithoutTransaction { database in
                try WrittenSchema.distrust(database.sqliteConnection)
                try setGrowth(of: database)
                try database.checkpointIfOpen(.truncate)
            }
            try copy.close()
        }
    }

    /// Copies grow in the same steps, so that their sizes say as little.
    static func setGrowth(of database: Database) throws {
        var byteCount = growthByteCount
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_CHUNK_SIZE, &byteCount)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    static func setKeepsLog(_ keepsLog: Bool, of database: Database) throws {
        var value: Int32 = keepsLog ? 1 : 0
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &value)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    static func requireDurability(of database: Database) throws {
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard synchronous == 2 else {
            throw StoreError.unusable("SQLite does not sync every commit (synchronous = \(synchronous ?? -1)).")
        }
    }
}

extension Database {
    /// Of a database that others may close meanwhile: SQLite's checkpoint, which looks at no connection before it uses it,
    /// would end the process.
    ///
    /// Where a quota is full, btrfs shortens no file. SQLite knows no full disk there, and calls it an error of the disk.
    func checkpointIfOpen(_ mode: Database.CheckpointMode) throws {
        guard sqliteConnection != nil else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database is closed")
        }
        do {
            _ = try checkpoint(mode)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_TRUNCATE {
            let isFull = [ENOSPC, EDQUOT].contains(sqlite3_system_errno(sqliteConnection))
            throw isFull ? DatabaseError(resultCode: .SQLITE_FULL) : error
        }
    }
}
