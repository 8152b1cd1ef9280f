/// What a picture or video says about itself.
package struct MediaFacts: Equatable, Sendable {
    /// Of what is read, and how: another one whenever a file may say more, or something else, than it did to earlier
    /// versions. Facts of another version are read again.
    package static let readingVersion: UInt8 = 5

    package var takenAt: CaptureTime?
    /// Pixels, as the picture is to be seen: after `orientation`.
    package var width: Int?
    package var height: Int?
    /// EXIF's 1…8: how the stored pixels are to be turned. Of HEIF and AVIF what `irot` and `imir` say (a decoder has
    /// then turned them already), of a video its display matrix.
    package var orientation = 1
    package var cameraMake: String?
    package var cameraModel: String?
    package var lens: String?
    package var place: Place?
    package var duration: Duration?
    /// Common to the two files of a Live Photo.
    package var contentIdentifier: String?
    /// A picture that moves: a browser shows the file itself.
    package var isAnimated = false
    /// Where in the file the seconds of video lie that a phone put behind a photo.
    package var motion: Range<UInt64>?
    /// What a screen needs to show brighter tones lies in the file, and browsers that know it show the file so.
    package var hasGainMap = false
    /// 0xRRGGBB; known only after decoding.
    package var dominantColour: UInt32?
    /// `Placeholder.bytes`; known only after decoding.
    package var placeholder: [UInt8]?

    package init() {}
}

/// A place on Earth (WGS 84).
package struct Place: Equatable, Sendable {
    /// Degrees, north and east positive: -90…90 and -180…180.
    package var latitude: Double
    package var longitude: Double
    /// Metres above sea level.
    package var altitude: Double?

    /// Nil for what is no place on Earth; also for 0, 0, which cameras without a fix write.
    package init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        guard latitude != 0 || longitude != 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude.flatMap { (-12_000...1_000_000).contains($0) ? $0 : nil }
    }

    /// Nearer than this a place is the same: programs round.
    private static let nearDegrees = 0.001

    /// Whether this is another place, whatever the altitude.
    package func isElsewhere(than other: Place) -> Bool {
        let east = abs(longitude - other.longitude)
        return abs(latitude - other.latitude) > Self.nearDegrees || min(east, 360 - east) > Self.nearDegrees
    }
}

/// Why a file could not be looked into.
package enum MediaError: Error {
    /// The source could not be read. A file that is merely damaged is no error: it says less about itself.
    case source(any Error)
    /// The bytes are no JPEG, or one whose header is damaged: no clean copy can be made of it.
    case malformedJPEG
}
