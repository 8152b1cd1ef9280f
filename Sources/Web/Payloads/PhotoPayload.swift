import Bytes
import FoundationEssentials
import ImagingProtocol
import Media
import Records
import Vault

/// A photo as the interface shows it.
struct PhotoPayload: Encodable {
    let id: String
    let name: String
    let size: UInt64
    let type: String
    let receivedAt: String
    let modifiedAt: String?
    let deletedAt: String?
    /// True of one that was deleted because a file of the same name took its place; else absent.
    let replaced: Bool?
    let sha256: String?
    /// When it was last read back from disk whole.
    let verifiedAt: String?
    /// True when its stored bytes failed their verification; else absent.
    let damaged: Bool?
    /// Says in the answer to an upload whether this photo was there before.
    let duplicate: Bool?
    /// ISO 8601; without a zone where none is known.
    let takenAt: String?
    let takenFrom: String?
    /// Who says the zone: `place` or `guess`; nil where the photo or a person does.
    let takenZone: String?
    let width: Int?
    let height: Int?
    /// Seconds.
    let duration: Double?
    let place: PhotoFactsPayload.Place?
    let camera: PhotoFactsPayload.Camera?
    /// Base64.
    let placeholder: String?
    /// `#rrggbb`.
    let colour: String?
    /// `pending`, `made`, `none`, or why there is none.
    let picture: String
    /// True when the file breaks off or is damaged in places, and what could be read is shown; else absent.
    let incomplete: Bool?
    /// True of a picture that moves, which a browser is to show itself; else absent.
    let animated: Bool?
    /// The id of the video of a Live Photo.
    let liveVideo: String?
    /// The id of the raw file of the same shot.
    let raw: String?
    /// Bytes of the video that lies in the file of a Motion Photo.
    let motion: UInt64?
    /// True of a picture that has brighter tones for screens that show them; else absent.
    let gainMap: Bool?
    /// Files that belong to the photo, in the answer about it alone.
    let sidecars: [SidecarPayload]?
    /// The id of the photo to which it belongs.
    let sidecarOf: String?
    /// `understood` of one that says something of photos, `none` of one that was sent for that and says nothing; else absent.
    let sidecar: String?
    /// True with a heart; else absent.
    let favourite: Bool?
    /// True where it is kept out of the timeline; else absent.
    let archived: Bool?
    let caption: String?
    /// True where something is written in the picture; else absent.
    let hasWords: Bool?
    /// In the answer about it alone: what is written in the picture, in lines.
    let words: String?
    /// Degrees clockwise by which it is to be shown; absent for none.
    let rotation: Int?
    /// The part that is to be shown, before it is turned; absent for the whole picture.
    let edit: EditPayload?
    /// Where it came through a door.
    let given: GivenPayload?
    /// In the answer about it alone: those that it is in.
    let albums: [AlbumNamePayload]?
    /// In the answer about what is similar: how far it is from that, from 0 for the same.
    let distance: Double?

    private static let understood = "understood"

    /// What became of it as a file that says something of photos; nil for what is none.
    static func sidecar(_ photo: Photo) -> String? {
        photo.isUnderstood ? understood : photo.isHeld ? "none" : nil
    }

    init(_ photo: Photo) { self.init(photo, distance: nil) }

    init(_ photo: Photo, distance: Double?) {
        self.distance = distance
        id = photo.id
        name = photo.name
        size = photo.byteCount
        type = photo.type
        receivedAt = UTCTime(photo.receivedAt).rfc3339
        modifiedAt = photo.modifiedAt.map { UTCTime($0).rfc3339 }
        deletedAt = photo.deletedAt.map { UTCTime($0).rfc3339 }
        replaced = photo.details.keeping.isReplaced ? true : nil
        sha256 = photo.sha256.map(Hexadecimal.encode)
        verifiedAt = photo.verifiedAt.map { UTCTime($0).rfc3339 }
        damaged = photo.isDamaged ? true : nil
        duplicate = photo.isDuplicate
        let facts = PhotoFactsPayload(photo.details)
        takenAt = facts.takenAt
        takenFrom = facts.takenFrom
        takenZone = facts.takenZone
        width = facts.width
        height = facts.height
        duration = facts.duration
        place = facts.place
        camera = facts.camera
        placeholder = facts.placeholder
        colour = facts.colour
        picture = facts.picture
        incomplete = facts.incomplete
        animated = facts.animated
        liveVideo = facts.liveVideo
        raw = facts.raw
        motion = facts.motion
        gainMap = facts.gainMap
        let belonging = photo.details.sidecars
        sidecars = belonging.isEmpty ? nil : belonging.map(SidecarPayload.init)
        sidecarOf = photo.sidecarOf
        sidecar = Self.sidecar(photo)
        favourite = facts.favourite
        archived = facts.archived
        caption = photo.details.keeping.caption
        hasWords = facts.hasWords
        words = photo.details.words
        rotation = facts.rotation
        edit = facts.edit
        given = photo.details.given.map(GivenPayload.init)
        let names = photo.details.albums
        albums = names.isEmpty ? nil : names.map { AlbumNamePayload(id: $0.id.text, name: $0.name) }
    }
}

/// Through which door a photo came, and who gave it.
struct GivenPayload: Encodable {
    struct Door: Encodable {
        let id: String
        /// As it was called then.
        let name: String
    }

    let door: Door
    /// As they called themselves; absent where they said nothing.
    let giver: String?

    init(_ given: Given) {
        door = Door(id: given.door.text, name: given.doorName)
        giver = given.giver
    }
}

/// A file that belongs to a photo.
struct SidecarPayload: Encodable {
    let id: String
    let name: String
    let size: UInt64

