import Bytes
import FoundationEssentials
import ImagingProtocol
import Media
import Records
import Vault

/// What a photo says about itself; left out is what it does not say.
struct PhotoFactsPayload {
    struct Place: Encodable {
        let latitude: Double
        let longitude: Double
        /// Metres above sea level.
        let altitude: Double?
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
        details.facts.place.map { Place(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude) }
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
