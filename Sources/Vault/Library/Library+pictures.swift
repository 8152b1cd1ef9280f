import Foundation
import GRDB
import GRDBSQLite
package import Records
import Store

/// Where a photo stands in the timeline.
package struct TimelinePlace: Sendable {
    /// As `LibrarySchema.shown` gives it.
    package let shownAt: Int64
    package let serial: UInt64

    package init(shownAt: Int64, serial: UInt64) {
        self.shownAt = shownAt
        self.serial = serial
    }
}

/// Photos of a month that follow each other.
package struct TimelinePart: Sendable {
    package var photos: [LibraryPhoto] = []
    /// Whether the month ends with them.
    package var isLast = true
    /// Those next to them in the timeline, of other months, too: up to `LivePhotoPage.margin` on each side, in its order.
    package var newer: [LibraryPhoto] = []
    package var older: [LibraryPhoto] = []
}

extension Library {
    /// The newest photo that nobody has looked into.
    /// - Parameter playsVideos: videos count, too, for which there was no player, after all others.
    func withoutPicture(except left: Set<UInt64>, playsVideos: Bool) async throws -> LibraryPhoto? {
        try await read { database in
            let unseen = try Self.newest(
                where: "picture IS NULL AND ifnull(sidecar, 0) & 1 = 0", except: left, database)
            guard unseen == nil, playsVideos else { return unseen }
            return try Self.newest(where: LibrarySchema.withoutPlayer, except: left, database)
        }
    }

    /// Photos in whose pictures nobody has looked for words, the newest first.
    func withoutWords(below serial: UInt64, except left: Set<UInt64>, limit: Int) async throws -> [LibraryPhoto] {
        try await read { database in
            try Self.indexUnread(database)
            let photos = try LibraryPhoto.fetchCursor(
                database,
                sql: "SELECT * FROM photo WHERE \(LibrarySchema.isUnread) AND serial < ? ORDER BY serial DESC",
                arguments: [Self.signed(serial)])
            var found: [LibraryPhoto] = []
            while found.count < limit, let photo = try photos.next() {
                if !left.contains(photo.serial) { found.append(photo) }
            }
            return found
        }
    }

    /// How many these are.
    package func unreadCount() async throws -> Int {
        try await read { database in
            try Self.indexUnread(database)
            return try Int.fetchOne(database, sql: "SELECT count(*) FROM photo WHERE \(LibrarySchema.isUnread)") ?? 0
        }
    }

    /// Made where somebody reads words: elsewhere it would have every photo for ever.
    private static func indexUnread(_ database: Database) throws {
        try database.run(
            "CREATE INDEX IF NOT EXISTS photo_unread ON photo(serial) WHERE \(LibrarySchema.isUnread)")
    }

    /// Photos whose facts another version of the program read, the newest first; then videos, whose zones photos may tell.
    /// Never both.
    func withOldFacts(except left: Set<UInt64>, limit: Int) async throws -> [LibraryPhoto] {
        try await read { database in
            let photos = try LibraryPhoto.fetchCursor(
                database,
                sql: """
                    SELECT * FROM photo WHERE \(LibrarySchema.hasOldFacts)
                    ORDER BY \(LibrarySchema.isVideo), serial DESC
                    """)
            var found: [LibraryPhoto] = []
            while found.count < limit, let photo = try photos.next() {
                if left.contains(photo.serial) { continue }
                guard photo.isVideo == found.first?.isVideo ?? photo.isVideo else { break }
                found.append(photo)
            }
            return found
        }
    }

    private static func newest(
        where condition: String, except left: Set<UInt64>, _ database: Database
    ) throws -> LibraryPhoto? {
        let photos = try LibraryPhoto.fetchCursor(
            database, sql: "SELECT * FROM photo WHERE \(condition) ORDER BY serial DESC")
        while let photo = try photos.next() {
            if !left.contains(photo.serial) { return photo }
        }
        return nil
    }

    /// Months with photos, the newest first.
    package func months(of scope: TimelineScope = .timeline) async throws -> [(month: CalendarMonth, count: Int)] {
        guard scope.isTimeline else { return try await monthsOfPart(scope) }
        return try await whileUnchanged(knownMonths) { database in
            try Self.indexTimeline(database)
            var months: [(month: CalendarMonth, count: Int)] = []
            var before = Int64.max
            while let newest = try Self.newest(before, database) {
                let month = CalendarMonth(milliseconds: newest)
                let sql = """
                    SELECT COUNT(*) FROM photo
                    WHERE \(LibrarySchema.isTile) AND \(LibrarySchema.isInTimeline) AND shown >= ? AND shown < ?
                    """
                let end = min(before, month.next.milliseconds)
                let count = try Int.fetchOne(database, sql: sql, arguments: [month.milliseconds, end]) ?? 0
                months.append((month, count))
                before = month.milliseconds
            }
            return months
        }
    }

