import Foundation
internal import GRDB
import Glibc

/// Doors, and the notes by which vaults find what was given at them. Both are sealed, each kind is of one size.
extension LedgerTransaction {
    /// Bytes of a door's body.
    package static let doorByteCount = 1792
    /// Bytes of an arrival's body.
    package static let arrivalByteCount = 1392
    /// The last day of a door is at most so many days ahead; beyond it, it is kept as long as a session.
    package static let mostDoorDays: UInt32 = 366

    /// Inserts or replaces.
    /// - Parameter expiresDay: days since 1970: the last day on which it is kept.
    package func putDoor(_ id: DoorID, body: [UInt8], expiresDay: UInt32) throws {
        try requireSize(body, Self.doorByteCount, "a door")
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO door (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(id), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func door(_ id: DoorID) throws -> [UInt8]? { try recording { try LedgerReader(database).door(id) } }

    package func deleteDoor(_ id: DoorID) throws {
        try recording { try database.run("DELETE FROM door WHERE id = ?", [.id(id)]) }
    }

    /// - Parameter space: the guest's space that it tells of.
    package func putArrival(_ space: RowID, body: [UInt8], expiresDay: UInt32) throws {
        try requireSize(body, Self.arrivalByteCount, "an arrival")
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO arrival (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(space), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func deleteArrival(_ space: RowID) throws {
        try recording { try database.run("DELETE FROM arrival WHERE id = ?", [.id(space)]) }
    }

    /// Random rows that nobody holds a token for: without them the number of doors would tell how many there are. Their
    /// last days are drawn as people choose them: most are near.
    func addCoverDoors(_ count: Int, today: UInt32) throws {
        for _ in 0..<count {
            let ahead = UInt32(exp2(Double.random(in: 0...log2(Double(Self.mostDoorDays)))))
            try putDoor(
                .random(), body: try randomBytes(Self.doorByteCount),
                expiresDay: today + ahead + LedgerSchema.sessionDays)
        }
    }

    func expireDoors(before day: UInt32) throws {
        try database.run("DELETE FROM door WHERE expires_day < ?", [.integer(Int64(day))])
        try database.run("DELETE FROM arrival WHERE expires_day < ?", [.integer(Int64(day))])
    }

    private func requireSize(_ body: [UInt8], _ byteCount: Int, _ what: String) throws {
        guard body.count == byteCount else {
            throw StoreError.ioFailed(operation: "storing \(what) of \(body.count) bytes", errno: EINVAL)
        }
    }
}

extension LedgerReader {
    package func door(_ id: DoorID) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT body FROM door WHERE id = ?", [.id(id)]) }
    }

    package func arrival(_ space: RowID) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT body FROM arrival WHERE id = ?", [.id(space)]) }
    }

    /// The spaces that tell of themselves, which are those of all guests.
    package func arrivals() throws -> [RowID] {
        try translatingLedgerErrors {
            var found: [RowID] = []
            try database.forEachBlobs("SELECT id FROM arrival", columns: 1) { blobs in
                if let id = RowID(bytes: blobs[0]) { found.append(id) }
            }
            return found
        }
    }
}

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
