internal import GRDB
import Glibc

/// The transaction a change runs in. Valid inside the closure that got it.
package struct LedgerTransaction {
    /// Remembers a failure of SQLite even if the change caught it: it may have ended the whole transaction.
    final class FailureRecord {
        var error: (any Error)?
    }

    let database: Database
    private let failures: FailureRecord

    init(_ database: Database, failures: FailureRecord) {
        self.database = database
        self.failures = failures
    }

    package func row(_ id: RowID, in home: RowHome = .vault) throws -> [UInt8]? {
        try recording { try database.blob("SELECT body FROM \(home.table) WHERE id = ?", [.id(id)]) }
    }

    /// Inserts or replaces. The body must have 512 bytes.
    /// - Parameters:
    ///   - object: of the photo whose first row this is; known in clear for guests only.
    ///   - previews: of that photo, whether or not they were made; the same.
    ///   - space: the guest's space that the row is of; nil for a vault's.
    package func putRow(
        _ id: RowID, _ body: [UInt8], in home: RowHome = .vault, object: ObjectID? = nil, previews: [PreviewID] = [],
        space: RowID? = nil
    ) throws {
        try requireRowSize(body)
        switch home {
        case .vault:
            try recording {
                try database.run(
                    "INSERT INTO row (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                    [.id(id), .blob(body)])
            }
        case .guest(let expiresDay): try putGuestRow(id, body, object, previews, expiresDay, space)
        }
    }

    /// Another body in place of the one that is there; whatever else the row says in clear stays.
    package func replaceBody(of id: RowID, _ body: [UInt8], in home: RowHome = .vault) throws {
        try requireRowSize(body)
        try recording {
            try database.run("UPDATE \(home.table) SET body = ? WHERE id = ?", [.blob(body), .id(id)])
        }
    }

    package func deleteRow(_ id: RowID, in home: RowHome = .vault) throws {
        try recording { try database.run("DELETE FROM \(home.table) WHERE id = ?", [.id(id)]) }
    }

    private func putGuestRow(
        _ id: RowID, _ body: [UInt8], _ object: ObjectID?, _ previews: [PreviewID], _ expiresDay: UInt32,
        _ space: RowID?
    ) throws {
        try recording {
            try database.run(
                """
                INSERT INTO guest (id, body, object, preview, expires_day, space) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET body = excluded.body, object = excluded.object,
                preview = excluded.preview, expires_day = excluded.expires_day, space = excluded.space
                """,
                [
                    .id(id), .blob(body), object.map { .id($0) } ?? .null,
                    previews.isEmpty ? .null : .blob(previews.flatMap(\.bytes)), .integer(Int64(expiresDay)),
                    space.map { .id($0) } ?? .null,
                ])
        }
    }

    private func requireRowSize(_ body: [UInt8]) throws {
        guard body.count == LedgerSchema.rowByteCount else {
            throw StoreError.ioFailed(operation: "storing a row of \(body.count) bytes", errno: EINVAL)
        }
    }

    package func addObject(_ id: ObjectID) throws {
        try recording { try database.run("INSERT OR IGNORE INTO object (id) VALUES (?)", [.id(id)]) }
    }

    /// Takes the object off the list of live ones and puts it on the list of those to unlink.
    package func doomObject(_ id: ObjectID) throws {
        try recording {
            try database.run("DELETE FROM object WHERE id = ?", [.id(id)])
            try database.run("INSERT OR IGNORE INTO doomed (id) VALUES (?)", [.id(id)])
        }
    }

    /// Takes the object off the list of live ones and leaves its file to the next start, which puts it aside.
    package func forgetObject(_ id: ObjectID) throws {
        try recording { try database.run("DELETE FROM object WHERE id = ?", [.id(id)]) }
    }

    /// The object that a guest's row names in clear.
    package func guestObject(of id: RowID) throws -> ObjectID? {
        let object = try recording { try database.blob("SELECT object FROM guest WHERE id = ?", [.id(id)]) }
        return object.flatMap { ObjectID(bytes: $0) }
    }

    /// A slot to fill with random bytes if its SHA-256 still begins with the 4 bytes of `hash`; start-up finishes it.
    package func addWipe(position: UInt32, hash: [UInt8]) throws {
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO wipe (position, hash) VALUES (?, ?)", [.integer(Int64(position)), .blob(hash)])
        }
    }

    package func removeWipes(_ positions: [UInt32]) throws {
        try recording {
            for position in positions {
                try database.run("DELETE FROM wipe WHERE position = ?", [.integer(Int64(position))])
            }
        }
    }

    package func metaValue(_ key: String) throws -> [UInt8]? {
        try recording { try database.blob("SELECT value FROM meta WHERE key = ?", [.text(key)]) }
    }

    /// Nil removes.
    package func setMetaValue(_ key: String, _ value: [UInt8]?) throws {
        try recording {
            guard let value else { return try database.run("DELETE FROM meta WHERE key = ?", [.text(key)]) }
            try database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [.text(key), .blob(value)])
        }
    }

    package func throttleEntry(_ key: [UInt8]) throws -> [UInt8]? {
        try recording { try database.blob("SELECT value FROM throttle WHERE key = ?", [.blob(key)]) }
    }

    /// Nil removes.
    package func setThrottleEntry(_ key: [UInt8], _ value: [UInt8]?) throws {
        try recording {
            guard let value else { return try database.run("DELETE FROM throttle WHERE key = ?", [.blob(key)]) }
            try database.run("INSERT OR REPLACE INTO throttle (key, value) VALUES (?, ?)", [.blob(key), .blob(value)])
        }
    }

    package func throttleEntries() throws -> [(key: [UInt8], value: [UInt8])] {
        try recording { try LedgerReader(database).throttleEntries() }
    }

    // MARK: Uploads

    /// Inserts or replaces an unfinished upload. `part` is the object that its bytes go to; `expiresDay`, days since
    /// 1970, the last day on which it is kept; `space`, the guest's space that it is of.
    package func putUpload(
        _ id: RowID, body: [UInt8], part: ObjectID?, expiresDay: UInt32, space: RowID? = nil
    ) throws {
        try recording {
            try database.run(
                """
                INSERT INTO upload (id, body, part, expires_day, space) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
                SET body = excluded.body, part = excluded.part, expires_day = excluded.expires_day, space = excluded.space
                """,
                [
                    .id(id), .blob(body), part.map { .id($0) } ?? .null, .integer(Int64(expiresDay)),
                    space.map { .id($0) } ?? .null,
                ])
        }
    }

    /// The sealed body of an unfinished upload and the object that its bytes go to.
    package func upload(_ id: RowID) throws -> (body: [UInt8], part: ObjectID?, expiresDay: UInt32)? {
        try recording { try LedgerReader(database).upload(id) }
    }

    package func containsUpload(_ id: RowID) throws -> Bool {
        try recording { try database.hasRow("SELECT 1 FROM upload WHERE id = ?", [.id(id)]) }
    }

    /// Removes the upload; the object that its bytes went to becomes doomed.
    package func doomUpload(_ id: RowID) throws {
        try recording {
            let part = "SELECT part FROM upload WHERE id = ? AND part IS NOT NULL"
            try database.run("INSERT OR IGNORE INTO doomed (id) \(part)", [.id(id)])
            try database.run("DELETE FROM upload WHERE id = ?", [.id(id)])
        }
    }

    /// The part stays as it is: it becomes an object, or is doomed, by another call of the same change.
    package func deleteUpload(_ id: RowID) throws {
        try recording { try database.run("DELETE FROM upload WHERE id = ?", [.id(id)]) }
    }

    // MARK: For the store itself

    /// Whether anything here names an object: as one that lives, as a part of an unfinished upload, or to be removed.
    func accountsFor(_ id: ObjectID) throws -> Bool {
        try recording {
            for (table, column) in [("object", "id"), ("doomed", "id"), ("upload", "part"), ("guest", "object")]
            where try database.hasRow("SELECT 1 FROM \(table) WHERE \(column) = ?", [.id(id)]) {
                return true
            }
            return false
        }
    }

    func forgetDoomed(_ id: ObjectID) throws {
        try recording { try database.run("DELETE FROM doomed WHERE id = ?", [.id(id)]) }
    }

    /// Removes guests, uploads and sessions whose last day is before `day`; their objects become doomed.
    func expire(before day: UInt32) throws -> (guests: Int, uploads: Int, sessions: Int) {
        try recording {
            try doomPreviewsOfGuests(before: day)
            let guests = try expire("guest", objectColumn: "object", before: day)
            let uploads = try expire("upload", objectColumn: "part", before: day)
            try expireDoors(before: day)
            try database.run("DELETE FROM session WHERE expires_day < ?", [.integer(Int64(day))])
            return (guests, uploads, database.changesCount)
        }
    }

    private func expire(_ table: String, objectColumn: String, before day: UInt32) throws -> Int {
        let ids = "SELECT \(objectColumn) FROM \(table) WHERE expires_day < ? AND \(objectColumn) IS NOT NULL"
        try database.run("INSERT OR IGNORE INTO doomed (id) \(ids)", [.integer(Int64(day))])
        try database.run("DELETE FROM object WHERE id IN (\(ids))", [.integer(Int64(day))])
        try database.run("DELETE FROM \(table) WHERE expires_day < ?", [.integer(Int64(day))])
        return database.changesCount
    }

    func recording<R>(_ body: () throws -> R) throws -> R {
        do {
            return try translatingLedgerErrors(body)
        } catch {
            failures.error = failures.error ?? error
            throw error
        }
    }
}

