import Foundation
import GRDB
import GRDBSQLite
package import Records
import Store
import Synchronization

/// What the library knows of a finished upload.
package struct FinishedUpload: Sendable {
    package var id: UploadID
    /// Days since 1970; the last one on which it counts.
    package var expiresDay: UInt32
    package var isDuplicate: Bool
    package var photo: LibraryPhoto
}

extension Library {
    /// The photo that an upload became, as long as that is remembered.
    package func finished(_ upload: UploadID, today: UInt32) async throws -> FinishedUpload? {
        try await read { try Self.finished("upload = ?", Data(upload.bytes), today, $0) }
    }

    /// The same by what makes two creations the same one, while its photo is listed and sound: who sends again what was
    /// deleted or damaged wants it stored.
    package func finished(_ creation: CreationKey, today: UInt32) async throws -> FinishedUpload? {
        let isThere = "serial IN (SELECT serial FROM photo WHERE deleted IS NULL AND damaged IS NULL)"
        return try await read { try Self.finished("creation = ? AND \(isThere)", Data(creation.bytes), today, $0) }
    }

    private static func finished(
        _ condition: String, _ value: Data, _ today: UInt32, _ database: Database
    ) throws -> FinishedUpload? {
        let sql = "SELECT * FROM origin WHERE \(condition) AND expires >= ? ORDER BY expires DESC LIMIT 1"
        guard let row = try Row.fetchOne(database, sql: sql, arguments: [value, Int64(today)]),
            let id = UploadID(bytes: row["upload"] as Data),
            let photo = try photo(UInt64(bitPattern: row["serial"]), database)
        else { return nil }
        return FinishedUpload(
            id: id, expiresDay: UInt32(clamping: row["expires"] as Int64), isDuplicate: row["duplicate"], photo: photo)
    }

    // MARK: Content that may be there already

    /// Blocking. Whether a photo of this size begins with the same 4 KiB.
    package func hasLikelyDuplicate(byteCount: UInt64, firstPartDigest: [UInt8]) throws -> Bool {
        let firstPart = LibrarySchema.firstPart(firstPartDigest)
        guard firstParts.withLock({ $0.contains(firstPart) }) else { return false }
        return try readBlocking { database in
            try database.hasRow(
                "SELECT 1 FROM photo WHERE byte_count = ? AND first_part = ? AND deleted IS NULL LIMIT 1",
                [.integer(Self.signed(byteCount)), .integer(firstPart)])
        }
    }

    /// Whether a photo has so many bytes.
    package func hasPhoto(byteCount: UInt64) async throws -> Bool {
        try await read { database in
            try database.hasRow(
                "SELECT 1 FROM photo WHERE byte_count = ? AND deleted IS NULL LIMIT 1",
                [.integer(Self.signed(byteCount))])
        }
    }

    /// Blocking. Serials of photos with this content that were read back from disk and are not deleted, oldest first.
    /// - Parameter firstPart: as `LibrarySchema.firstPart` gives it: many photos may have one size.
    package func verified(byteCount: UInt64, firstPart: Int64?, sha256: [UInt8]) throws -> [UInt64] {
        try serials(byteCount, firstPart, sha256, where: "verified IS NOT NULL AND damaged IS NULL")
    }

    /// Blocking. The same of photos whose stored bytes are damaged.
    func damaged(byteCount: UInt64, firstPart: Int64?, sha256: [UInt8]) throws -> [UInt64] {
        try serials(byteCount, firstPart, sha256, where: "damaged IS NOT NULL")
    }

    private func serials(
        _ byteCount: UInt64, _ firstPart: Int64?, _ sha256: [UInt8], where condition: String
    ) throws -> [UInt64] {
        try readBlocking { database in
            var serials: [UInt64] = []
            let statement = try database.cachedStatement(
                sql: """
                    SELECT serial FROM photo WHERE byte_count = ? AND first_part IS ? AND sha256 = ?
                    AND \(condition) AND deleted IS NULL ORDER BY serial
                    """)
            try statement.run([.integer(Self.signed(byteCount)), .optional(firstPart), .blob(sha256)]) { row in
                serials.append(UInt64(bitPattern: sqlite3_column_int64(row, 0)))
            }
            return serials
        }
    }

    /// The oldest photo with this content that was read back from disk and is not deleted.
    package func photo(byteCount: UInt64, sha256: [UInt8]) async throws -> LibraryPhoto? {
        try await read { database in
            try LibraryPhoto.fetchOne(
                database,
                sql: """
                    SELECT * FROM photo WHERE byte_count = ? AND sha256 = ?
                    AND verified IS NOT NULL AND damaged IS NULL AND deleted IS NULL ORDER BY serial LIMIT 1
                    """, arguments: [Self.signed(byteCount), Data(sha256)])
        }
    }

    /// How many photos wait to be read back from disk.
    package func unverifiedCount() async throws -> Int {
        try await read { database in
            try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM photo WHERE verified IS NULL AND damaged IS NULL") ?? 0
        }
    }

    /// The newest photo that was not read back from disk yet, or else one of too many runs.
    func unverified(except left: Set<UInt64>) async throws -> LibraryPhoto? {
        try await read { database in
            for condition in ["verified IS NULL", "run_count > \(RunBoundary.mostRunsOfPhoto)"] {
                let photos = try LibraryPhoto.fetchCursor(
                    database, sql: "SELECT * FROM photo WHERE \(condition) ORDER BY serial DESC")
                while let photo = try photos.next() {
                    if !left.contains(photo.serial) { return photo }
                }
            }
            return nil
        }
    }

