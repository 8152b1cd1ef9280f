internal import GRDB

/// How `previews.sqlite` is opened, and what is in it.
///
/// The key of a row is the first half of its id, as an integer: so rows stand in no order that says when they came, and
/// a body is found without an index. A table without rowid, by the whole id, took twice the time for writing and twenty
/// times that for reading, for bodies of this size fill its inner pages.
enum PreviewDatabase {
    private static let pageByteCount = 16_384

    static func open(path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "previews"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try WrittenSchema.distrust(database.sqliteConnection)
            // Counts only before the first table is made.
            try database.execute(sql: "PRAGMA page_size = \(pageByteCount)")
            try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
        }
        try SQLiteSystemCalls.prepare()
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { database in
            // What a power cut takes is made again, so nobody waits for the disk.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try LedgerConnection.setGrowth(of: database)
            if try String.fetchAll(database, sql: WrittenSchema.query).isEmpty {
                try database.execute(sql: "CREATE TABLE \(table.name)\(table.definition)")
            }
        }
        return pool
    }

    private static let table = (
        name: "preview", definition: "(id INTEGER PRIMARY KEY NOT NULL, body BLOB NOT NULL) STRICT"
    )
    /// What `sqlite_schema` holds, word for word.
    static let written = WrittenSchema([(table.name, [table.definition])])

    /// What stands in the place of the previews is somebody else's.
    struct Foreign: Error {}

    /// Whether the table is the one that `open` makes, and all there is.
    static func isOurs(_ database: Database) throws -> Bool { try written.foreignEntries(in: database) == nil }

    static func key(_ id: PreviewID) -> SQLValue { .integer(Int64(bitPattern: id.high)) }
}
