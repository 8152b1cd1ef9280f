import Foundation
package import FoundationEssentials
package import GRDB
import Imaging
package import Media
package import Records
package import Search
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
    /// What is written in the picture.
    package var words: String?
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
        keeping.place = (row["place"] as Data?).flatMap { SaidPlace(encoded: Array($0)) }
        given = (row["given"] as Data?).flatMap { Given(encoded: Array($0)) }
        folder = row["folder"]
        words = row["words"]
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
        words = entry.record.words
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

/// What the library of an open vault knows of a photo: enough to list it and to find its row.
///
/// A reference: an opening hands on a hundred thousand of them several times, and copying a record costs a dozen counts.
package final class LibraryEntry: Sendable {
    /// The number of the photo's first row.
    let rowNumber: UInt64
    package let record: PhotoRecord
    /// Whether a list may show something else by it.
    let isNews: Bool

    init(rowNumber: UInt64, record: PhotoRecord, isNews: Bool = true) {
        self.rowNumber = rowNumber
        self.record = record
        self.isNews = isNews
    }
}

/// A batch and where it stands.
package struct BatchEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: BatchRecord
}

/// An album and where it stands.
package struct AlbumEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: AlbumRecord
    /// It was removed before, and there are photos that name it already.
    var isBack = false
}

/// A door and where it stands.
package struct DoorEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: DoorRecord
}

/// A window and where it stands.
package struct WindowEntry: Equatable, Sendable {
    package var rowNumber: UInt64
    package var record: WindowRecord
}

package enum LibraryChange: Sendable {
    case put(LibraryEntry)
    case remove(serial: UInt64)
    /// The photo is gone, and an older one has the same content.
    case replace(serial: UInt64, by: UInt64)
    case putBatch(BatchEntry)
    case removeBatch(BatchID)
    case putAlbum(AlbumEntry)
    case removeAlbum(row: UInt64)

    /// The photo's; nil for one of a batch or an album.
    var serial: UInt64? {
        switch self {
        case .put(let entry): entry.record.serial
        case .remove(let serial), .replace(let serial, _): serial
        case .putBatch, .removeBatch, .putAlbum, .removeAlbum: nil
        }
    }

    /// Whether what is listed is another afterwards.
    var isListed: Bool {
        switch self {
        case .put(let entry): entry.isNews
        case .remove, .replace, .putAlbum, .removeAlbum: true
        case .putBatch, .removeBatch: false
        }
    }
}

/// A photo as a session sees it.
package struct Photo: Sendable {
    /// 22 characters of base64url; of this session only, so that a browser's history matches nothing on disk.
    package var id: String
    package var name: String
    /// Media type by content.
    package var type: String
    /// Bytes of the original.
    package var byteCount: UInt64
    package var receivedAt: Date
    package var modifiedAt: Date?
    /// When it was moved to "Recently deleted".
    package var deletedAt: Date?
    /// 32 bytes; nil until it was computed.
    package var sha256: [UInt8]?
    /// Whether a browser may show it in the page's origin.
    package var servedInline: Bool
    /// When it was last read back from disk whole; nil until then.
    package var verifiedAt: Date?
    /// Whether its stored bytes failed their verification.
    package var isDamaged = false
    /// In the answer to an upload: whether the content was there before, and this is that photo. Nil while unknown.
    package var isDuplicate: Bool?
    /// The id of the photo to which it belongs, where it is a sidecar and that is there.
    package var sidecarOf: String?
    /// Whether it says something of photos, and whether it is nothing else.
    package var isUnderstood = false
    package var isHeld = false
    package var details: PhotoDetails

    package init(
        id: String, name: String, type: String, byteCount: UInt64, receivedAt: Date, modifiedAt: Date? = nil,
        deletedAt: Date? = nil, sha256: [UInt8]? = nil, servedInline: Bool, verifiedAt: Date? = nil,
        isDamaged: Bool = false, isDuplicate: Bool? = nil, sidecarOf: String? = nil, isUnderstood: Bool = false,
        isHeld: Bool = false, details: PhotoDetails
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.byteCount = byteCount
        self.receivedAt = receivedAt
        self.modifiedAt = modifiedAt
        self.deletedAt = deletedAt
        self.sha256 = sha256
        self.servedInline = servedInline
        self.verifiedAt = verifiedAt
        self.isDamaged = isDamaged
        self.isDuplicate = isDuplicate
        self.sidecarOf = sidecarOf
        self.isUnderstood = isUnderstood
        self.isHeld = isHeld
        self.details = details
    }
}

