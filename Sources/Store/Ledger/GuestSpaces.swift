import Foundation
internal import GRDB

/// Which rows of guests are meant: those of one space, or those of an older version, which say only their day.
package struct GuestSpaceID: Hashable, Sendable {
    /// Of the space's head; nil for rows that do not name one.
    package let row: RowID?
    /// The last day on which they are kept, where they do not.
    package let day: UInt32

    package init(row: RowID) {
        self.row = row
        day = 0
    }

    package init(rowsOf day: UInt32) {
        row = nil
        self.day = day
    }

    fileprivate var condition: (sql: String, arguments: [SQLValue]) {
        if let row { ("space = ?", [.id(row)]) } else { ("space IS NULL AND expires_day = ?", [.integer(Int64(day))]) }
    }
}

/// What stands in clear of one guest's space.
package struct GuestSpaceRows: Sendable {
    package let id: GuestSpaceID
    /// The last day on which it is kept.
    package let expiresDay: UInt32
    package var rowCount = 0
    /// Of its photos.
    package var objects: [ObjectID] = []
    /// Of its unfinished uploads, as far as bytes have come.
    package var parts: [ObjectID] = []
}

extension LedgerReader {
    /// Of all guests, the oldest first.
    package func guestSpaces() throws -> [GuestSpaceRows] {
        try translatingLedgerErrors {
            var spaces: [GuestSpaceID: GuestSpaceRows] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT space, object, expires_day FROM guest")
            while let row = try rows.next() {
                let day = UInt32(clamping: row["expires_day"] as Int64)
                let named = (row["space"] as Data?).flatMap { RowID(bytes: $0) }
                let id = named.map { GuestSpaceID(row: $0) } ?? GuestSpaceID(rowsOf: day)
                var space = spaces[id] ?? GuestSpaceRows(id: id, expiresDay: day)
                space.rowCount += 1
                if let object = (row["object"] as Data?).flatMap({ ObjectID(bytes: $0) }) {
                    space.objects.append(object)
                }
                spaces[id] = space
            }
            let uploads = try Row.fetchCursor(
                database, sql: "SELECT space, part FROM upload WHERE space IS NOT NULL AND part IS NOT NULL")
            while let row = try uploads.next() {
                guard let space = RowID(bytes: row["space"] as Data), let part = ObjectID(bytes: row["part"] as Data)
                else { continue }
                spaces[GuestSpaceID(row: space)]?.parts.append(part)
            }
            return spaces.values.sorted { one, other in
                one.expiresDay == other.expiresDay
                    ? (one.id.row?.bytes ?? []).lexicographicallyPrecedes(other.id.row?.bytes ?? [])
                    : one.expiresDay < other.expiresDay
            }
        }
    }
}

extension LedgerTransaction {
    /// Whether there is neither a photo in it nor an unfinished upload.
    package func isEmptyGuest(_ space: RowID) throws -> Bool {
        try recording {
            let photos = "SELECT 1 FROM guest WHERE space = ? AND object IS NOT NULL LIMIT 1"
            if try database.hasRow(photos, [.id(space)]) { return false }
            return try !database.hasRow("SELECT 1 FROM upload WHERE space = ? LIMIT 1", [.id(space)])
        }
    }

    /// Takes out everything of that space; its objects and previews become doomed. Nobody's key is needed.
    /// - Returns: its unfinished uploads.
    package func endGuest(_ space: GuestSpaceID) throws -> [(part: ObjectID?, expiresDay: UInt32)] {
        try recording {
            let (condition, arguments) = space.condition
            for place in 0..<Self.previewsPerPhoto {
                let start = place * PreviewID.byteCount
                try database.run(
                    """
                    INSERT OR IGNORE INTO doomed_preview (id) SELECT substr(preview, \(start + 1), \(PreviewID.byteCount))
                    FROM guest WHERE \(condition) AND length(preview) >= \(start + PreviewID.byteCount)
                    """, arguments)
            }
            let objects = "SELECT object FROM guest WHERE \(condition) AND object IS NOT NULL"
            try database.run("INSERT OR IGNORE INTO doomed (id) \(objects)", arguments)
            try database.run("DELETE FROM object WHERE id IN (\(objects))", arguments)
            try database.run("DELETE FROM guest WHERE \(condition)", arguments)
            if let row = space.row { try deleteArrival(row) }
            return try space.row.map(endUploads) ?? []
        }
    }

    private func endUploads(of space: RowID) throws -> [(part: ObjectID?, expiresDay: UInt32)] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT part, expires_day FROM upload WHERE space = ?", arguments: [Data(space.bytes)])
        let parts = "SELECT part FROM upload WHERE space = ? AND part IS NOT NULL"
        try database.run("INSERT OR IGNORE INTO doomed (id) \(parts)", [.id(space)])
        try database.run("DELETE FROM upload WHERE space = ?", [.id(space)])
        return rows.map { row in
            ((row["part"] as Data?).flatMap { ObjectID(bytes: $0) }, UInt32(clamping: row["expires_day"] as Int64))
        }
    }
}
