/// MP4 and QuickTime: the boxes of `moov`, wherever in the file they lie. Sample tables are never read.
struct QuickTimeFile {
    private static let maximumTrackCount = 32

    private let reader: BoundedReader
    private let movie: BoxList
    private let movieEnd: UInt64
    private let tracks: [QuickTimeTrack]

    init?(_ reader: BoundedReader) {
        // What follows may be thousands of fragments.
        guard let box = BoxList(reader, until: "moov").first("moov") else { return nil }
        self.reader = reader
        movieEnd = box.payload.upperBound
        movie = reader.boxes(in: box)
        tracks = movie.boxes.filter { $0.type == "trak" }.prefix(Self.maximumTrackCount)
            .compactMap { QuickTimeTrack(reader, $0) }
    }

    /// The picture of the largest track with pictures.
    var picture: QuickTimeTrack? {
        tracks.filter(\.isVideo).max { ($0.size?.longSide ?? 0) < ($1.size?.longSide ?? 0) }
    }

    /// To be asked last: of a fragmented file it may be written nowhere but in the fragments, and looking for the last
    /// of them may take all that may be read.
    var duration: Duration? {
        guard let header, header.timescale > 0 else { return nil }
        let units = [header.duration, fragmentDuration].compactMap(\.self).first { $0 > 0 }
        guard let units else { return fragments?.duration(after: movieEnd) }
        return Duration(units: units, perSecond: UInt64(header.timescale))
    }

    /// The time by the header's clock, in UTC.
    var createdAt: CaptureTime? {
        header.flatMap { QuickTimeTime.milliseconds($0.creation) }
            .map { CaptureTime(milliseconds: $0, isInstant: true, source: .container) }
    }

    /// Where the movie's header knows no time, those of its tracks may.
    private var tracksCreatedAt: [CaptureTime] {
        tracks.flatMap(\.creations).map { CaptureTime(milliseconds: $0, isInstant: true, source: .container) }
    }

    var metadata: QuickTimeMetadata {
        var metadata = QuickTimeMetadata(reader, movie: movie, tracks: tracks.map(\.boxes))
        metadata.sonyTime = sonyTime
        return metadata
    }

    /// What is written with its zone, or by an editor who was asked for it, is better than the header's clock.
    func times(_ metadata: QuickTimeMetadata) -> [CaptureTime] {
        let packet = packet
        let edited = (packet?.shutterTimes ?? []) + (packet?.takenAt ?? [])
        let stated = edited.map {
            CaptureTime(
                milliseconds: $0.milliseconds, offsetMinutes: $0.offsetMinutes, isInstant: $0.isInstant,
                source: .container, precision: $0.precision)
        }
        let shutter = stated.prefix(packet?.shutterTimes.count ?? 0)
        return metadata.takenAt + shutter + [createdAt].compactMap(\.self) + tracksCreatedAt + stated
            + [metadata.releasedAt].compactMap(\.self)
    }

    /// XMP lies in a box of its own beside the movie, or in the movie's user data.
    private var packet: XMPPacket? {
        let inUserData = movie.first("udta").flatMap { reader.boxes(in: $0).first("XMP_") }
        if let inUserData { return reader.payload(inUserData, limit: 1 << 20).map { XMPPacket($0) } }
        let box = beside.first { $0.type == "uuid" && reader.bytes(at: $0.payload.lowerBound, count: 16) == Self.xmp }
        return box.flatMap { reader.payload($0, limit: 1 << 20) }.map { XMPPacket([UInt8]($0.dropFirst(16))) }
    }

