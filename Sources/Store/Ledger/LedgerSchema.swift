internal import GRDB

/// The tables of format version 1.
enum LedgerSchema {
    static let rowByteCount = 512
    /// Days that a session is kept beyond the one on which it began.
    static let sessionDays: UInt32 = 30

    static let tables: [(name: String, definition: String)] = [
        ("row", "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL) STRICT, WITHOUT ROWID"),
        ("object", "(id BLOB PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"),
        ("doomed", "(id BLOB PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"),
        (
            "guest",
            "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL, object BLOB, preview BLOB, "
                + "expires_day INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        (
            "upload",
            "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL, part BLOB, expires_day INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"
        ),
        (
            "session",
            "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL, expires_day INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        ("wipe", "(position INTEGER PRIMARY KEY NOT NULL, hash BLOB NOT NULL) STRICT"),
        ("throttle", "(key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID"),
        ("meta", "(key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID"),
    ]

    /// Came after the first version. A ledger, or a copy of one, that is older has none of them and is whole; an older
    /// version leaves them alone.
    private static let laterTables: [(name: String, definition: String)] = [
        ("doomed_preview", "(id BLOB PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"),
        (
            "door",
            "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL, expires_day INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        (
            "arrival",
            "(id BLOB PRIMARY KEY NOT NULL, body BLOB NOT NULL, expires_day INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]

    /// Columns that came after the first version, too: which rows of guests, and which unfinished uploads of theirs,
    /// belong together. NULL in rows of an older version, and in those of vaults' uploads.
    private static let laterColumns = [("guest", "space"), ("upload", "space")]

    /// What `sqlite_schema` of a ledger may hold, word for word.
    static let written = WrittenSchema(
        (tables + laterTables).map { table in
            let later = laterColumns.filter { $0.0 == table.name }.map { ", \($0.1) BLOB" }.joined()
            // As ALTER TABLE writes it.
            let end = ") STRICT"
            return (table.name, [table.definition, table.definition.replacing(end, with: later + end)])
        })

    static func create(in database: Database) throws {
        for table in tables { try database.execute(sql: "CREATE TABLE \(table.name)\(table.definition)") }
        try addLaterTables(to: database)
    }

    static func addLaterTables(to database: Database) throws {
        for (name, definition) in laterTables where try !database.tableExists(name) {
            try database.execute(sql: "CREATE TABLE \(name)\(definition)")
        }
        for (table, column) in laterColumns
        where try !database.columns(in: table).contains(where: { $0.name == column }) {
            try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(column) BLOB")
        }
    }

    /// Nil when quick_check passes and every table is there.
    static func complaint(about database: Database) throws -> String? {
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard verdict == "ok" else { return verdict }
        let names = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        let missing = tables.map(\.name).filter { !names.contains($0) }
        return missing.isEmpty ? nil : "tables are missing: \(missing.joined(separator: ", "))"
    }

    /// Keys of `meta` that the store itself uses.
    enum MetaKey {
        static let lastDay = "last_day"
        static let latestDay = "latest_day"
        static let copyDay = "copy_day"
        static let logLostDay = "log_lost_day"
        static let sessionMark = "session_mark"
        /// Of the last two transactions (`LedgerLogMark`).
        static let lastCommits = "last_commits"
        /// Up to where the log in the bucket stands here (`LogMark`), and who this data directory is as its writer.
        static let logPosition = "log_position"
        static let logWriter = "log_writer"
        /// Entries of the log whose changes failed here, and which nothing takes back yet (`RefusedEntry`).
        static let logRefused = "log_refused"
        /// Objects in the bucket that nothing lists, and since which day that is known (`StrayObjects`).
        static let strayObjects = "stray_objects"
        /// Stands while the ledger has what no entry of the log tells, since the bucket has lost one: a snapshot has to bring it.
        static let snapshotDue = "snapshot_due"

        /// What a data directory knows of its bucket; one that begins anew elsewhere has none.
        static let ofBucket = [logPosition, logWriter, logRefused, strayObjects, snapshotDue]
    }
}

/// Keys of `meta` that tell of one host alone, and of others by those who use them.
package enum HostMetaKey {
    package static let healthProbe = "health-probe"
    /// What has come of guests' unfinished uploads, which are of this host.
    package static let guestUploads = "guest_uploads"
    /// The day of the start of this host that has last given new vaults.
    package static let vaultsGiven = "vaults_given"
    /// Tells whether rows of addresses that guessed stand under the key that this host has in memory.
    package static let guessKey = "guess_key"
}
