/// What a picture or video says about itself.
package struct MediaFacts: Equatable, Sendable {
    /// Of what is read, and how: another one whenever a file may say more, or something else, than it did to earlier
    /// versions. Facts of another version are read again.
    package static let readingVersion: UInt8 = 6

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

/// How stored pixels become a picture: mirrored left to right or not, then turned clockwise.
struct Orientation: Equatable {
    private(set) var isMirrored = false
    private(set) var quarterTurns = 0

    init() {}

    /// EXIF's 1…8; anything else is taken as upright.
    init(exif: Int) {
        switch exif {
        case 2: isMirrored = true
        case 3: quarterTurns = 2
        case 4: (isMirrored, quarterTurns) = (true, 2)
        case 5: (isMirrored, quarterTurns) = (true, 3)
        case 6: quarterTurns = 1
        case 7: (isMirrored, quarterTurns) = (true, 1)
        case 8: quarterTurns = 3
        default: break
        }
    }

    var exif: Int {
        switch (isMirrored, quarterTurns) {
        case (false, 1): 6
        case (false, 2): 3
        case (false, 3): 8
        case (true, 0): 2
        case (true, 1): 7
        case (true, 2): 4
        case (true, 3): 5
        default: 1
        }
    }

    /// Whether width and height change places.
    var swapsSides: Bool { quarterTurns % 2 == 1 }

    /// Then turns clockwise.
    mutating func turn(quarters: Int) { quarterTurns = (quarterTurns + quarters % 4 + 4) % 4 }

    /// Then exchanges left and right. What was turned clockwise before is turned the other way after a mirror.
    mutating func mirror() {
        isMirrored.toggle()
        quarterTurns = (4 - quarterTurns) % 4
    }

    /// Then exchanges top and bottom.
    mutating func flip() {
        mirror()
        turn(quarters: 2)
    }
}

/// Pixels as they are stored, before any turning.
struct PictureSize: Equatable {
    var width: Int
    var height: Int

    /// Nil for a side of nothing, and for one that no format can hold.
    init?(width: some BinaryInteger, height: some BinaryInteger) {
        let sane = 1...Int(UInt32.max)
        guard let width = Int(exactly: width), let height = Int(exactly: height), sane.contains(width),
            sane.contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }

    var longSide: Int { max(width, height) }
}
