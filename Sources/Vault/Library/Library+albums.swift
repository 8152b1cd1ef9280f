import Foundation
import GRDB
import GRDBSQLite
package import Media
package import Records
import Store
import Synchronization

/// An album as a list shows it.
package struct AlbumSummary: Sendable {
    /// Nil for that of all hearts.
    package let record: AlbumRecord?
    /// Photos in it that are not deleted; sidecars go with theirs.
    package let count: Int
    /// The serial of the photo that stands for it.
    package let cover: UInt64?
    /// How that is shown: its marks and the part of it.
    package let coverKeeping: Keeping
    /// Whether somebody chose it.
    package let isCoverChosen: Bool
}

/// Photos of which a timeline is asked for.
package struct TimelineScope: Sendable {
    /// A condition on rows of `photo`, beside that they stand in lists at all.
    let condition: String
    let needsShelf: Bool

    /// All but what was archived.
    package static let timeline = TimelineScope(condition: "AND \(LibrarySchema.isInTimeline)", needsShelf: false)
    package static let archived = TimelineScope(condition: "AND \(LibrarySchema.isArchived)", needsShelf: false)
    package static let favourites = TimelineScope(
        condition: "AND \(LibrarySchema.isFavourite)", needsShelf: false)

    package static func album(row: UInt64) -> TimelineScope {
        TimelineScope(
            condition: "AND serial IN (SELECT serial FROM shelf WHERE album = \(Library.signed(row)))",
            needsShelf: true)
    }

    /// What was taken on a day of the calendar in the years before it, but for what was archived. Of a leap day: in leap
    /// years.
    package static func anniversaries(of day: CalendarDate) -> TimelineScope {
        let first = max(firstYear, day.year - mostYears)
        let spans = (first..<max(first, day.year)).compactMap { year -> String? in
            let start = CalendarDate(year: year, month: day.month, day: day.day).daysSinceEpoch
            guard CalendarDate(daysSinceEpoch: start).day == day.day else { return nil }
            return "(\(start * dayMilliseconds),\((start + 1) * dayMilliseconds))"
        }
        guard !spans.isEmpty else { return TimelineScope(condition: "AND 0", needsShelf: false) }
        // One look into the index of the timeline for each year, however many photos there are.
        return TimelineScope(
            condition: """
                AND \(LibrarySchema.isInTimeline) AND serial IN (
                    SELECT photo.serial FROM (VALUES \(spans.joined(separator: ","))) AS span CROSS JOIN photo
                    ON photo.shown >= span.column1 AND photo.shown < span.column2 WHERE \(LibrarySchema.isTile))
                """, needsShelf: false)
    }

    /// The oldest photo that is kept is of 1826.
    private static let firstYear = 1826
    private static let mostYears = 400
    private static let dayMilliseconds = 86_400_000

    /// The one that is asked for most, and of most photos.
    var isTimeline: Bool { condition == Self.timeline.condition }
}

extension Library {
    /// The album of all hearts, if there is one; then the others, what was used last first.
    package func albums() async throws -> [AlbumSummary] {
        try await whileUnchanged(knownAlbums) { [self] database in
            try buildShelf(database)
            let favourites = try Self.favourites(database)
            return (favourites.count > 0 ? [favourites] : []) + (try Self.albums("", [], database))
        }
    }

    /// - Throws: `noSuchAlbum`.
    package func album(_ id: AlbumID) async throws -> AlbumSummary {
        let found = try await read { [self] database in
            try buildShelf(database)
            return try Self.albums("WHERE id = ?", [Data(id.bytes)], database).first
        }
        guard let found else { throw VaultError.noSuchAlbum }
        return found
    }

    /// The photos of a scope as an album that nobody has made.
    package func summary(of scope: TimelineScope) async throws -> AlbumSummary {
        try await read { [self] database in
            try Self.indexTimeline(database)
            try prepare(scope, database)
            return try Self.summary(of: scope, database)
        }
    }

