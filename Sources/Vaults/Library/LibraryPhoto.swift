import Foundation
import GRDB
import Store

/// A row of the library.
struct LibraryPhoto: FetchableRecord, Sendable {
    var serial: UInt64
    var rowNumber: UInt64
    var object: ObjectID
    var byteCount: UInt64
    var name: String
    var type: String
    var receivedAt: UInt64
    var modifiedAt: UInt64?
    var deletedAt: UInt64?
    var sha256: [UInt8]?
    /// As `LibrarySchema.firstPart` gives it.
    var firstPart: Int64?
    var verifiedAt: UInt64?
    var damagedAt: UInt64?
    var runCount: Int

    init(row: Row) throws {
        serial = Self.unsigned(row["serial"])
        rowNumber = Self.unsigned(row["row"])
        guard let object = ObjectID(bytes: row["object"] as Data) else { throw VaultError.damaged }
        self.object = object
        byteCount = Self.unsigned(row["byte_count"])
        name = row["name"]
        type = row["type"]
        receivedAt = Self.unsigned(row["received"])
        modifiedAt = (row["modified"] as Int64?).map(Self.unsigned)
        deletedAt = (row["deleted"] as Int64?).map(Self.unsigned)
        sha256 = (row["sha256"] as Data?).map(Array.init)
        firstPart = row["first_part"]
        verifiedAt = (row["verified"] as Int64?).map(Self.unsigned)
        damagedAt = (row["damaged"] as Int64?).map(Self.unsigned)
        runCount = row["run_count"]
    }

    init(_ entry: LibraryEntry) {
        serial = entry.record.serial
        rowNumber = entry.rowNumber
        object = entry.record.object
        byteCount = entry.record.byteCount
        name = entry.record.name
        type = entry.record.type
        receivedAt = entry.record.receivedAt
        modifiedAt = entry.record.modifiedAt
        deletedAt = entry.record.deletedAt
        sha256 = entry.record.sha256
        firstPart = entry.record.firstPartDigest.map(LibrarySchema.firstPart)
        verifiedAt = entry.record.verifiedAt
        damagedAt = entry.record.damagedAt
        runCount = entry.record.runs.count
    }

    private static func unsigned(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }
}
