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

    /// When the shutter opened, or when the picture was made digital; the most trusted first.
    var takenAt: [CaptureTime] {
        [
            time(TIFFTag.dateTimeOriginal, TIFFTag.subSecTimeOriginal, TIFFTag.offsetTimeOriginal),
            time(TIFFTag.dateTimeDigitized, TIFFTag.subSecTimeDigitized, TIFFTag.offsetTimeDigitized),
        ].compactMap(\.self)
    }

    /// When the file was last written, which is all that some phones say, and the time of the satellites. Where they are
    /// of different days, the file was edited since.
    var lessTrusted: [CaptureTime] {
        let fix =
            gps?.satelliteTime.map { CaptureTime(milliseconds: $0, isInstant: true, source: .exif) }
            ?? gps?.satelliteDay
        let written = time(TIFFTag.dateTime, TIFFTag.subSecTime, TIFFTag.offsetTime)
        guard let fix else { return [written?.asChange].compactMap(\.self) }
        guard let written else { return [fix] }
        return abs(fix.milliseconds - written.milliseconds) < 86_400_000 ? [written, fix] : [fix, written]
    }

    /// International Press Telecommunications Council's block, as TIFF files have it.
    var iptc: [CaptureTime] {
        let plain = main.bytes(of: TIFFTag.iptc).map(IPTCBlock.init(records:))
        return (plain ?? main.bytes(of: TIFFTag.photoshop).flatMap { IPTCBlock(PhotoshopResources($0)) })?.takenAt ?? []
    }

    /// TIFF/EP, and with it some raw formats, has EXIF's tags in the main directory.
    private func text(_ tag: UInt16) -> String? { exif?.text(tag) ?? main.text(tag) }

    private func time(_ tag: UInt16, _ fraction: UInt16, _ offset: UInt16) -> CaptureTime? {
        guard let written = text(tag), var time = CivilTime(partial: written) else { return nil }
        if let text = text(fraction), time.precision == .moment, time.wallClockMilliseconds % 1000 == 0 {
            var scanner = TextScanner(text)
            time.wallClockMilliseconds += Int64(scanner.milliseconds())
        }
        // Some cameras tell one zone, for all of their times.
        for tag in [offset, TIFFTag.offsetTime, TIFFTag.offsetTimeOriginal, TIFFTag.offsetTimeDigitized]
        where time.offsetMinutes == nil && time.precision == .moment {
            var scanner = TextScanner(text(tag) ?? "")
            time.offsetMinutes = scanner.zone()
        }
        var taken = CaptureTime(exif: time)
        if taken.offsetMinutes == nil, taken.precision == .moment {
            taken.guessOffset(fromSatellites: gps?.satelliteTime)
        }
        return taken
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
        guard let day = text(TIFFTag.dateStamp).flatMap({ CivilTime($0) }),
            day.wallClockMilliseconds >= 315_964_800_000  // 1980-01-06: there were no satellites before.
        else { return nil }
        return day
    }
}

extension CaptureTime {
    fileprivate var asChange: CaptureTime {
        var time = self
        time.source = .changed
        return time
    }

    /// A camera that knows no zone but knows the satellites' time tells its zone by the difference, if the fix is fresh:
    /// zones differ by quarters of an hour, and a fix is hardly ever late by just that.
    fileprivate mutating func guessOffset(fromSatellites utc: Int64?) {
        guard let utc else { return }
        let quarter: Int64 = 15 * 60_000
        let difference = milliseconds - utc
        let quarters = Int64((Double(difference) / Double(quarter)).rounded())
        guard abs(difference - quarters * quarter) <= 60_000, (-12 * 4...14 * 4).contains(quarters) else { return }
        offsetMinutes = Int(quarters) * 15
        milliseconds -= quarters * quarter
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