/// What became of photos that were deleted for good.
package struct Removal: Sendable {
    /// How many there were. The vault has nothing of them any more, after a power cut neither.
    package let count: Int
    /// What keeps their sealed remains on the disk until the daily work has removed them; nil when nothing of them is
    /// left.
    package let obstacle: VaultError?

    package init(count: Int, obstacle: VaultError?) {
        self.count = count
        self.obstacle = obstacle
    }
}

/// One page of a list, newest first.
package struct PhotoPage: Sendable {
    package var photos: [Photo]
    /// Where the next page begins; nil at the end.
    package var cursor: String?

    package init(photos: [Photo], cursor: String? = nil) {
        self.photos = photos
        self.cursor = cursor
    }
}

/// What a photo says about itself, and whether there is something to show of it.
package struct PhotoDetails: Sendable {
    package var picture: PictureState
    package var takenAt: CaptureTime?
    package var facts: MediaFacts
    /// The id of the few seconds of video that belong to the photo, where it is a Live Photo.
    package var liveVideo: String?
    /// The id of the raw file of the same shot, where the photo is the picture that the camera made of it.
    package var raw: String?
    package var keeping: Keeping
    /// What the place is called where it was taken; nil where that is not known, or has no name.
    package var located: Located?
    /// The number of that at GeoNames.
    package var placeID: UInt32?
    /// Where it came through a door.
    package var given: Given?
    /// Known only of a photo that was asked for by itself.
    package var sidecars: [Photo] = []
    package var albums: [(id: AlbumID, name: String)] = []
    /// What is written in the picture. Known only of a photo that was asked for by itself.
    package var words: String?
    /// Whether something is.
    package var hasWords: Bool
    /// What came of what files beside it say. Known only in the answer to whoever says it.
    package var told: ToldSidecars?

    package init(_ photo: LibraryPhoto) {
        picture = Self.state(of: photo)
        takenAt = photo.takenAt.flatMap { CaptureTime(encoded: $0) }
        facts = photo.facts.map(FactsCoding.decode) ?? MediaFacts()
        keeping = photo.keeping
        given = photo.given
        hasWords = photo.words != nil
    }

    /// Where it was taken: as a person says, else as the file says.
    package var place: Place? { keeping.place?.place ?? facts.place }

    package static func state(of photo: LibraryPhoto) -> PictureState { photo.picture?.state ?? .pending }
}

/// Where a page of a list ends: never between the photo and the video of a Live Photo that stand near each other, nor
/// between the raw file and the picture of a shot.
package enum LivePhotoPage {
    /// How many photos more than a page are looked at, and up to one less may be taken along.
    package static let margin = 32

    /// - Parameters:
    ///   - found: in the order of the list, from the page's first photo on; up to `limit + margin`. Only those near the
    ///     limit are looked at, so a lazy collection makes no others.
    ///   - limit: of a page that cuts no pair.
    /// - Returns: how many of them the page has.
    package static func end<ID, Found: RandomAccessCollection>(of found: Found, limit: Int) -> Int
    where Found.Element == LivePhotoPairing<ID>.Candidate, Found.Index == Int {
        guard found.count > limit else { return found.count }
        let start = max(0, limit - margin)
        let near = Array(found.dropFirst(start))
        let places = Dictionary(near.enumerated().map { ($1.id, start + $0) }) { first, _ in first }
        let pairing = LivePhotoPairing(near)
        let halves = pairing.pairs.map { ($0.photo, $0.video) } + pairing.raws.map { ($0, $1) }
        let pairs = halves.compactMap { one, other -> ClosedRange<Int>? in
            guard let photo = places[one], let video = places[other] else { return nil }
            return min(photo, video)...max(photo, video)
        }
        // The last one found stays: it says that there is another page.
        let whole = pairs.filter { $0.upperBound < found.count - 1 }
        var end = limit
        while let cut = whole.first(where: { $0.lowerBound < end && $0.upperBound >= end }) {
            end = cut.upperBound + 1
        }
        return end
    }
}
