import Testing

@testable import Media

@Suite("Which of a file's own dates leads")
struct DateOrderTests {
    /// 2026-11-24.
    private static let now: Int64 = 1_795_514_400_000
    private let scanned = "2020:03:01 10:00:00"

    private func taken(_ file: [UInt8]) throws -> CaptureTime? {
        try MediaFacts(reading: file, type: MediaType.sniff(file), now: Self.now).takenAt
    }

    private func wall(_ text: String) -> Int64? { CivilTime(text)?.wallClockMilliseconds }

    @Test("when the shutter opened leads over when a print was scanned, whichever block tells of it")
    func shutterBeforeScan() throws {
        let exif = MadeFiles.exif(
            main: [TIFFTag.dateTime: "2021:01:01 10:00:00"], exif: [TIFFTag.dateTimeDigitized: scanned])
        for name in ["photoshop:DateCreated", "exif:DateTimeOriginal", "xmpDM:shotDate"] {
            let file = MadeFiles.jpeg(exif: exif, xmp: "<a \(name)='1965-07-14T12:00:00'/>")
            #expect(try taken(file)?.milliseconds == wall("1965-07-14T12:00:00"), "\(name)")
        }
        let press = try taken(MadeFiles.jpeg(exif: exif, iptc: [(55, "19650714")]))
        #expect(press?.milliseconds == wall("1965-07-14") && press?.precision == .day)
        let year = try taken(MadeFiles.jpeg(exif: exif, xmp: "<a photoshop:DateCreated='1965'/>"))
        #expect(year?.precision == .year && year?.milliseconds == wall("1965-01-01"))
        let packet = "<a xmp:CreateDate='2020-03-01T10:00:02'/>"
        #expect(
            try taken(MadeFiles.jpeg(xmp: packet, iptc: [(55, "19660714"), (60, "101112")]))?.milliseconds
                == wall("1966-07-14T10:11:12"))
        #expect(
            try taken(MadeFiles.jpeg(exif: exif, casio: "1998.10.24.12.08.57"))?.milliseconds
                == wall("1998-10-24T12:08:57"))
        let text = Array("Creation Time\0".utf8) + Array("1965:07:14 12:00:00".utf8)
        #expect(
            try taken(MadeFiles.png([("eXIf", exif), ("tEXt", text)]))?.milliseconds == wall("1965-07-14T12:00:00"))
        let records: [UInt8] = [0x1C, 2, 55, 0, 8] + Array("19650714".utf8)
        let tiff = TIFFBuilder.file([
            [
                .init(TIFFTag.iptc, .bytes(records)),
                .init(TIFFTag.exifDirectory, .directory([.init(TIFFTag.dateTimeDigitized, .text(scanned))])),
            ]
        ])
        #expect(try taken(tiff)?.milliseconds == wall("1965-07-14"))
    }

    @Test("then comes when it was made digital, and EXIF leads among those that tell the same")
    func scanBeforeChange() throws {
        let exif = MadeFiles.exif(
            main: [TIFFTag.dateTime: "2021:01:01 10:00:00"], exif: [TIFFTag.dateTimeDigitized: scanned])
        #expect(try taken(MadeFiles.jpeg(exif: exif))?.milliseconds == wall(scanned))
        #expect(try taken(MadeFiles.jpeg(exif: exif))?.source == .digitized)
        #expect(try taken(MadeFiles.jpeg(exif: exif, xmp: "<a photoshop:DateCreated='2020-03-01'/>"))?.source == .exif)
        #expect(
            try taken(MadeFiles.jpeg(exif: exif, xmp: "<a xmp:CreateDate='2019-01-01T10:00'/>"))?.milliseconds
                == wall(scanned))
        let changed = MadeFiles.exif(main: [TIFFTag.dateTime: "2021:01:01 10:00:00"])
        #expect(
            try taken(MadeFiles.jpeg(exif: changed, xmp: "<a xmp:CreateDate='2019-01-01T10:00'/>"))?.milliseconds
                == wall("2019-01-01T10:00"))
        #expect(try taken(MadeFiles.jpeg(exif: changed, iptc: [(62, "20190101")]))?.milliseconds == wall("2019-01-01"))
        let own = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "2018:01:01 10:00:00"])
        #expect(
            try taken(MadeFiles.jpeg(exif: own, xmp: "<a photoshop:DateCreated='2019-01-01T10:00'/>"))?.milliseconds
                == wall("2018-01-01T10:00"))
    }

    @Test("a clock that nobody has set leads over nothing that can be true")
    func unsetClock() throws {
        func file(_ original: String, _ digitized: String? = nil) -> [UInt8] {
            var texts = [TIFFTag.dateTimeOriginal: original]
            texts[TIFFTag.dateTimeDigitized] = digitized
            return MadeFiles.jpeg(exif: MadeFiles.exif(main: [TIFFTag.dateTime: "2016:03:07 11:12:13"], exif: texts))
        }
        let known = "2019:05:05 10:00:00"
        for begun in ["1980:01:01 00:03:12", "1970:01:01 01:00:12", "2000:01:01 00:03:12", "2000:01:01 00:00:00"] {
            #expect(try taken(file(begun, known))?.milliseconds == wall(known), "\(begun)")
        }
        #expect(try taken(file("1980:01:01 00:03:12"))?.source == .changed)
        // Whoever took photos on that night may have changed them since.
        #expect(try taken(file("2000:01:01 00:03:12"))?.milliseconds == wall("2000-01-01T00:03:12"))
        let gps: [TIFFBuilder.Entry] = [
            .init(TIFFTag.timeStamp, .rationals([11, 1, 36, 1, 13, 1])), .init(TIFFTag.dateStamp, .text("2012:02:13")),
        ]
        let fix = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "2000:01:01 00:03:12"], gps: gps)
        #expect(try taken(MadeFiles.jpeg(exif: fix))?.milliseconds == wall("2012-02-13T11:36:13"))
    }

    private func gps(_ day: String, _ clock: [UInt32]) -> [TIFFBuilder.Entry] {
        [
            .init(TIFFTag.timeStamp, .rationals(clock.flatMap { [$0, 1] })),
            .init(TIFFTag.dateStamp, .text(day)),
        ]
    }

    @Test(
        "an editor's zone is not that of the shutter: satellites of its minute know it, and a zone of another day nobody"
    )
    func editorsZone() throws {
        let original = [TIFFTag.dateTimeOriginal: "2019:08:11 14:00:00", TIFFTag.offsetTime: "+02:00"]
        func file(change: String?, _ more: [UInt16: String] = [:], fix: [UInt32]? = nil) -> [UInt8] {
            MadeFiles.jpeg(
                exif: MadeFiles.exif(
                    main: change.map { [TIFFTag.dateTime: $0] } ?? [:], exif: original.merging(more) { $1 },
                    gps: fix.map { gps("2019:08:11", $0) } ?? []))
        }
        let fix: [UInt32] = [5, 0, 3]
        #expect(try taken(file(change: "2019:08:20 20:00:00", fix: fix))?.offsetMinutes == 540)
        #expect(try taken(file(change: "2019:08:11 14:00:00", fix: fix))?.offsetMinutes == 540)
        #expect(try taken(file(change: nil, fix: [5, 7, 3]))?.offsetMinutes == 120)
        #expect(try taken(file(change: "2019:08:11 14:00:00"))?.offsetMinutes == 120)
        #expect(try taken(file(change: "2019:08:20 20:00:00"))?.offsetMinutes == nil)
        // What the camera itself says of this time, or of when it was made digital in this moment.
        let own = [TIFFTag.offsetTimeOriginal: "+08:00"]
        #expect(try taken(file(change: "2019:08:20 20:00:00", own, fix: fix))?.offsetMinutes == 480)
        let digitized = [TIFFTag.offsetTimeDigitized: "+08:00"]
        #expect(try taken(file(change: nil, digitized, fix: fix))?.offsetMinutes == 480)
        let scan = digitized.merging([TIFFTag.dateTimeDigitized: scanned]) { $1 }
        #expect(try taken(file(change: nil, scan, fix: fix))?.offsetMinutes == 540)
        #expect(try taken(file(change: nil, [TIFFTag.offsetTimeOriginal: "+02:15"], fix: fix))?.offsetMinutes == 540)
    }

    @Test(
        "satellites whose weeks began again are understood beside the camera's own date, and not believed far from it")
    func satelliteWeeks() throws {
        func file(_ day: String, main: [UInt16: String] = [:], exif: [UInt16: String] = [:]) -> [UInt8] {
            MadeFiles.jpeg(exif: MadeFiles.exif(main: main, exif: exif, gps: gps(day, [12, 0, 0])))
        }
        // 1,024 weeks before 2019-08-10, and before 2024-05-10.
        let changed = try taken(file("1999:12:25", main: [TIFFTag.dateTime: "2019:08:10 14:00:20"]))
        #expect(changed?.wallClockMilliseconds == wall("2019-08-10T14:00:20") && changed?.offsetMinutes == 120)
        let later = try taken(file("2004:09:24", main: [TIFFTag.dateTime: "2024:05:10 14:00:20"]))
        #expect(later?.wallClockMilliseconds == wall("2024-05-10T14:00:20"))
        let shutter = try taken(file("1999:12:25", exif: [TIFFTag.dateTimeOriginal: "2019:08:10 14:00:20"]))
        #expect(shutter?.wallClockMilliseconds == wall("2019-08-10T14:00:20") && shutter?.offsetMinutes == 120)
        let edited = try taken(file("1999:12:25", main: [TIFFTag.dateTime: "2021:08:10 14:00:20"]))
        #expect(edited?.wallClockMilliseconds == wall("2021-08-10T14:00:20") && edited?.source == .changed)
        let packet = "<a exif:GPSTimeStamp='1999-12-25T12:00:00Z'/>"
        let both = MadeFiles.exif(main: [TIFFTag.dateTime: "2019:08:12 14:00:20"])
        #expect(try taken(MadeFiles.jpeg(exif: both, xmp: packet))?.milliseconds == wall("2019-08-12T14:00:20"))
        // Where their weeks begin, they know nothing.
        #expect(try taken(file("1980:01:06")) == nil)
        #expect(try taken(file("2004:09:24"))?.milliseconds == wall("2004-09-24T12:00:00"))
    }

    @Test("a day or a clock without its seconds in a movie is read in every spelling, and Z as no zone")
    func movies() throws {
        func day(_ text: String, creation: UInt32 = 0) throws -> CaptureTime? {
            let box = MadeFiles.box("©day", MadeFiles.big(UInt16(text.utf8.count)) + [0, 0] + Array(text.utf8))
            return try taken(MadeFiles.movie(creation: creation, in: MadeFiles.box("udta", box)))
        }
        let plain = try day("20180707")
        #expect(plain?.milliseconds == wall("2018-07-07") && plain?.precision == .day)
        for text in ["2023-12-31T22:47:12Z", "20231231T224712Z", "2023:12:31 22:47:12Z"] {
            let time = try day(text)
            #expect(time?.milliseconds == wall("2023-12-31T22:47:12") && time?.source == .container, "\(text)")
            #expect(time?.isInstant == true && time?.offsetMinutes == nil, "\(text)")
        }
        let short = try day("2018-07-06 10:11", creation: MadeFiles.seconds("2024-05-05T10:00:00"))
        #expect(short?.milliseconds == wall("2018-07-06T10:11") && short?.precision == .moment)
        let packet = Array("<a exif:DateTimeOriginal='2021-02-03T22:47:06Z'/>".utf8)
        let edited = try taken(MadeFiles.movie(creation: 0, in: MadeFiles.box("udta", MadeFiles.box("XMP_", packet))))
        #expect(edited?.isInstant == true && edited?.offsetMinutes == nil)
    }

    @Test(
        "a date in words of many languages is read with its half of the day",
        arguments: [
            ("Tue 03 Mar 2015 05:06:07 PM CET", "2015-03-03T17:06:07"),
            ("Di 03 Mär 2015 17:06:07 CET", "2015-03-03T17:06:07"),
            ("mar. 03 mars 2015 17:06:07 CET", "2015-03-03T17:06:07"),
            ("mar. 02 juin 2015 17:06:07", "2015-06-02T17:06:07"),
            ("mar 02 jun 2015 17:06:07 CEST", "2015-06-02T17:06:07"),
            ("mar 02 giu 2015, 17:06:07, CEST", "2015-06-02T17:06:07"),
            ("Mar 02 2015 5:06:07 AM", "2015-03-02T05:06:07"), ("Mar 2 05:06:07 PM 2015", "2015-03-02T17:06:07"),
            ("Sunday, May 3, 2015 9:06:07 PM", "2015-05-03T21:06:07"), ("2 Mar 2015 5:06 PM", "2015-03-02T17:06"),
            ("2. Dezember 2015 12:06:07", "2015-12-02T12:06:07"), ("ter 03 fev 2015 17:06:07", "2015-02-03T17:06:07"),
            ("вт, 3 марта 2015 17:06:07", "2015-03-03T17:06:07"), ("3 août 2015", "2015-08-03"),
            ("2015 Aug 3", "2015-08-03"),
            ("31/12/2015 5:06:07 PM", "2015-12-31T17:06:07"), ("03.04.2015, 17:06:07", "2015-04-03T17:06:07"),
            ("2015-03-04 05:06:07 PM", "2015-03-04T17:06:07"),
        ])
    func words(text: String, expected: String) throws {
        let key = Array("Creation Time\0".utf8)
        let time = try taken(MadeFiles.png([("iTXt", key + [0, 0, 0, 0] + Array(text.utf8))]))
        #expect(time?.wallClockMilliseconds == wall(expected) && time?.offsetMinutes == nil)
        // Texts of the older kind are in Latin-1.
        let latin = text.unicodeScalars.map { UInt8(exactly: $0.value) }
        guard !latin.contains(nil) else { return }
        let other = try taken(MadeFiles.png([("tEXt", key + latin.compactMap(\.self))]))
        #expect(other?.wallClockMilliseconds == wall(expected))
    }

    @Test(
        "where the month is not known for certain there is no date",
        arguments: [
            "mar. 03 mawrth 2015 17:06:07", "mar 02 mehefin 2015", "03/04/2015 5:06:07 PM", "Tue 03 2015",
            "Mar Apr 3 2015",
            "marchand 3 2015", "Sat 32 Mar 2015", "3 Mar 15",
        ])
    func unclearWords(text: String) throws {
        let key = Array("Creation Time\0".utf8) + [0, 0, 0, 0]
        #expect(try taken(MadeFiles.png([("iTXt", key + Array(text.utf8))])) == nil)
    }

    @Test("GMT and UTC in words tell an instant, and an offset its zone")
    func zonesOfWords() throws {
        let universal = CivilTime(words: "Wed, 04 Mar 2015 05:06:07 GMT")
        #expect(universal?.isUTC == true && universal?.offsetMinutes == nil)
        #expect(CivilTime(words: "Wed, 04 Mar 2015 05:06:07 PM +0530")?.offsetMinutes == 330)
        #expect(CivilTime(words: "Wed Mar 4 17:06:07 2015 +0100")?.offsetMinutes == 60)
    }

    @Test("only zones count that clocks somewhere show")
    func zones() {
        for minutes in [-720, -570, -210, 0, 60, 330, 345, 525, 765, 825, 840] { #expect(ZoneOffset.exists(minutes)) }
        for minutes in [-780, -330, 15, 75, 105, 135, 150, 405, 900] { #expect(!ZoneOffset.exists(minutes)) }
        #expect(ZoneOffset.minutes(from: .min, to: .max, patience: 60_000) == nil)
    }
}