    /// - Throws: `noSuchAlbum`.
    package func scope(of id: AlbumID) async throws -> TimelineScope {
        let row = try await read { database in
            try Int64.fetchOne(database, sql: "SELECT row FROM album WHERE id = ?", arguments: [Data(id.bytes)])
        }
        guard let row else { throw VaultError.noSuchAlbum }
        return .album(row: UInt64(bitPattern: row))
    }

    /// What all albums are called, by the rows in which they stand; the oldest first.
    package func albumPlaces() async throws -> [(row: UInt64, id: AlbumID, name: String)] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT row, id, name FROM album ORDER BY created, row").compactMap { row in
                AlbumID(bytes: row["id"] as Data).map { (UInt64(bitPattern: row["row"] as Int64), $0, row["name"]) }
            }
        }
    }

    /// Names of these albums by id; of those that are gone, none.
    package func albumNames(_ ids: [AlbumID]) async throws -> [(id: AlbumID, name: String)] {
        guard !ids.isEmpty else { return [] }
        return try await read { database in
            try ids.compactMap { id in
                try String.fetchOne(
                    database, sql: "SELECT name FROM album WHERE id = ?", arguments: [Data(id.bytes)]
                ).map { (id, $0) }
            }
        }
    }

    /// Serials of what lies in it and is not deleted, the newest first.
    package func serials(in scope: TimelineScope) async throws -> [UInt64] {
        try await read { [self] database in
            try prepare(scope, database)
            return try Int64.fetchAll(
                database,
                sql: """
                    SELECT serial FROM photo WHERE \(LibrarySchema.isTile) \(scope.condition)
                    ORDER BY shown DESC, serial DESC
                    """
            ).map { UInt64(bitPattern: $0) }
        }
    }

    private static func favourites(_ database: Database) throws -> AlbumSummary {
        try indexFavourites(database)
        return try summary(of: .favourites, database)
    }

    private static func summary(of scope: TimelineScope, _ database: Database) throws -> AlbumSummary {
        let condition = "\(LibrarySchema.isTile) \(scope.condition)"
        let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM photo WHERE \(condition)") ?? 0
        let cover = try Int64.fetchOne(
            database, sql: "SELECT serial FROM photo WHERE \(condition) ORDER BY shown DESC, serial DESC LIMIT 1")
        return AlbumSummary(
            record: nil, count: count, cover: cover.map { UInt64(bitPattern: $0) },
            coverKeeping: try keeping(ofCover: cover, database), isCoverChosen: false)
    }

    private static func keeping(ofCover serial: Int64?, _ database: Database) throws -> Keeping {
        var keeping = Keeping()
        let statement = try database.cachedStatement(sql: "SELECT marks, edit FROM photo WHERE serial = ?")
        guard let serial, let row = try Row.fetchOne(statement, arguments: [serial]) else { return keeping }
        keeping.marks = UInt8(truncatingIfNeeded: row["marks"] as Int64)
        keeping.edit = (row["edit"] as Data?).flatMap { PhotoEdit(encoded: Array($0)) }
        return keeping
    }

    /// Of photos of the same moment the newest is the one that the album shows first. It is looked for among those of that
    /// moment alone: to go through an album twice would take twice as long.
    private static func albums(
        _ condition: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> [AlbumSummary] {
        try indexTimeline(database)
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT album.*, ifnull(found.count, 0) AS count, (
                    SELECT photo.serial FROM photo INDEXED BY photo_shown
                    CROSS JOIN shelf ON shelf.album = album.row AND shelf.serial = photo.serial
                    WHERE photo.shown = found.shown AND \(LibrarySchema.isTile)
                    ORDER BY photo.serial DESC LIMIT 1) AS newest, (
                    SELECT photo.serial FROM photo JOIN shelf ON shelf.serial = photo.serial
                    WHERE photo.serial = album.cover AND shelf.album = album.row AND \(LibrarySchema.isTile)) AS chosen
                FROM album LEFT JOIN (
                    SELECT shelf.album, count(*) AS count, max(photo.shown) AS shown
                    FROM shelf JOIN photo ON photo.serial = shelf.serial WHERE \(LibrarySchema.isTile)
                    \(condition.isEmpty ? "" : "AND shelf.album = (SELECT row FROM album \(condition))")
                    GROUP BY shelf.album) AS found ON found.album = album.row
                \(condition) ORDER BY album.used DESC, album.row DESC
                """, arguments: condition.isEmpty ? arguments : arguments + arguments)
        return try rows.compactMap { row in
            let chosen = row["chosen"] as Int64?
            let cover = chosen ?? (row["newest"] as Int64?)
            guard let record = record(row) else { return nil }
            return AlbumSummary(
                record: record, count: row["count"], cover: cover.map { UInt64(bitPattern: $0) },
                coverKeeping: try keeping(ofCover: cover, database), isCoverChosen: chosen != nil)
        }
    }

    private static func record(_ row: Row) -> AlbumRecord? {
        guard let id = AlbumID(bytes: row["id"] as Data) else { return nil }
        var record = AlbumRecord(id: id, name: row["name"], now: UInt64(bitPattern: row["created"]))
        record.usedAt = UInt64(bitPattern: row["used"])
        record.cover = (row["cover"] as Int64?).map { UInt64(bitPattern: $0) }
        record.place = (row["place"] as Int64?).map { UInt64(bitPattern: $0) }
        return record
    }

    // MARK: Which photos are in which album

    /// What a scope needs before it is asked for.
    func prepare(_ scope: TimelineScope, _ database: Database) throws {
        if scope.needsShelf { try buildShelf(database) }
    }

    /// Made by the first who looks at an album: an opening does not wait for it.
    func buildShelf(_ database: Database) throws {
        guard !hasShelf.withLock({ $0 }) else { return }
        try database.run("DELETE FROM shelf")
        try database.run("CREATE INDEX IF NOT EXISTS shelf_serial ON shelf(serial)")
        var rows: [AlbumID: Int64] = [:]
        try database.cachedStatement(sql: "SELECT id, row FROM album").run([]) { columns in
            AlbumID(bytes: Self.bytes(columns, 0)).map { rows[$0] = sqlite3_column_int64(columns, 1) }
        }
        let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO shelf VALUES (?,?)")
        try database.cachedStatement(sql: "SELECT serial, albums FROM photo WHERE albums IS NOT NULL").run([]) {
            columns in
            let serial = sqlite3_column_int64(columns, 0)
            for id in Keeping.albums(Self.bytes(columns, 1)) {
                guard let row = rows[id] else { continue }
                try statement.run([.integer(row), .integer(serial)])
            }
        }
        hasShelf.withLock { $0 = true }
    }

    private static func bytes(_ columns: OpaquePointer, _ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(columns, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(columns, column))))
    }

    static func shelve(_ serial: UInt64, in album: AlbumID, _ database: Database) throws {
        try database.run(
            "INSERT OR IGNORE INTO shelf SELECT row, ? FROM album WHERE id = ?",
            [.integer(signed(serial)), .blob(album.bytes)])
    }

    static func put(_ album: AlbumEntry, _ database: Database) throws {
        let record = album.record
        try database.run(
            "INSERT OR REPLACE INTO album VALUES (?,?,?,?,?,?,?)",
            [
                .integer(signed(album.rowNumber)), .blob(record.id.bytes), .text(record.name),
                .optional(record.cover.map(signed)), .integer(signed(record.createdAt)),
                .integer(signed(record.usedAt)), .optional(record.place.map(signed)),
            ])
    }

    static func removeAlbum(_ row: UInt64, _ database: Database) throws {
        try database.run("DELETE FROM album WHERE row = ?", [.integer(signed(row))])
        try database.run("DELETE FROM shelf WHERE album = ?", [.integer(signed(row))])
    }

    private static func indexFavourites(_ database: Database) throws {
        try database.run(
            """
            CREATE INDEX IF NOT EXISTS photo_favourite ON photo(shown, serial)
            WHERE \(LibrarySchema.isTile) AND \(LibrarySchema.isFavourite)
            """)
    }
}
