import Foundation
import GRDB
import GRDBSQLite
import Store

extension Library {
    /// Blocking. The newest photo that nobody has looked into.
    func withoutPicture(except left: Set<UInt64>) throws -> LibraryPhoto? {
        try readBlocking { database in
            let photos = try LibraryPhoto.fetchCursor(
                database, sql: "SELECT * FROM photo WHERE picture IS NULL ORDER BY serial DESC")
            while let photo = try photos.next() {
                if !left.contains(photo.serial) { return photo }
            }
            return nil
        }
    }

    /// Months with photos, the newest first.
    func months() async throws -> [(month: CalendarMonth, count: Int)] {
        try await read { database in
            try Self.indexTimeline(database)
            var months: [(CalendarMonth, Int)] = []
            var before = Int64.max
            while let newest = try Self.newest(before, database) {
                let month = CalendarMonth(milliseconds: newest)
                let sql = "SELECT COUNT(*) FROM photo WHERE deleted IS NULL AND shown >= ? AND shown < ?"
                let end = min(before, month.next.milliseconds)
                let count = try Int.fetchOne(database, sql: sql, arguments: [month.milliseconds, end]) ?? 0
                months.append((month, count))
                before = month.milliseconds
            }
            return months
        }
    }

    /// The photos of a month, the newest first.
    func photos(of month: CalendarMonth) async throws -> [LibraryPhoto] {
        try await read { database in
            try Self.indexTimeline(database)
            return try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo WHERE deleted IS NULL AND shown >= ? AND shown < ?
                    ORDER BY shown DESC, serial DESC
                    """, arguments: [month.milliseconds, month.next.milliseconds])
        }
    }

    private static func newest(_ before: Int64, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT max(shown) FROM photo WHERE deleted IS NULL AND shown < ?", arguments: [before])
    }

    /// Made by the first who looks at the timeline: an opening does not wait for it.
    private static func indexTimeline(_ database: Database) throws {
        try database.run("CREATE INDEX IF NOT EXISTS photo_shown ON photo(shown, serial) WHERE deleted IS NULL")
    }
}