    init(_ photo: Photo) {
        (id, name, size) = (photo.id, photo.name, photo.byteCount)
    }
}

/// What a photo says about itself; left out is what it does not say.
struct PhotoFactsPayload {
    struct Place: Encodable {
        let latitude: Double
        let longitude: Double
        /// Metres above sea level.
        let altitude: Double?
        /// Of the town or the country by which it is called, as in the list of places.
        let id: UInt32?
        /// True where that is so far away that one says "near" it.
        let near: Bool?
        /// True where nobody can say in which country it is.
        let border: Bool?
        /// `person` where somebody put it right.
        let from: String?
    }

    struct Camera: Encodable {
        let make: String?
        let model: String?
        let lens: String?
    }

    private let details: PhotoDetails

    init(_ details: PhotoDetails) { self.details = details }

    var takenAt: String? { details.takenAt.map(Self.text) }
    /// Who says so.
    var takenFrom: String? { details.takenAt.map(\.source.name) }
    var width: Int? { details.facts.width }
    var height: Int? { details.facts.height }
    /// Seconds.
    var duration: Double? { details.facts.duration.map { Double($0.components.seconds) + Self.fraction($0) } }
    var place: Place? {
        details.place.map { place in
            Place(
                latitude: place.latitude, longitude: place.longitude, altitude: place.altitude, id: placeID,
                near: details.located?.isNear == true ? true : nil,
                border: details.located?.isAtBorder == true ? true : nil,
                from: details.keeping.place == nil ? nil : CaptureTime.Source.person.name)
        }
    }
    /// Of the town or the country by which its place is called.
    var placeID: UInt32? { details.placeID }
    /// Who says the zone, where that is neither the photo nor a person.
    var takenZone: String? {
        details.takenAt.flatMap { $0.isZoneOfPlace ? "place" : $0.isZoneGuessed ? "guess" : nil }
    }
    var camera: Camera? {
        let facts = details.facts
        guard facts.cameraMake != nil || facts.cameraModel != nil || facts.lens != nil else { return nil }
        return Camera(make: facts.cameraMake, model: facts.cameraModel, lens: facts.lens)
    }
    var placeholder: String? { details.facts.placeholder.map { Data($0).base64EncodedString() } }
    var colour: String? {
        details.facts.dominantColour.map { colour in
            "#" + Hexadecimal.encode([16, 8, 0].map { UInt8(truncatingIfNeeded: colour >> $0) })
        }
    }
    var picture: String { details.picture.text }
    var incomplete: Bool? { details.picture == .made(isIncomplete: true) ? true : nil }
    /// A browser is to show the file itself, for it moves.
    var animated: Bool? { details.facts.isAnimated ? true : nil }
    var liveVideo: String? { details.liveVideo }
    var raw: String? { details.raw }
    /// Bytes of the video in the file.
    var motion: UInt64? { details.facts.motion.map { $0.upperBound - $0.lowerBound } }
    var favourite: Bool? { details.keeping.isFavourite ? true : nil }
    /// Something is written in the picture.
    var hasWords: Bool? { details.hasWords ? true : nil }
    var archived: Bool? { details.keeping.isArchived ? true : nil }
    /// Degrees clockwise.
    var rotation: Int? { details.keeping.rotation == 0 ? nil : details.keeping.rotation }
    var edit: EditPayload? { details.keeping.edit.map(EditPayload.init) }
    var gainMap: Bool? { details.facts.hasGainMap ? true : nil }

    private static func fraction(_ duration: Duration) -> Double {
        (Double(duration.components.attoseconds) / 1e15).rounded() / 1000
    }

    /// ISO 8601: with the zone where it is known or guessed (`Z` for a guess that is UTC), and without one where nobody
    /// knows which one the camera's clock showed. Only the year, the month or the day where no more is known.
    private static func text(_ time: CaptureTime) -> String {
        let shown = time.offsetMinutes == nil ? time.milliseconds : time.wallClockMilliseconds
        let text = UTCTime(Date(timeIntervalSince1970: Double(shown) / 1000)).rfc3339
        switch time.precision {
        case .year: return String(text.prefix(4))
        case .month: return String(text.prefix(7))
        case .day: return String(text.prefix(10))
        case .moment: break
        }
        if time.isZoneGuessed, time.offsetMinutes == 0 { return text }
        guard let minutes = time.offsetMinutes else { return time.isInstant ? text : String(text.dropLast()) }
        let (hour, minute) = (abs(minutes) / 60, abs(minutes) % 60)
        let zone = "\(minutes < 0 ? "-" : "+")\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        return text.dropLast() + zone
    }
}

extension CaptureTime.Source {
    fileprivate var name: String {
        switch self {
        case .exifWithOffset, .exif, .changed, .digitized: "exif"
        case .container: "container"
        case .fileTime: "file"
        case .name: "name"
        case .person: "person"
        case .sidecar: "sidecar"
        }
    }
}

extension PictureState {
    /// `pending`, `made`, `none`, or why there is none.
    var text: String {
        switch self {
        case .pending: "pending"
        case .made: "made"
        case .none: "none"
        case .unreadable(let reason): reason.text
        }
    }
}

extension UnreadableReason {
    /// The word that the interface has for it.
    var text: String {
        switch self {
        case .empty: "empty"
        case .unknownFormat: "unknown-format"
        case .damaged: "damaged"
        case .tooManyPixels: "too-many-pixels"
        case .tooMuchMemory: "too-much-memory"
        case .tooSlow: "too-slow"
        case .crashed, .brokenProtocol: "crashed"
        case .nothingToShow: "nothing-to-show"
        case .unsupported: "unsupported"
        }
    }
}
