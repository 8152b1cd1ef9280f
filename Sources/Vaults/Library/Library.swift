import Foundation
import GRDB
import Store

/// The index of an open vault: a private SQLite database in memory, filled from the vault's sealed rows and gone with
/// them. It holds no file key. Writes come from the ledger's writer thread, after each COMMIT and in its order.
final class Library: Sendable {
    private let queue: DatabaseQueue

    init() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
        queue = try DatabaseQueue(configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE photo(
                        serial INTEGER PRIMARY KEY, row INTEGER NOT NULL, object BLOB NOT NULL, byte_count INTEGER NOT NULL,
                        name TEXT NOT NULL, type TEXT NOT NULL, received INTEGER NOT NULL, modified INTEGER,
                        deleted INTEGER, sha256 BLOB) STRICT;
                    CREATE INDEX photo_deleted ON photo(deleted) WHERE deleted IS NOT NULL;
                    """)
        }
    }

    /// Blocking.
    func apply(_ changes: [LibraryChange]) throws {
        guard !changes.isEmpty else { return }
        try queue.write { database in
            let put = try database.cachedStatement(sql: "INSERT OR REPLACE INTO photo VALUES (?,?,?,?,?,?,?,?,?,?)")
            for change in changes {
                switch change {
                case .put(let entry): try put.execute(arguments: Self.arguments(entry))
                case .remove(let serial):
                    try database.execute(
                        sql: "DELETE FROM photo WHERE serial = ?", arguments: [Int64(bitPattern: serial)])
                }
            }
        }
    }

    /// Newest first; `before` is the serial of the last photo of the page before.
    func photos(before: UInt64?, limit: Int) async throws -> [LibraryPhoto] {
        try await queue.read { database in
            try LibraryPhoto.fetchAll(
                database,
                sql: "SELECT * FROM photo WHERE deleted IS NULL AND serial < ? ORDER BY serial DESC LIMIT ?",
                arguments: [before.map { Int64(clamping: $0) } ?? Int64.max, limit])
        }
    }

    /// What lies in "Recently deleted", last deleted first.
    func trash() async throws -> [LibraryPhoto] {
        try await queue.read { database in
            try LibraryPhoto.fetchAll(
                database, sql: "SELECT * FROM photo WHERE deleted IS NOT NULL ORDER BY deleted DESC, serial DESC")
        }
    }

    func photo(serial: UInt64) async throws -> LibraryPhoto? {
        try await queue.read { try Self.fetch($0, serial: serial) }
    }

    /// Blocking.
    func photoBlocking(serial: UInt64) throws -> LibraryPhoto? {
        try queue.read { try Self.fetch($0, serial: serial) }
    }

    /// Blocking; every photo, deleted ones too, oldest first.
    func allBlocking() throws -> [LibraryPhoto] {
        try queue.read { try LibraryPhoto.fetchAll($0, sql: "SELECT * FROM photo ORDER BY serial") }
    }

    private static func fetch(_ database: Database, serial: UInt64) throws -> LibraryPhoto? {
        try LibraryPhoto.fetchOne(
            database, sql: "SELECT * FROM photo WHERE serial = ?", arguments: [Int64(bitPattern: serial)])
    }

    private static func arguments(_ entry: LibraryEntry) -> StatementArguments {
        let record = entry.record
        return [
            Int64(bitPattern: record.serial), Int64(bitPattern: entry.rowNumber), record.object.data,
            Int64(bitPattern: record.byteCount), record.name, record.type, Int64(bitPattern: record.receivedAt),
            record.modifiedAt.map { Int64(bitPattern: $0) }, record.deletedAt.map { Int64(bitPattern: $0) },
            record.sha256.map { Data($0) },
        ]
    }
}