/// Previews to be taken out of their own database. They stand in the transaction that deletes their photo, so that none
/// is left behind by a crash; whether one was made at all does not matter.
extension LedgerTransaction {
    package func doomPreviews(_ ids: [PreviewID]) throws {
        try recording {
            for id in ids { try database.run("INSERT OR IGNORE INTO doomed_preview (id) VALUES (?)", [.id(id)]) }
        }
    }

    func forgetDoomed(_ id: PreviewID) throws {
        try recording { try database.run("DELETE FROM doomed_preview WHERE id = ?", [.id(id)]) }
    }

    /// A guest's rows name their previews in clear, 16 bytes each, for nobody has the key when they go.
    func doomPreviewsOfGuests(before day: UInt32) throws {
        let byteCount = PreviewID.byteCount
        for place in 0..<Self.previewsPerPhoto {
            try database.run(
                """
                INSERT OR IGNORE INTO doomed_preview (id) SELECT substr(preview, \(place * byteCount + 1), \(byteCount))
                FROM guest WHERE expires_day < ? AND length(preview) >= \((place + 1) * byteCount)
                """, [.integer(Int64(day))])
        }
    }

    /// A row that names more of them would leave some behind.
    static let previewsPerPhoto = 2
}

extension LedgerReader {
    func doomedPreviews(limit: Int) throws -> [PreviewID] {
        try translatingLedgerErrors {
            var ids: [PreviewID] = []
            try database.forEachBlobs("SELECT id FROM doomed_preview LIMIT \(limit)", columns: 1) { blobs in
                if let id = PreviewID(bytes: blobs[0]) { ids.append(id) }
            }
            return ids
        }
    }
}