    /// - Returns: with each answer the serial of the oldest photo that is meant; nil for `new`.
    package func answers(
        to questions: [ContentQuestion]
    ) async throws -> [(answer: ContentAnswer, serial: UInt64?)] {
        let questions = try questions.map(LibraryQuestion.init)
        return try await read { database in
            try questions.map { question in
                let serial = try Int64.fetchOne(
                    database,
                    sql: """
                        SELECT serial FROM photo WHERE byte_count = ? AND \(question.column) = ?
                        AND verified IS NOT NULL AND damaged IS NULL AND deleted IS NULL ORDER BY serial LIMIT 1
                        """, arguments: [Self.signed(question.byteCount), Data(question.digest)])
                return (serial == nil ? .new : question.answer, serial.map { UInt64(bitPattern: $0) })
            }
        }
    }
}

extension Library {
    /// Nil when there is none, or its days are over.
    package func batch(_ id: BatchID, today: UInt32) async throws -> BatchEntry? {
        try await read { try Self.batch(id, today, $0) }
    }

    /// Blocking.
    func batchBlocking(_ id: BatchID, today: UInt32) throws -> BatchEntry? {
        try readBlocking { try Self.batch(id, today, $0) }
    }

    /// Blocking. Whether there is such a batch once these changes are made.
    func hasBatch(_ id: BatchID, after changes: [LibraryChange], today: UInt32) throws -> Bool {
        for change in changes {
            if case .putBatch(let entry) = change, entry.record.id == id { return entry.record.expiresDay >= today }
        }
        return try batchBlocking(id, today: today) != nil
    }

    /// Blocking.
    func allBatchesBlocking() throws -> [BatchEntry] {
        try readBlocking { try Row.fetchAll($0, sql: "SELECT * FROM batch").compactMap(Self.entry) }
    }

    /// Blocking. Batches whose days are over.
    func expiredBatches(today: UInt32) throws -> [BatchEntry] {
        try readBlocking { database in
            try Row.fetchAll(database, sql: "SELECT * FROM batch WHERE expires < ?", arguments: [Int64(today)])
                .compactMap(Self.entry)
        }
    }

    /// Batches that no photo names, those first that are over first.
    package func emptyBatches() async throws -> [BatchEntry] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM batch WHERE NOT EXISTS (SELECT 1 FROM member WHERE member.batch = batch.id)
                    ORDER BY expires, finished DESC, row
                    """
            ).compactMap(Self.entry)
        }
    }

    private static func batch(_ id: BatchID, _ today: UInt32, _ database: Database) throws -> BatchEntry? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM batch WHERE id = ? AND expires >= ?",
            arguments: [Data(id.bytes), Int64(today)]
        ).flatMap(entry)
    }

    private static func entry(_ row: Row) -> BatchEntry? {
        guard let id = BatchID(bytes: row["id"] as Data) else { return nil }
        var record = BatchRecord(id: id, expiresDay: UInt32(clamping: row["expires"] as Int64))
        record.isFinished = row["finished"]
        return BatchEntry(rowNumber: UInt64(bitPattern: row["row"]), record: record)
    }

    /// What the photos of a batch say.
    package func tally(of id: BatchID) async throws -> BatchTally {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*) AS uploads, total(member.duplicate) AS duplicates,
                        count(photo.damaged) AS damaged, count(*) FILTER (WHERE \(Self.isVerified)) AS verified
                    FROM member JOIN photo ON photo.serial = member.serial
                    WHERE member.batch = ? AND \(Self.isNotHeld)
                    """, arguments: [Data(id.bytes)])
            guard let row else { return BatchTally() }
            let duplicates = Int(row["duplicates"] as Double)
            return BatchTally(
                saved: row["uploads"] - duplicates, duplicates: duplicates, damaged: row["damaged"],
                verified: row["verified"])
        }
    }

    /// A part of what was read back, in the order of arrival: a batch may be as large as the library.
    /// - Parameter last: where the part before ended; nil for the first one
    /// - Returns: with the lines, where they end; nil when they are the last.
    package func receipt(
        of id: BatchID, behind last: ReceiptPlace?, atMost count: Int
    ) async throws -> (lines: [ReceiptLine], end: ReceiptPlace?) {
        try await read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT member.serial, member.rowid AS entry, coalesce(member.name, photo.name) AS name,
                        photo.byte_count, photo.sha256
                    FROM member CROSS JOIN photo ON photo.serial = member.serial
                    WHERE member.batch = ? AND (member.serial, member.rowid) > (?, ?) AND \(Self.isVerified)
                        AND \(Self.isNotHeld)
                    ORDER BY member.serial, member.rowid LIMIT ?
                    """, arguments: [Data(id.bytes), last?.serial ?? .min, last?.entry ?? .min, Int64(count)])
            var (lines, end): ([ReceiptLine], ReceiptPlace?) = ([], nil)
            while let row = try rows.next() {
                end = ReceiptPlace(serial: row["serial"], entry: row["entry"])
                lines.append(
                    ReceiptLine(
                        name: row["name"], byteCount: UInt64(bitPattern: row["byte_count"]),
                        sha256: Array(row["sha256"] as Data)))
            }
            return (lines, lines.count < count ? nil : end)
        }
    }

    /// What is in no list has no line in a receipt.
    private static let isNotHeld = "ifnull(photo.sidecar, 0) & 1 = 0"
    private static let isVerified = "photo.damaged IS NULL AND photo.verified IS NOT NULL AND photo.sha256 IS NOT NULL"
}

/// Where a part of a receipt ends.
package struct ReceiptPlace: Sendable {
    fileprivate let serial: Int64
    fileprivate let entry: Int64
}

package struct BatchTally: Sendable {
    package var saved = 0
    package var duplicates = 0
    package var damaged = 0
    package var verified = 0
}
