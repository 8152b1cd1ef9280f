import Foundation
import GRDB
import Imaging
import Store

/// Where a photo stands in "Recently deleted", which is in the order of these.
struct TrashPlace: Sendable {
    /// Milliseconds since 1970.
    var deletedAt: UInt64
    var serial: UInt64
}

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
    /// As `LibrarySchema.shown` gives it.
    var shownAt: Int64
    /// Nil until somebody looked into the file with this version's decoders.
    var picture: PictureNote?
    /// As in the record.
    var takenAt: [UInt8]?
    var facts: [UInt8]?
    /// The serial of the photo to which it belongs as a sidecar.
    var owner: UInt64?

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
        shownAt = row["shown"]
        picture = (row["picture"] as Int64?).flatMap {
            PictureNote([imagingVersion, UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)])
        }
        takenAt = (row["taken"] as Data?).map(Array.init)
        facts = (row["facts"] as Data?).map(Array.init)
        owner = (row["owner"] as Int64?).flatMap { $0 == LibrarySchema.nobody ? nil : Self.unsigned($0) }
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
        firstPart = entry.record.firstPart
        verifiedAt = entry.record.verifiedAt
        damagedAt = entry.record.damagedAt
        runCount = entry.record.runs.count
        shownAt = LibrarySchema.shown(entry.record)
        picture = entry.record.picture.flatMap { $0.isFinal ? $0 : nil }
        takenAt = entry.record.takenAt
        facts = entry.record.facts
    }

    var isVideo: Bool { type.hasPrefix("video/") }

    private static func unsigned(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }
}