/// Sessions that outlive the daemon. What a row says is sealed under the token of whoever holds the session.
extension LedgerTransaction {
    /// Bytes of a session's body, whoever it is for.
    package static let sessionByteCount = 256

    /// `expiresDay`, days since 1970: the last day on which it is kept.
    package func putSession(_ id: SessionID, body: [UInt8], expiresDay: UInt32) throws {
        guard body.count == Self.sessionByteCount else {
            throw StoreError.ioFailed(operation: "storing a session of \(body.count) bytes", errno: EINVAL)
        }
        try recording {
            try database.run(
                "INSERT OR REPLACE INTO session (id, body, expires_day) VALUES (?, ?, ?)",
                [.id(id), .blob(body), .integer(Int64(expiresDay))])
        }
    }

    package func deleteSession(_ id: SessionID) throws {
        try recording { try database.run("DELETE FROM session WHERE id = ?", [.id(id)]) }
    }

    /// After the ledger was put back from a copy: some of its sessions may have been ended since, and which ones
    /// nobody can tell. Who keeps the mark with a session sees that.
    func renewSessionMark() throws {
        try setMetaValue(LedgerSchema.MetaKey.sessionMark, try randomBytes(LedgerReader.sessionMarkByteCount))
    }

    /// Random rows that nobody holds a token for: without them the number of sessions would tell how many there are.
    func addCoverSessions(_ count: Int, today: UInt32) throws {
        for _ in 0..<count {
            try putSession(
                .random(), body: try randomBytes(Self.sessionByteCount),
                expiresDay: today + LedgerSchema.sessionDays)
        }
    }
}

extension LedgerReader {
    package static let sessionMarkByteCount = 16

    /// 16 bytes; another one whenever the ledger was put back from a copy, and zeros before.
    package func sessionMark() throws -> [UInt8] {
        let mark = try metaValue(LedgerSchema.MetaKey.sessionMark)
        return mark?.count == Self.sessionMarkByteCount
            ? mark ?? [] : [UInt8](repeating: 0, count: Self.sessionMarkByteCount)
    }

    package func session(_ id: SessionID) throws -> [UInt8]? {
        try translatingLedgerErrors {
            try database.blob("SELECT body FROM session WHERE id = ?", [.id(id)])
        }
    }
}
