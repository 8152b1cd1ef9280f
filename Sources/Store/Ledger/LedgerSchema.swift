internal import CSQLite
internal import GRDB
import Glibc

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

/// The schema of a database as this program writes it, to compare with what a file says: whoever can write a file can put
/// triggers, views, or tables with rules of their own into it, and SQLite would run them.
struct WrittenSchema: Sendable {
    /// Divides the fields of an entry. None that is ours has it, so equal texts have equal fields.
    private static let divider = "\u{1F}"

    /// One text for each entry of a file's schema.
    static let query = """
        SELECT coalesce(type, '') || char(31) || coalesce(name, '') || char(31) || coalesce(tbl_name, '') || char(31)
        || coalesce(sql, '') FROM sqlite_schema
        """

    private let entries: Set<String>

    /// - Parameter tables: with each definition that a version has written; one of them stands in a file, or none.
    init(_ tables: [(name: String, definitions: [String])]) {
        entries = Set(
            tables.flatMap { table in
                table.definitions.map {
                    ["table", table.name, table.name, "CREATE TABLE \(table.name)\($0)"]
                        .joined(separator: Self.divider)
                }
            })
    }

    /// Names what is not word for word as this program writes it; nil where all of it is. Tables that are missing are no
    /// matter of this.
    /// - Parameter found: what `query` gives.
    func foreignEntries(in found: [String]) -> String? {
        let foreign = found.filter { !entries.contains($0) }
        guard !foreign.isEmpty else { return nil }
        let named = foreign.prefix(Self.mostNamed).map { entry in
            let fields = entry.split(separator: Self.divider, maxSplits: 2, omittingEmptySubsequences: false)
            return "\(fields[0].prefix(20)) \(fields.dropFirst().first.map { $0.prefix(60) } ?? "")"
        }
        let rest = foreign.count - named.count
        return named.joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
    }

    private static let mostNamed = 5

    func foreignEntries(in database: Database) throws -> String? {
        foreignEntries(in: try String.fetchAll(database, sql: Self.query))
    }

    /// Before anything is read from a file: whatever stands in it by then, or is put there later, is data and does nothing.
    static func distrust(_ connection: OpaquePointer?) throws(StoreError) {
        let code = sqlite_distrust_file(connection)
        guard code == SQLITE_OK else {
            throw .unusable("This SQLite does not shut out what a file may tell it to do (\(code)).")
        }
    }
}

/// The first page of a ledger file where SQLite's own words mislead: a damaged version number there reads as a file
/// system that takes no writes, or as some mistake of the caller.
enum LedgerHeader {
    private static let byteCount = 100

    /// Nil when nothing is wrong, or when a log lies beside the ledger, which may hold a newer first page.
    static func complaint(in root: Folder) throws(StoreError) -> String? {
        guard try root.byteCount(of: StoreLayout.ledgerWriteAheadLog) ?? 0 == 0,
            let bytes = try root.openIfPresent(StoreLayout.ledger, O_RDONLY)?.bytes(at: 0, count: byteCount),
            bytes.count == byteCount
        else { return nil }
        // Offsets of SQLite's file format: 18 and 19 the versions for writing and reading, 44 that of the schema.
        guard bytes[18] <= 2, bytes[19] <= 2 else { return "its header names an unknown version" }
        guard bytes[44..<47].allSatisfy({ $0 == 0 }), bytes[47] <= 4 else {
            return "its header names an unknown version of the schema"
        }
        return nil
    }
}
