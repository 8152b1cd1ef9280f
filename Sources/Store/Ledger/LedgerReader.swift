import Bytes
import Foundation
internal import GRDB

/// One consistent view of the ledger. Valid inside the closure that got it.
package struct LedgerReader {
    let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// 512 bytes, or nil.
    package func row(_ id: RowID, in home: RowHome = .vault) throws -> [UInt8]? {
        try translatingLedgerErrors {
            try database.blob("SELECT body FROM \(home.table) WHERE id = ?", [.id(id)])
        }
    }

    /// One scan of the table, in the order of the ids; much faster than as many look-ups. The buffer is valid inside
    /// the call only.
    package func forEachRow(
        in home: RowHome = .vault, _ body: (RowID, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try translatingLedgerErrors {
            try database.forEachBlobs("SELECT id, body FROM \(home.table) ORDER BY id", columns: 2) { blobs in
                guard let id = RowID(bytes: blobs[0]) else { return }
                try body(id, blobs[1])
            }
        }
    }

    package func rowCount(in home: RowHome = .vault) throws -> Int {
        try translatingLedgerErrors { try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(home.table)") ?? 0 }
    }

    /// In the order of the ids.
    package func forEachObject(_ body: (ObjectID) throws -> Void) throws {
        try forEachID("SELECT id FROM object ORDER BY id", [], body)
    }

    /// In the order of the ids.
    package func forEachGuestObject(_ body: (ObjectID) throws -> Void) throws {
        try forEachID("SELECT object FROM guest WHERE object IS NOT NULL", [], body)
    }

    package func upload(_ id: RowID) throws -> (body: [UInt8], part: ObjectID?, expiresDay: UInt32)? {
        try translatingLedgerErrors {
            let sql = "SELECT body, part, expires_day FROM upload WHERE id = ?"
            guard let row = try Row.fetchOne(database, sql: sql, arguments: [Data(id.bytes)]) else { return nil }
            return (
                [UInt8](row["body"] as Data), (row["part"] as Data?).flatMap { ObjectID(bytes: $0) },
                UInt32(clamping: row["expires_day"] as Int64)
            )
        }
    }

    package func containsUpload(_ id: RowID) throws -> Bool {
        try translatingLedgerErrors {
            try database.hasRow("SELECT 1 FROM upload WHERE id = ?", [.id(id)])
        }
    }

    /// Unfinished uploads of everybody: id, sealed body, the object that the bytes go to, and the last day on which
    /// it is kept.
    package func forEachUpload(_ body: (RowID, [UInt8], ObjectID?, UInt32) throws -> Void) throws {
        try translatingLedgerErrors {
            let rows = try Row.fetchCursor(database, sql: "SELECT id, body, part, expires_day FROM upload")
            while let row = try rows.next() {
                guard let id = RowID(bytes: row["id"] as Data) else { continue }
                let part = (row["part"] as Data?).flatMap { ObjectID(bytes: $0) }
                try body(id, [UInt8](row["body"] as Data), part, UInt32(clamping: row["expires_day"] as Int64))
            }
        }
    }

    package func metaValue(_ key: String) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT value FROM meta WHERE key = ?", [.text(key)]) }
    }

    package func throttleEntry(_ key: [UInt8]) throws -> [UInt8]? {
        try translatingLedgerErrors { try database.blob("SELECT value FROM throttle WHERE key = ?", [.blob(key)]) }
    }

    package func throttleEntries() throws -> [(key: [UInt8], value: [UInt8])] {
        try translatingLedgerErrors {
            var entries: [(key: [UInt8], value: [UInt8])] = []
            try database.forEachBlobs("SELECT key, value FROM throttle", columns: 2) { blobs in
                entries.append(([UInt8](blobs[0]), [UInt8](blobs[1])))
            }
            return entries
        }
    }

    /// `isLive` when the ledger also lists the object as alive; such a file is never unlinked.
    func doomedObjects(limit: Int) throws -> [(id: ObjectID, isLive: Bool)] {
        try translatingLedgerErrors {
            var doomed: [(id: ObjectID, isLive: Bool)] = []
            let sql = """
                SELECT doomed.id, object.id FROM doomed LEFT JOIN object ON object.id = doomed.id LIMIT \(limit)
                """
            try database.forEachBlobs(sql, columns: 2) { blobs in
                guard let id = ObjectID(bytes: blobs[0]) else { return }
                doomed.append((id, !blobs[1].isEmpty))
            }
            return doomed
        }
    }

    /// Whether a row names this object as a photo's.
    func isLive(_ id: ObjectID) throws -> Bool {
        try translatingLedgerErrors { try database.hasRow("SELECT 1 FROM object WHERE id = ?", [.id(id)]) }
    }

    /// Every file of one shard that the ledger accounts for as alive.
    func liveObjects(inShard shard: UInt8) throws -> (objects: Set<ObjectID>, parts: Set<ObjectID>) {
        var objects: Set<ObjectID> = []
        var parts: Set<ObjectID> = []
        let first = ObjectID(high: UInt64(shard) << 56, low: 0)
        let last = ObjectID(high: first.high | .max >> 8, low: .max)
        let ends: [SQLValue] = [.id(first), .id(last)]
        try forEachID("SELECT id FROM object WHERE id BETWEEN ? AND ?", ends) { objects.insert($0) }
        try forEachID("SELECT part FROM upload WHERE part BETWEEN ? AND ?", ends) { parts.insert($0) }
        try forEachID("SELECT object FROM guest WHERE object BETWEEN ? AND ?", ends) { parts.insert($0) }
        return (objects, parts)
    }

    package func wipes() throws -> [(position: UInt32, hash: [UInt8])] {
        try translatingLedgerErrors {
            try Row.fetchAll(database, sql: "SELECT position, hash FROM wipe").compactMap { row in
                guard let position = UInt32(exactly: row["position"] as Int64) else { return nil }
                return (position, [UInt8](row["hash"] as Data))
            }
        }
    }

    private func forEachID(_ sql: String, _ values: [SQLValue], _ body: (ObjectID) throws -> Void) throws {
        try translatingLedgerErrors {
            try database.forEachBlob(sql, values) { if let id = ObjectID(bytes: $0) { try body(id) } }
        }
    }
}

/// Which table keeps the sealed rows of an owner.
package enum RowHome: Hashable, Sendable {
    /// Every vault's rows, and rows that nobody owns.
    case vault
    /// Rows of guests. They go when their day has passed, with every key unknown, so this day and the objects stand
    /// there in clear. `expiresDay`, days since 1970: the last day on which they are kept.
    case guest(expiresDay: UInt32)

    var table: String {
        switch self {
        case .vault: "row"
        case .guest: "guest"
        }
    }
}
