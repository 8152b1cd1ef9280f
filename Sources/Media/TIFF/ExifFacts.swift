/// What the directories of an EXIF block say.
struct ExifFacts {
    private let main: TIFFDirectory
    private let exif: TIFFDirectory?
    private let gps: TIFFDirectory?

    /// Nil if there is no directory at all.
    init?(_ tiff: TIFFReader) {
        guard let main = tiff.directory(at: tiff.firstDirectory) else { return nil }
        self.init(main: main, exif: main.directory(TIFFTag.exifDirectory), gps: main.directory(TIFFTag.gpsDirectory))
    }

    init(main: TIFFDirectory, exif: TIFFDirectory?, gps: TIFFDirectory?) {
        self.main = main
        self.exif = exif
        self.gps = gps
    }

    var make: String? { main.text(TIFFTag.make) }
    var model: String? { main.text(TIFFTag.model) }
    var lens: String? { text(TIFFTag.lensModel) }

    /// 1…8, nil if not said.
    var orientation: Int? {
        main.number(TIFFTag.orientation).flatMap { (1...8).contains($0) ? Int($0) : nil }
    }

    var place: Place? { gps.flatMap(Place.init(gps:)) }

    var contentIdentifier: String? { exif.flatMap(AppleMakerNote.contentIdentifier) }

    /// When the shutter opened.
    var shutterTime: CaptureTime? {
        // An editor tells the zone of the last change, and where it sat then: satellites of the same minute know better.
        time(.original, TIFFTag.subSecTimeOriginal, zones: [.original, .digitized], else: [.change])
    }

    /// When the picture was made digital.
    var digitizedTime: CaptureTime? {
        time(.digitized, TIFFTag.subSecTimeDigitized, zones: [.digitized, .original], else: [.change])
    }

    /// When the file was last written, which is all that some phones say.
    var changeTime: CaptureTime? {
        var time = time(.change, TIFFTag.subSecTime, zones: [.change], else: [.original, .digitized])
        time?.source = .changed
        return time
    }

    /// The time of the last fix; the day alone, where no clock is told.
    var satelliteTime: CaptureTime? {
        gps?.satelliteTime.map { CaptureTime(milliseconds: $0, isInstant: true, source: .exif) } ?? gps?.satelliteDay
    }

    /// International Press Telecommunications Council's block, as TIFF files have it.
    var iptc: IPTCBlock? {
        let plain = main.bytes(of: TIFFTag.iptc).map(IPTCBlock.init(records:))
        return plain ?? main.bytes(of: TIFFTag.photoshop).flatMap { IPTCBlock(PhotoshopResources($0)) }
    }

    /// TIFF/EP, and with it some raw formats, has EXIF's tags in the main directory.
    private func text(_ tag: UInt16) -> String? { exif?.text(tag) ?? main.text(tag) }

    /// A time, and the zone that is told of it.
    private enum Moment {
        case original, digitized, change

        var tag: UInt16 {
            switch self {
            case .original: TIFFTag.dateTimeOriginal
            case .digitized: TIFFTag.dateTimeDigitized
            case .change: TIFFTag.dateTime
            }
        }
        var zone: UInt16 {
            switch self {
            case .original: TIFFTag.offsetTimeOriginal
            case .digitized: TIFFTag.offsetTimeDigitized
            case .change: TIFFTag.offsetTime
            }
        }
    }

    /// Some cameras tell one zone for all of their times.
    /// - Parameters:
    ///   - zones: where its zone may stand, the most trusted first
    ///   - others: where it may stand, too, if satellites do not tell it
    private func time(_ moment: Moment, _ fraction: UInt16, zones: [Moment], else others: [Moment]) -> CaptureTime? {
        guard let written = text(moment.tag), var time = CivilTime(written: written) else { return nil }
        guard time.precision == .moment else { return CaptureTime(exif: time) }
        if let text = text(fraction), time.wallClockMilliseconds % 1000 == 0 {
            var scanner = TextScanner(text)
            time.wallClockMilliseconds += Int64(scanner.milliseconds())
        }
        takeZone(zones, into: &time)
        var taken = CaptureTime(exif: time)
        if !taken.isInstant { taken.guessOffset(fromSatellites: gps?.satelliteTime) }
        guard !taken.isInstant else { return taken }
        takeZone(others, into: &time)
        return CaptureTime(exif: time)
    }

