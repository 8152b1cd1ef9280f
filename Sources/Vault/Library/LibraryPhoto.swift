import Foundation
package import GRDB
import Imaging
package import Media
package import Records
package import Store

/// Where a photo stands in "Recently deleted", which is in the order of these.
package struct TrashPlace: Sendable {
    /// Milliseconds since 1970.
    package var deletedAt: UInt64
    package var serial: UInt64

    package init(deletedAt: UInt64, serial: UInt64) {
        self.deletedAt = deletedAt
        self.serial = serial
    }
}

/// A row of the library.
package struct LibraryPhoto: FetchableRecord, Sendable {
    package var serial: UInt64
    package var rowNumber: UInt64
    package var object: ObjectID
    package var byteCount: UInt64
    package var name: String
    package var type: String
    package var receivedAt: UInt64
    package var modifiedAt: UInt64?
    /// Set also while it waits for its owner's look: lists show neither.
    package var deletedAt: UInt64?
    package var sha256: [UInt8]?
    /// As `LibrarySchema.firstPart` gives it.
    package var firstPart: Int64?
    package var verifiedAt: UInt64?
    package var damagedAt: UInt64?
    var runCount: Int
    /// As `LibrarySchema.shown` gives it.
    package var shownAt: Int64
    /// Nil until somebody looked into the file with this version's decoders.
    package var picture: PictureNote?
    /// As the record's `shownTakenAt`.
    package var takenAt: [UInt8]?
    package var facts: [UInt8]?
    /// The serial of the photo to which it belongs as a sidecar.
    package var owner: UInt64?
    /// As in the record, but for the time, which stands above.
    package var keeping = Keeping()
    /// Where it came through a door.
    package var given: Given?
    package var sidecar: SidecarState?
    /// As `LibrarySchema.folder` gives it.
    var folder: Int64?

    /// It is in no list, and was not deleted: for its owner's look, or for the photo of which it speaks.
    package var isWaiting: Bool { given?.isWaiting == true || isHeld }
    /// A sidecar that is nothing else.
    package var isHeld: Bool { sidecar?.isHeld == true }

    package init(row: Row) throws {
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
        keeping.marks = UInt8(truncatingIfNeeded: row["marks"] as Int64)
        keeping.caption = row["caption"]
        keeping.albums = (row["albums"] as Data?).map { Keeping.albums(Array($0)) } ?? []
        keeping.edit = (row["edit"] as Data?).flatMap { PhotoEdit(encoded: Array($0)) }
        given = (row["given"] as Data?).flatMap { Given(encoded: Array($0)) }
        folder = row["folder"]
        sidecar = (row["sidecar"] as Int64?).map { SidecarState(marks: UInt8(truncatingIfNeeded: $0)) }
    }

    package init(_ entry: LibraryEntry) {
        serial = entry.record.serial
        rowNumber = entry.rowNumber
        object = entry.record.object
        byteCount = entry.record.byteCount
        name = entry.record.name
        type = entry.record.type
        receivedAt = entry.record.receivedAt
        modifiedAt = entry.record.modifiedAt
        deletedAt = LibrarySchema.hiddenAt(entry.record)
        given = entry.record.given
        sidecar = entry.record.sidecar
        folder = LibrarySchema.folder(entry.record)
        sha256 = entry.record.sha256
        firstPart = entry.record.firstPart
        verifiedAt = entry.record.verifiedAt
        damagedAt = entry.record.damagedAt
        runCount = entry.record.runs.count
        shownAt = LibrarySchema.shown(entry.record)
        picture = entry.record.picture.flatMap { $0.isFinal ? $0 : nil }
        takenAt = entry.record.shownTakenAt
        facts = entry.record.facts
        keeping = entry.record.keeping
        keeping.takenAt = nil
    }

    /// What a raw file and the picture of the same shot have in common.
    package func shot(_ details: PhotoDetails) -> ShotKey? {
        ShotKey(
            name: name, type: MediaType(mimeType: type), takenAt: details.takenAt, folder: folder,
            origin: given?.encoded)
    }

    package var isVideo: Bool { type.hasPrefix("video/") }

    /// Whether both are one photo where they have the same content. Two sidecars that say the same are two, each of the
    /// photo that its name names.
    func mayBeOne(with record: PhotoRecord) -> Bool { name == record.name || record.family.sidecar == nil }
    func mayBeOne(with photo: LibraryPhoto) -> Bool {
        name == photo.name || FamilyName(photo.name, isKnown: MediaType(mimeType: photo.type) != .other).sidecar == nil
    }

    private static func unsigned(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) }
}