    private static let xmp: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]

    /// Sony's cameras tell their clock and zone in a text of XML: `<CreationDate value="2019-03-27T14:05:21+09:00"/>`.
    private var sonyTime: String? {
        guard let meta = beside.first(where: { $0.type == "meta" }),
            let text = reader.boxes(in: meta, skipping: 4).first("xml ").flatMap({ reader.payload($0, limit: 1 << 18) })
        else { return nil }
        let parts = String(decoding: text, as: UTF8.self).split(separator: "<CreationDate value=\"", maxSplits: 1)
        return parts.count == 2 ? parts[1].split(separator: "\"").first.map(String.init) : nil
    }

    /// Boxes beside the movie: those in front of it, and a few behind it.
    private var beside: [Box] {
        let behind = BoxList(reader, in: movieEnd..<max(movieEnd, reader.byteCount), atMost: 16)
        return BoxList(reader, until: "moov").boxes + behind.boxes
    }

    private var header: MovieHeader? {
        movie.first("mvhd").flatMap { reader.payload($0, limit: 256) }.flatMap(MovieHeader.init)
    }

    /// The box that says that there are fragments.
    private var extending: BoxList? { movie.first("mvex").map { reader.boxes(in: $0) } }

    private var fragments: MovieFragments? {
        guard let extending else { return nil }
        var clocks = Dictionary(
            tracks.compactMap { track in track.clock.map { ($0.track, MovieFragments.Clock(timescale: $0.timescale)) } }
        ) { first, _ in first }
        for box in extending.boxes.prefix(Self.maximumTrackCount) where box.type == "trex" {
            guard let payload = reader.payload(box, limit: 64), let track: UInt32 = payload.integer(at: 4) else {
                continue
            }
            clocks[track]?.sampleDuration = payload.integer(at: 12) ?? 0
        }
        return MovieFragments(reader, clocks: clocks)
    }

    /// Of a fragmented file, whose header knows nothing of the fragments.
    private var fragmentDuration: UInt64? {
        guard let box = extending?.first("mehd"),
            let payload = reader.payload(box, limit: 64)
        else { return nil }
        return payload.first == 1
            ? payload.integer(UInt64.self, at: 4) : payload.integer(UInt32.self, at: 4).map(UInt64.init)
    }
}

/// `mvhd`, in versions 0 and 1.
private struct MovieHeader {
    /// Seconds since 1904.
    let creation: UInt64
    let timescale: UInt32
    /// In units of the time scale; nil for "unknown".
    let duration: UInt64?

    init?(_ payload: [UInt8]) {
        let isLong = payload.first == 1
        func time(at offset: Int) -> UInt64? {
            isLong
                ? payload.integer(UInt64.self, at: offset) : payload.integer(UInt32.self, at: offset).map(UInt64.init)
        }
        guard let creation = time(at: 4), let timescale: UInt32 = payload.integer(at: isLong ? 20 : 12),
            let duration = time(at: isLong ? 24 : 16)
        else { return nil }
        self.creation = creation
        self.timescale = timescale
        self.duration = duration == (isLong ? UInt64.max : UInt64(UInt32.max)) ? nil : duration
    }
}

extension Duration {
    /// Whole milliseconds; nil for more than a year, which no file of a camera lasts.
    init?(units: UInt64, perSecond: UInt64) {
        guard perSecond > 0, units / perSecond < 366 * 86_400 else { return nil }
        let seconds = units / perSecond
        let rest = Double(units % perSecond) / Double(perSecond)
        self = .milliseconds(Int64(seconds) * 1000 + Int64((rest * 1000).rounded()))
    }
}

enum QuickTimeTime {
    /// From 1904-01-01 to 1970-01-01.
    private static let epochDifference: UInt64 = 2_082_844_800

    /// No file of this kind is older: what seems to be counts from 1970, as some cameras do.
    private static let earliest: UInt64 = 631_152_000  // 1990-01-01

    /// Of a box that begins with version, flags and when something was made, in versions 0 and 1.
    static func creation(_ payload: [UInt8]) -> Int64? {
        let seconds =
            payload.first == 1
            ? payload.integer(UInt64.self, at: 4) : payload.integer(UInt32.self, at: 4).map(UInt64.init)
        return seconds.flatMap(milliseconds)
    }

    /// Since 1970, of seconds since 1904. Nil for zero, which means unknown, and for what is too small to be a time.
    static func milliseconds(_ seconds: UInt64) -> Int64? {
        if (earliest..<epochDifference).contains(seconds) { return Int64(seconds) * 1000 }
        guard seconds > epochDifference, seconds - epochDifference < 1 << 40 else { return nil }
        return Int64(seconds - epochDifference) * 1000
    }
}