    /// The zone of a time of another day may be that of a scanner or an editor elsewhere.
    private func takeZone(_ moments: [Moment], into time: inout CivilTime) {
        for moment in moments where time.offsetMinutes == nil && !time.isUTC {
            let other = text(moment.tag).flatMap { CivilTime($0) }?.wallClockMilliseconds ?? time.wallClockMilliseconds
            guard (other - time.wallClockMilliseconds).magnitude < 86_400_000 else { continue }
            var scanner = TextScanner(text(moment.zone) ?? "")
            time.takeZone(&scanner)
        }
    }
}

extension TIFFDirectory {
    /// UTC of the last fix, in milliseconds since 1970; only in a GPS directory.
    fileprivate var satelliteTime: Int64? {
        let clock = rationals(TIFFTag.timeStamp)
        guard clock.count == 3, let day = satelliteDate,
            zip(clock, [24.0, 60, 61]).allSatisfy({ $0 >= 0 && $0 < $1 })
        else { return nil }
        let midnight = day.wallClockMilliseconds - day.wallClockMilliseconds % 86_400_000
        return midnight + Int64((clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000)
    }

    /// Where their clock is missing.
    fileprivate var satelliteDay: CaptureTime? {
        guard let date = satelliteDate, date.precision == .day else { return nil }
        return CaptureTime(exif: date)
    }

    private var satelliteDate: CivilTime? {
        // Their weeks count from 1980-01-06, which those tell that know none.
        guard let day = text(TIFFTag.dateStamp).flatMap({ CivilTime($0) }), day.wallClockMilliseconds >= 316_051_200_000
        else { return nil }
        return day
    }
}

extension CaptureTime {
    /// A camera that knows no zone but knows the satellites' time tells its zone by the difference, if the fix is fresh:
    /// zones differ by quarters of an hour, and a fix is hardly ever late by just what a zone has.
    fileprivate mutating func guessOffset(fromSatellites utc: Int64?) {
        guard let utc = utc.map({ SatelliteWeeks.unrolled($0, near: milliseconds) }),
            let minutes = ZoneOffset.minutes(from: utc, to: milliseconds, patience: 60_000)
        else { return }
        offsetMinutes = minutes
        milliseconds -= Int64(minutes) * 60_000
        isInstant = true
    }
}

extension Place {
    /// From a GPS directory.
    fileprivate init?(gps: TIFFDirectory) {
        guard let latitude = Self.degrees(gps.rationals(TIFFTag.latitude)),
            let longitude = Self.degrees(gps.rationals(TIFFTag.longitude))
        else { return nil }
        let isSouth = gps.text(TIFFTag.latitudeReference)?.uppercased() == "S"
        let isWest = gps.text(TIFFTag.longitudeReference)?.uppercased() == "W"
        let height = gps.rationals(TIFFTag.altitude).first
        let isBelowSea = gps.number(TIFFTag.altitudeReference) == 1
        self.init(
            latitude: isSouth ? -latitude : latitude, longitude: isWest ? -longitude : longitude,
            altitude: height.map { isBelowSea ? -$0 : $0 })
    }

    /// Degrees, minutes and seconds, of which the last may be missing.
    private static func degrees(_ parts: [Double]) -> Double? {
        guard (1...3).contains(parts.count) else { return nil }
        // Some cameras write 0/0 for the seconds that they do not have.
        let values = parts.enumerated().map { $0.offset > 0 && $0.element.isNaN ? 0 : $0.element }
        guard values.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        return zip(values, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
    }
}

/// Apple's note in EXIF: `Apple iOS`, a version, a byte order, and a directory whose offsets count from the note itself.
enum AppleMakerNote {
    private static let contentIdentifierTag: UInt16 = 0x0011
    private static let directoryOffset: UInt64 = 14

    static func contentIdentifier(in exif: TIFFDirectory) -> String? {
        guard let note = exif.range(of: TIFFTag.makerNote), note.count > 20,
            let head = exif.tiff.reader.bytes(at: note.lowerBound, count: 14), head.has("Apple iOS\0")
        else { return nil }
        let isLittleEndian = head.has("II", at: 12)
        let tiff = TIFFReader(
            exif.tiff.reader, base: note.lowerBound, isLittleEndian: isLittleEndian, firstDirectory: directoryOffset)
        return tiff.directory(at: directoryOffset)?.text(contentIdentifierTag)
    }
}