    /// Of few photos each is looked at.
    private func monthsOfPart(_ scope: TimelineScope) async throws -> [(month: CalendarMonth, count: Int)] {
        try await read { [self] database in
            try prepare(scope, database)
            var months: [(month: CalendarMonth, count: Int)] = []
            let sql = "SELECT shown FROM photo WHERE \(LibrarySchema.isTile) \(scope.condition) ORDER BY shown DESC"
            let shown = try Int64.fetchCursor(database, sql: sql)
            while let moment = try shown.next() {
                if let last = months.last, moment >= last.month.milliseconds {
                    months[months.count - 1].count += 1
                } else {
                    months.append((CalendarMonth(milliseconds: moment), 1))
                }
            }
            return months
        }
    }

    /// Photos of a month, the newest first, and what stands around them.
    /// - Parameter before: where the last photo of the page before stands, whether or not it is still there.
    package func part(
        of month: CalendarMonth, in scope: TimelineScope = .timeline, before: TimelinePlace?, skipping skipped: Int,
        limit: Int
    ) async throws -> TimelinePart {
        let end =
            if let before, before.shownAt < month.next.milliseconds {
                (shown: before.shownAt, serial: Int64(clamping: before.serial))
            } else {
                (shown: month.next.milliseconds, serial: Int64.min)
            }
        return try await read { [self] database in
            try Self.indexTimeline(database)
            try prepare(scope, database)
            let found = try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo WHERE \(LibrarySchema.isTile) \(scope.condition)
                    AND shown >= ? AND (shown, serial) < (?, ?) ORDER BY shown DESC, serial DESC LIMIT ? OFFSET ?
                    """,
                arguments: [month.milliseconds, end.shown, end.serial, limit + 1, skipped])
            var part = TimelinePart(photos: Array(found.prefix(limit)), isLast: found.count <= limit)
            guard let newest = part.photos.first, let oldest = part.photos.last else { return part }
            part.newer = try Self.next(to: newest, in: scope, ">", "ASC", database).reversed()
            part.older = try Self.next(to: oldest, in: scope, "<", "DESC", database)
            return part
        }
    }

    private static func next(
        to photo: LibraryPhoto, in scope: TimelineScope, _ side: String, _ order: String, _ database: Database
    ) throws -> [LibraryPhoto] {
        try LibraryPhoto.fetchAll(
            database,
            sql: """
                SELECT * FROM photo WHERE \(LibrarySchema.isTile) \(scope.condition)
                AND (shown, serial) \(side) (?, ?)
                ORDER BY shown \(order), serial \(order) LIMIT ?
                """,
            arguments: [photo.shownAt, signed(photo.serial), LivePhotoPage.margin])
    }

    private static func newest(_ before: Int64, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT max(shown) FROM photo
                WHERE \(LibrarySchema.isTile) AND \(LibrarySchema.isInTimeline) AND shown < ?
                """, arguments: [before])
    }

    /// Blocking. Those that may have been taken within an hour of an instant, in whichever zone; the nearest by the clock
    /// of this host, if there are many.
    func takenAroundBlocking(_ instant: Int64) throws -> [LibraryPhoto] {
        try readBlocking { database in
            try Self.indexTimeline(database)
            return try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo WHERE \(LibrarySchema.isTile) AND shown BETWEEN ? AND ? AND taken IS NOT NULL
                    ORDER BY abs(shown - ?) LIMIT 256
                    """,
                arguments: [
                    instant - 13 * Self.hour, instant + 15 * Self.hour, HostZone.wallClock(of: instant),
                ])
        }
    }

    /// Blocking. What came shortly before and after a photo, and has a name that begins with a digit.
    func arrivedAroundBlocking(_ serial: UInt64) throws -> [LibraryPhoto] {
        try readBlocking { database in
            try LibraryPhoto.fetchAll(
                database, sql: "SELECT * FROM photo WHERE serial BETWEEN ? AND ? AND name GLOB '[0-9]*'",
                arguments: [Self.signed(serial - min(serial, Self.mostAround)), Self.signed(serial + Self.mostAround)])
        }
    }

    private static let mostAround: UInt64 = 512

    /// Blocking. Of these the videos.
    func videosAroundBlocking(_ instant: Int64) throws -> [LibraryPhoto] {
        try readBlocking { database in
            try Self.indexTimeline(database)
            return try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo INDEXED BY photo_video
                    WHERE \(Self.isVideo) AND shown BETWEEN ? AND ? AND taken IS NOT NULL LIMIT 64
                    """,
                arguments: [instant - 13 * Self.hour, instant + 15 * Self.hour])
        }
    }

    private static let hour: Int64 = 3_600_000
    private static let isVideo = "deleted IS NULL AND \(LibrarySchema.isVideo)"

    /// Made by the first who looks at the timeline or at albums: an opening does not wait for it.
    static func indexTimeline(_ database: Database) throws {
        try database.run(
            "CREATE INDEX IF NOT EXISTS photo_shown ON photo(shown, serial, marks) WHERE \(LibrarySchema.isTile)")
        try database.run("CREATE INDEX IF NOT EXISTS photo_video ON photo(shown) WHERE \(isVideo)")
    }
}