/// One `trak`: what kind of samples it has, how large its pictures are and how they are turned.
struct QuickTimeTrack {
    let boxes: BoxList
    let isVideo: Bool
    let size: PictureSize?
    let orientation: Orientation
    /// Its number, and how many units of its time are a second.
    let clock: (track: UInt32, timescale: UInt32)?
    /// Milliseconds since 1970, when its media and itself were made.
    let creations: [Int64]

    init?(_ reader: BoundedReader, _ box: Box) {
        boxes = reader.boxes(in: box)
        guard let header = boxes.first("tkhd").flatMap({ reader.payload($0, limit: 256) }) else { return nil }
        let media = boxes.first("mdia")
        let handler = media.flatMap { reader.box(["hdlr"], in: $0) }
            .flatMap { reader.bytes(at: $0.payload.lowerBound, count: 12) }
        isVideo = handler?.has("vide", at: 8) ?? false
        // Times and the track's number are longer in version 1; then 16 bytes of other things, then the matrix.
        let matrixOffset = header.first == 1 ? 52 : 40
        let matrix = (0..<9).compactMap { header.integer(Int32.self, at: matrixOffset + $0 * 4) }
        orientation = Self.orientation(matrix)
        let stated = Self.size(header, at: matrixOffset + 36)
        size = stated ?? media.flatMap { Self.sampleSize(reader, $0) }
        clock = media.flatMap { Self.clock(header, reader, $0) }
        let ofMedia = media.flatMap { reader.box(["mdhd"], in: $0) }.flatMap { reader.payload($0, limit: 64) }
        creations = [ofMedia, header].compactMap { $0.flatMap(QuickTimeTime.creation) }
    }

    private static func clock(_ header: [UInt8], _ reader: BoundedReader, _ media: Box) -> (UInt32, UInt32)? {
        guard let times = reader.box(["mdhd"], in: media).flatMap({ reader.payload($0, limit: 64) }),
            let number: UInt32 = header.integer(at: header.first == 1 ? 20 : 12),
            let timescale: UInt32 = times.integer(at: times.first == 1 ? 20 : 12)
        else { return nil }
        return (number, timescale)
    }

    /// Quarter turns and mirrors of the matrix [a b u; c d v; x y w]; anything else is taken as upright.
    private static func orientation(_ matrix: [Int32]) -> Orientation {
        guard matrix.count == 9 else { return Orientation() }
        let signs = [matrix[0], matrix[1], matrix[3], matrix[4]].map { $0.signum() }
        switch signs {
        case [1, 0, 0, 1]: return Orientation()
        case [0, 1, -1, 0]: return Orientation(exif: 6)
        case [-1, 0, 0, -1]: return Orientation(exif: 3)
        case [0, -1, 1, 0]: return Orientation(exif: 8)
        case [-1, 0, 0, 1]: return Orientation(exif: 2)
        case [1, 0, 0, -1]: return Orientation(exif: 4)
        case [0, 1, 1, 0]: return Orientation(exif: 5)
        case [0, -1, -1, 0]: return Orientation(exif: 7)
        default: return Orientation()
        }
    }

    /// Numbers with 16 bits after the point.
    private static func size(_ header: [UInt8], at offset: Int) -> PictureSize? {
        guard let width: UInt32 = header.integer(at: offset), let height: UInt32 = header.integer(at: offset + 4) else {
            return nil
        }
        return PictureSize(width: width >> 16, height: height >> 16)
    }

    /// Of the first sample description, where the track's header says nothing.
    private static func sampleSize(_ reader: BoundedReader, _ media: Box) -> PictureSize? {
        guard let box = reader.box(["minf", "stbl", "stsd"], in: media),
            let head = reader.bytes(at: box.payload.lowerBound, count: 44),
            let width: UInt16 = head.integer(at: 40), let height: UInt16 = head.integer(at: 42)
        else { return nil }
        return PictureSize(width: width, height: height)
    }
}
