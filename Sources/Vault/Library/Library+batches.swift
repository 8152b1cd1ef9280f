import Foundation
import GRDB
package import Records

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
