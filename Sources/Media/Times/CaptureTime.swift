/// When a photo was taken, as far as that is known, and who says so.
package struct CaptureTime: Equatable, Sendable {
    /// Who says so, the most trusted first. The raw values stand in rows.
    package enum Source: UInt8, Sendable, CaseIterable {
        case exifWithOffset = 1
        /// EXIF (or XMP, where EXIF is silent) of a camera that knew no time zone.
        case exif = 2
        case container = 3
        case fileTime = 4
        case name = 5
        /// Somebody has put it right.
        case person = 6
        /// A file beside it, of the place from which it was brought.
        case sidecar = 7
        /// EXIF, which tells only when the file was last changed: some phones tell no more, and so do scanners and editors
        /// of a picture that is older.
        case changed = 8
        /// EXIF, XMP or the press's block, which tell no more than when the picture was made digital: of a print, when it was scanned.
        case digitized = 9
    }

    /// Milliseconds since 1970-01-01T00:00:00Z. Where `isInstant` is false: of the camera's clock, read as if it were UTC.
    package var milliseconds: Int64
    /// Minutes east of UTC of the place where the photo was taken; nil if nobody says.
    package var offsetMinutes: Int?
    /// False if only the camera's clock is known and not the zone that it showed.
    package var isInstant: Bool
    package var source: Source
    package var precision: Precision
    /// The zone is not what the photo says, but what others of its hour, or this host, say.
    package var isZoneGuessed = false
    /// The zone is not what the photo says, but that of the place where it was taken.
    package var isZoneOfPlace = false
    /// The photo says only what its camera's clock showed, and the instant follows from the zone of the place.
    package var isInstantOfPlace = false

    /// How much of it is known; what follows is the first of its kind, noon of the first day. The raw values stand in
    /// rows.
    package enum Precision: UInt8, Sendable, CaseIterable {
        case moment = 0
        case day = 1
        case month = 2
        case year = 3
    }

    package init(
        milliseconds: Int64, offsetMinutes: Int? = nil, isInstant: Bool, source: Source, precision: Precision = .moment
    ) {
        self.milliseconds = milliseconds
        self.offsetMinutes = offsetMinutes
        self.isInstant = isInstant
        self.source = source
        self.precision = precision
    }

    /// What a clock on the wall showed, in milliseconds as if it were UTC: what the timeline is sorted by. UTC where
    /// only the instant is known.
    package var wallClockMilliseconds: Int64 { milliseconds + Int64(offsetMinutes ?? 0) * 60_000 }
}
