import CZlib
import Testing

@testable import Media

@Suite("Where a date may stand")
struct DateSourcesTests {
    /// 2026-11-24.
    private static let now: Int64 = 1_795_514_400_000

    private func taken(_ file: [UInt8]) throws -> CaptureTime? {
        try MediaFacts(reading: file, type: MediaType.sniff(file), now: Self.now).takenAt
    }

    /// Wall clock, zone in minutes and precision.
    private func expect(
        _ file: [UInt8], _ text: String, _ zone: Int? = nil, _ precision: CaptureTime.Precision = .moment,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let time = try taken(file)
        #expect(time?.wallClockMilliseconds == CivilTime(text)?.wallClockMilliseconds, sourceLocation: place)
        #expect(time?.offsetMinutes == zone && time?.precision == precision, sourceLocation: place)
    }

    @Test("an impossible date hides no possible one behind it")
    func impossible() throws {
        let original = TIFFTag.dateTimeOriginal
        let digitized = TIFFTag.dateTimeDigitized
        for wrong in ["1601:01:01 00:00:00", "2036:02:07 06:28:15", "2008:05:06 24:08:00", "1970:01:01 00:00:00"] {
            let exif = MadeFiles.exif(exif: [original: wrong, digitized: "2015:06:12 16:39:33"])
            try expect(
                MadeFiles.jpeg(exif: exif), wrong.hasPrefix("2008") ? "2008-05-06T12:00" : "2015-06-12T16:39:33",
                nil, wrong.hasPrefix("2008") ? .day : .moment)
        }
        let stock = MadeFiles.exif(
            main: [TIFFTag.dateTime: "2017:05:31 18:43:23"], exif: [digitized: "2002:12:08 12:00:00"])
        try expect(MadeFiles.jpeg(exif: stock), "2017-05-31T18:43:23")
        let all = MadeFiles.exif(
            main: [TIFFTag.dateTime: "0000:00:00 00:00:00"], exif: [original: "2099:01:01 00:00:00"])
        #expect(try taken(MadeFiles.jpeg(exif: all)) == nil)
    }

    @Test(
        "however a program that has no rule in mind writes it",
        arguments: [
            ("Mon Mar  4 05:06:07 2019", "2019-03-04T05:06:07"), ("1551675967", "2019-03-04T05:06:07"),
            ("4 mars 2019 05:06:07", "2019-03-04T05:06:07"), ("4 marca 2019, 05:06:07", "2019-03-04T05:06:07"),
            ("2019-03-04T05:06:07", "2019-03-04T05:06:07"),
        ])
    func words(written: String, expected: String) throws {
        let exif = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: written])
        try expect(MadeFiles.jpeg(exif: exif), expected)
        try expect(MadeFiles.jpeg(xmp: "<rdf:Description exif:DateTimeOriginal=\"\(written)\"/>"), expected)
    }

    @Test(
        "of the press, with signs between the numbers, too",
        arguments: [
            [(55, "20210304"), (60, "050607")], [(55, "2021-03-04"), (60, "05:06:07")],
            [(55, "2021/03/04"), (60, "05:06:07")], [(55, "2021:03:04"), (60, "050607+0100")],
        ] as [[(UInt8, String)]])
    func press(records: [(UInt8, String)]) throws {
        try expect(MadeFiles.jpeg(iptc: records), "2021-03-04T05:06:07", records[1].1.hasSuffix("+0100") ? 60 : nil)
        try expect(MadeFiles.jpeg(iptc: [records[0]]), "2021-03-04T12:00", nil, .day)
    }

    @Test("a panorama has the time of the pictures that it was made of")
    func panorama() throws {
        for name in ["SourceImageCreateTime", "FirstPhotoDate"] {
            let packet =
                "<rdf:Description xmlns:P=\"http://ns.google.com/photos/1.0/panorama/\" P:\(name)=\"2023-09-10T11:12:13+02:00\"/>"
            try expect(MadeFiles.jpeg(xmp: packet), "2023-09-10T11:12:13", 120)
        }
    }

    @Test("what tells only a month or a year says so")
    func partial() throws {
        let year = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "1955:00:00 00:00:00"])
        try expect(MadeFiles.jpeg(exif: year), "1955-01-01T12:00", nil, .year)
        let month = "<rdf:Description photoshop:DateCreated=\"1955-07\"/>"
        try expect(MadeFiles.jpeg(xmp: month), "1955-07-01T12:00", nil, .month)
        try expect(MadeFiles.jpeg(xmp: month.replacing("1955-07", with: "1955")), "1955-01-01T12:00", nil, .year)
        try expect(MadeFiles.jpeg(iptc: [(55, "19550700")]), "1955-07-01T12:00", nil, .month)
        let noon = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "1955:00:00 12:00:00"])
        try expect(MadeFiles.jpeg(exif: noon), "1955-01-01T12:00", nil, .year)
        // A whole date elsewhere says more.
        let digitized = MadeFiles.exif(exif: [
            TIFFTag.dateTimeOriginal: "1955:00:00 00:00:00", TIFFTag.dateTimeDigitized: "1955:07:14 10:00:00",
        ])
        try expect(MadeFiles.jpeg(exif: digitized), "1955-07-14T10:00")
    }

    @Test(
        "blanks stand for zeros, and a half of the day for twelve hours",
        arguments: [
            ("2015: 6: 2  4: 9: 3", "2015-06-02T04:09:03"), ("2015:06:12  4:39:33", "2015-06-12T04:39:33"),
            ("2015:06:12 04:39 PM", "2015-06-12T16:39"), ("2015:06:12 12:39:33 am", "2015-06-12T00:39:33"),
        ])
    func spelling(text: String, expected: String) throws {
        try expect(MadeFiles.jpeg(exif: MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: text])), expected)
    }

    @Test("the press's block is read, in a JPEG and in a TIFF")
    func iptc() throws {
        try expect(MadeFiles.jpeg(iptc: [(55, "19880809"), (60, "101112+0200")]), "1988-08-09T10:11:12", 120)
        try expect(MadeFiles.jpeg(iptc: [(62, "19880809"), (63, "101112")]), "1988-08-09T10:11:12")
        let records: [UInt8] = [0x1C, 2, 55, 0, 8] + Array("19880809".utf8)
        try expect(TIFFBuilder.file([[.init(TIFFTag.iptc, .bytes(records))]]), "1988-08-09", nil, .day)
        // Resources of other programs begin with other signs.
        let other = Array("PHUT".utf8) + [4, 0x0A, 0, 0, 0, 0, 0, 0] + Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 13]
        let block = TIFFBuilder.file([[.init(TIFFTag.photoshop, .bytes(other + records))]])
        try expect(block, "1988-08-09", nil, .day)
    }

    @Test("it is also read behind a picture whose beginning tells no time, and only there")
    func appended() throws {
        for isLittleEndian in [false, true] {
            func file(behind head: [UInt8], day: String = "20051223") -> [UInt8] {
                MadeFiles.jpeg(appended: [(55, day)], isLittleEndian: isLittleEndian, behind: head)
            }
            let whole = file(behind: MadeFiles.jpeg())
            try expect(whole, "2005-12-23", nil, .day)
            for count in 1..<48 { _ = try taken(Array(whole.dropLast(count))) }
            var wrong = whole
            wrong.replaceSubrange(wrong.count - 8..<wrong.count - 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            #expect(try taken(wrong) == nil)
            let exif = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "2005:12:24 10:00:00"])
            try expect(file(behind: MadeFiles.jpeg(exif: exif)), "2005-12-24T10:00")
        }
    }

    @Test("Casio's block of the time before EXIF is read")
    func casio() throws {
        try expect(MadeFiles.jpeg(casio: "1998.10.24.12.08.57"), "1998-10-24T12:08:57")
        #expect(try taken(MadeFiles.jpeg(casio: "1998.10.24")) == nil)
    }

    @Test("a day, month or year is filled in by who knows the rest of it, whichever source comes first")
    func filledIn() throws {
        func packet(_ date: String, made: String? = nil) -> String {
            "<a photoshop:DateCreated='\(date)'" + (made.map { " xmp:CreateDate='\($0)'" } ?? "") + "/>"
        }
        let press: [(UInt8, String)] = [(55, "20061029"), (60, "062751-0500")]
        try expect(MadeFiles.jpeg(xmp: packet("2006-10-29"), iptc: press), "2006-10-29T06:27:51", -300)
        try expect(MadeFiles.jpeg(xmp: packet("2006-10"), iptc: press), "2006-10-29T06:27:51", -300)
        try expect(MadeFiles.jpeg(xmp: packet("2006"), iptc: [(55, "20061029")]), "2006-10-29", nil, .day)
        // No beginning of a clock, nor a stock value of one.
        for day in ["1980-01-01", "2002-12-08"] { try expect(MadeFiles.jpeg(xmp: packet(day)), day, nil, .day) }
        try expect(MadeFiles.jpeg(xmp: packet("2006-10-29", made: "2006-10-29T07:08:09")), "2006-10-29T07:08:09")
        let digitized = MadeFiles.exif(exif: [
            TIFFTag.dateTimeOriginal: "2006:10:29   :  :  ", TIFFTag.dateTimeDigitized: "2006:10:29 06:27:51",
        ])
        try expect(MadeFiles.jpeg(exif: digitized), "2006-10-29T06:27:51")
        let text = Array("Creation Time\0".utf8) + Array("2006-10-29T06:27:51".utf8)
        let keyword = Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0]
        try expect(
            MadeFiles.png([("iTXt", keyword + Array(packet("2006-10-29").utf8)), ("tEXt", text)]), "2006-10-29T06:27:51"
        )
    }

    @Test("what tells of another day, month or year, as that of the scan, changes nothing")
    func filledInByNone() throws {
        func packet(_ date: String) -> String {
            "<a photoshop:DateCreated='\(date)' xmp:CreateDate='2015-06-12T10:00'/>"
        }
        try expect(MadeFiles.jpeg(xmp: packet("1955")), "1955-01-01T12:00", nil, .year)
        try expect(MadeFiles.jpeg(xmp: packet("2015-07")), "2015-07-01T12:00", nil, .month)
        try expect(MadeFiles.jpeg(xmp: packet("2015-06-13")), "2015-06-13", nil, .day)
    }

    @Test("the last change and the satellites tell the clock of a day, and nothing of a year or a month")
    func filledInByLessTrusted() throws {
        let written = MadeFiles.exif(main: [TIFFTag.dateTime: "2006:10:29 20:21:22"])
        try expect(
            MadeFiles.jpeg(exif: written, xmp: "<a photoshop:DateCreated='2006-10-29'/>"), "2006-10-29T20:21:22")
        try expect(
            MadeFiles.jpeg(exif: written, xmp: "<a photoshop:DateCreated='2006-10'/>"), "2006-10-01T12:00", nil, .month)
        #expect(try taken(MadeFiles.jpeg(exif: written))?.source == .changed)
        #expect(
            try taken(MadeFiles.jpeg(exif: written, xmp: "<a photoshop:DateCreated='2006-10-29'/>"))?.source == .exif)
        let gps: [TIFFBuilder.Entry] = [
            .init(TIFFTag.timeStamp, .rationals([11, 1, 36, 1, 13, 1])), .init(TIFFTag.dateStamp, .text("2006:10:29")),
        ]
        let fix = MadeFiles.jpeg(exif: MadeFiles.exif(gps: gps), xmp: "<a photoshop:DateCreated='2006-10-29'/>")
        #expect(try taken(fix)?.milliseconds == CivilTime("2006-10-29T11:36:13")?.wallClockMilliseconds)
    }

    @Test("XMP's names count with every prefix that the packet gives to their namespace")
    func prefixes() throws {
        let xap = "<a xmlns:xap='http://ns.adobe.com/xap/1.0/' xap:CreateDate='2004-08-15T16:23:42+02:00'/>"
        try expect(MadeFiles.jpeg(xmp: xap), "2004-08-15T16:23:42", 120)
        let other = "<a xmlns:ps=\"http://ns.adobe.com/photoshop/1.0/\"><ps:DateCreated>2004-08-15</ps:DateCreated></a>"
        try expect(MadeFiles.jpeg(xmp: other), "2004-08-15", nil, .day)
        let foreign = "<a xmlns:q='http://example.org/' q:CreateDate='2004-08-15'/>"
        #expect(try taken(MadeFiles.jpeg(xmp: foreign)) == nil)
    }

    @Test("the satellites' date is taken where there is no other, a zone that stands alone for all times")
    func satellitesAndZones() throws {
        let gps: [TIFFBuilder.Entry] = [
            .init(TIFFTag.timeStamp, .rationals([11, 1, 36, 1, 13, 1])), .init(TIFFTag.dateStamp, .text("2020:02:13")),
        ]
        let only = try taken(MadeFiles.jpeg(exif: MadeFiles.exif(gps: gps)))
        #expect(only?.milliseconds == CivilTime("2020-02-13T11:36:13")?.wallClockMilliseconds)
        #expect(only?.isInstant == true && only?.offsetMinutes == nil)
        // A phone that writes only when the file was written; and an editor who did years later.
        let written = MadeFiles.exif(main: [TIFFTag.dateTime: "2020:02:13 12:36:12"], gps: gps)
        try expect(MadeFiles.jpeg(exif: written), "2020-02-13T12:36:12", 60)
        let edited = MadeFiles.exif(main: [TIFFTag.dateTime: "2024:05:06 12:36:12"], gps: gps)
        try expect(MadeFiles.jpeg(exif: edited), "2020-02-13T11:36:13")
        let zone = MadeFiles.exif(exif: [
            TIFFTag.dateTimeOriginal: "2018:12:03 15:55:27", TIFFTag.offsetTime: "-03:00",
        ])
        try expect(MadeFiles.jpeg(exif: zone), "2018-12-03T15:55:27", -180)
        let other = MadeFiles.exif(exif: [
            TIFFTag.dateTimeOriginal: "2018:12:03 15:55:27", TIFFTag.offsetTimeDigitized: "-03:00",
        ])
        try expect(MadeFiles.jpeg(exif: other), "2018-12-03T15:55:27", -180)
        let day = MadeFiles.exif(gps: [.init(TIFFTag.dateStamp, .text("2020:02:13"))])
        try expect(MadeFiles.jpeg(exif: day), "2020-02-13", nil, .day)
        try expect(MadeFiles.jpeg(xmp: "<a exif:GPSTimeStamp='2020-02-13T11:36:13Z'/>"), "2020-02-13T11:36:13")
    }

    @Test("a PNG tells its time in a text, in EXIF and XMP as a chunk or as a text, compressed or not")
    func png() throws {
        let key = Array("Creation Time\0".utf8)
        for text in ["2015:03:04 05:06:07", "2015-03-04T05:06:07+01:00", "Wed, 04 Mar 2015 05:06:07 +0100"] {
            let zone = text.hasSuffix("00") ? 60 : nil
            try expect(MadeFiles.png([("tEXt", key + Array(text.utf8))]), "2015-03-04T05:06:07", zone)
            try expect(MadeFiles.png([("iTXt", key + [0, 0, 0, 0] + Array(text.utf8))]), "2015-03-04T05:06:07", zone)
        }
        let packet = Array("<a photoshop:DateCreated='2015-03-04T05:06:07'/>".utf8)
        let keyword = Array("XML:com.adobe.xmp\0".utf8)
        try expect(MadeFiles.png([("iTXt", keyword + [1, 0, 0, 0] + deflated(packet))]), "2015-03-04T05:06:07")
        let exif = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "2015:03:04 05:06:07"])
        try expect(MadeFiles.png([("eXIf", exif)]), "2015-03-04T05:06:07")
        let block = Array("Exif\0\0".utf8) + exif
        let digits = block.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let profile = Array("\nexif\n    \(block.count)\n\(digits)\n".utf8)
        let raw = Array("Raw profile type exif\0".utf8) + [0] + deflated(profile)
        try expect(MadeFiles.png([("zTXt", raw)]), "2015-03-04T05:06:07")
        let bare = Array("\nexif\n    \(exif.count)\n\(digits.dropFirst(12))\n".utf8)
        try expect(MadeFiles.png([("tEXt", Array("Raw profile type exif\0".utf8) + bare)]), "2015-03-04T05:06:07")
        try expect(MadeFiles.png([("tEXt", key + Array("4 Mar 2015".utf8))]), "2015-03-04", nil, .day)
    }

    @Test("when a program wrote a PNG last is known, and is no date of the picture")
    func lastChange() throws {
        let chunk: [UInt8] = [7, 0xDF, 3, 4, 5, 6, 7]
        let time = try taken(MadeFiles.png([("tIME", chunk)]))
        #expect(time?.milliseconds == CivilTime("2015-03-04T05:06:07")?.wallClockMilliseconds)
        #expect(time?.source == .fileTime && time?.isInstant == true)
        let exif = MadeFiles.exif(exif: [TIFFTag.dateTimeOriginal: "1999:03:04 05:06:07"])
        try expect(MadeFiles.png([("tIME", chunk), ("eXIf", exif)]), "1999-03-04T05:06:07")
        for wrong in [[7, 0xDF, 13, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, 0], [7, 0xDF]] as [[UInt8]] {
            #expect(try taken(MadeFiles.png([("tIME", wrong)])) == nil)
        }
    }

    @Test("when a program wrote a picture last is also known by XMP alone, and leads before nothing")
    func lastChangeInXMP() throws {
        let keyword = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
        func png(_ properties: String) -> [UInt8] {
            MadeFiles.png([("iTXt", keyword + Array("<a \(properties)/>".utf8))])
        }
        let time = try taken(png("xmp:ModifyDate='2022-03-22T07:06:35+02:00'"))
        #expect(time?.milliseconds == CivilTime("2022-03-22T05:06:35")?.wallClockMilliseconds)
        #expect(time?.source == .fileTime && time?.isInstant == true)
        try expect(
            png("xmp:ModifyDate='2022-03-22T07:06:35Z' xmp:CreateDate='2009-08-07T06:05:04'"), "2009-08-07T06:05:04")
        #expect(try taken(png("xmp:ModifyDate='2022-03'")) == nil)
    }

    @Test("a GIF tells its time in XMP, which stands between other blocks and the picture")
    func gif() throws {
        let packet = Array("<a photoshop:DateCreated='2009-08-07T06:05:04'/>".utf8)
        let end = [1] + (0...255).reversed().map { UInt8($0) } + [0]
        let header = Array("GIF89a".utf8) + [4, 0, 3, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        let block = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + packet + end
        let picture: [UInt8] = [0x2C, 0, 0, 0, 0, 4, 0, 3, 0, 0, 2, 1, 0, 0, 0x3B]
        try expect(header + loop + block + picture, "2009-08-07T06:05:04")
        #expect(try taken(header + loop + picture + block) == nil)
        for count in 0..<block.count { _ = try taken(Array((header + block).dropLast(count))) }
    }

    @Test("what swells beyond all measure is not unpacked")
    func bomb() throws {
        #expect(Inflation.inflated(deflated([UInt8](repeating: 0, count: 8 << 20)), atMost: 4 << 20) == nil)
        #expect(Inflation.inflated([1, 2, 3], atMost: 100) == nil)
        #expect(Inflation.inflated(deflated([7, 8, 9]), atMost: 100) == [7, 8, 9])
    }

    private func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: bytes.count + 64)
        var count = UInt(output.count)
        compress(&output, &count, bytes, UInt(bytes.count))
        return Array(output[..<Int(count)])
    }

    // MARK: Videos

    @Test("iTunes' list, XMP beside and inside the movie, and Nikon's and Sony's clocks are read")
    func movies() throws {
        let data = MadeFiles.box("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array("2016-03-25T11:46:00+01:00".utf8))
        let list = MadeFiles.box(
            "udta", MadeFiles.box("meta", [0, 0, 0, 0], MadeFiles.box("ilst", MadeFiles.box("©day", data))))
        let utc = MadeFiles.seconds("2016-03-25T12:00:00")
        try expect(MadeFiles.movie(creation: utc, in: list), "2016-03-25T11:46", 60)

        let packet = Array("<a exif:DateTimeOriginal='2014-02-03T04:05:06'/>".utf8)
        let identifier: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
        ]
        let beside = MadeFiles.box("free", [1]) + MadeFiles.box("uuid", identifier, packet)
        try expect(MadeFiles.movie(creation: utc, behind: beside), "2014-02-03T04:05:06")
        let inside = MadeFiles.box("udta", MadeFiles.box("XMP_", packet))
        try expect(MadeFiles.movie(creation: utc, in: inside), "2014-02-03T04:05:06")

        func entry(_ tag: UInt32, _ text: String) -> [UInt8] {
            MadeFiles.big(tag) + [0, 2] + MadeFiles.big(UInt16(text.utf8.count + 1)) + Array(text.utf8) + [0]
        }
        let table = entry(1, "NIKON") + entry(0x11, "2024:09:28 12:54:53") + entry(0x19, "+08:00")
        let nikon = MadeFiles.box("udta", MadeFiles.box("NCDT", MadeFiles.box("NCTG", table)))
        try expect(
            MadeFiles.movie(creation: MadeFiles.seconds("2024-09-28T12:54:53"), in: nikon), "2024-09-28T12:54:53", 480)

        let xml = Array("<?xml?><NonRealTimeMeta><CreationDate value=\"2019-03-27T14:05:21+09:00\"/>".utf8)
        let sony = MadeFiles.box("meta", [0, 0, 0, 0], MadeFiles.box("xml ", xml))
        try expect(MadeFiles.movie(creation: utc, behind: sony), "2019-03-27T14:05:21", 540)
    }

    @Test("the day of a movie is filled in by its header, and a year or a day of its release comes last")
    func movieDays() throws {
        let day = MadeFiles.box("udta", MadeFiles.box("XMP_", Array("<a photoshop:DateCreated='2016-03-25'/>".utf8)))
        let noon = try taken(MadeFiles.movie(creation: MadeFiles.seconds("2016-03-25T12:13:14"), in: day))
        #expect(
            noon?.milliseconds == CivilTime("2016-03-25T12:13:14")?.wallClockMilliseconds && noon?.isInstant == true)
        try expect(
            MadeFiles.movie(creation: MadeFiles.seconds("2016-03-28T12:13:14"), in: day), "2016-03-25", nil, .day)
        let text = Array("2010".utf8)
        let year = MadeFiles.box("udta", MadeFiles.box("©day", [0, 4, 0, 0] + text))
        try expect(MadeFiles.movie(creation: MadeFiles.seconds("2005-03-28T12:13:14"), in: year), "2005-03-28T12:13:14")
        try expect(MadeFiles.movie(creation: 0, in: year), "2010-01-01T12:00", nil, .year)
        let editor = MadeFiles.box("udta", MadeFiles.box("date", Array("2016-03-25T11:46:00+0100".utf8)))
        try expect(MadeFiles.movie(creation: 0, in: editor), "2016-03-25T11:46", 60)
    }

    @Test("a header that counts from 1970 is understood, and one that knows nothing tells nothing")
    func movieClocks() throws {
        let from1970 = UInt32((CivilTime("2019-08-09T10:11:12")?.wallClockMilliseconds ?? 0) / 1000)
        let time = try taken(MadeFiles.movie(creation: from1970))
        #expect(
            time?.milliseconds == CivilTime("2019-08-09T10:11:12")?.wallClockMilliseconds && time?.isInstant == true)
        func track(_ creation: UInt32) -> [UInt8] {
            let times = [0, 0, 0, 0] + MadeFiles.big(creation) + MadeFiles.big(creation)
            let header = MadeFiles.box("tkhd", times + [UInt8](repeating: 0, count: 72))
            return MadeFiles.box(
                "trak", header,
                MadeFiles.box("mdia", MadeFiles.box("mdhd", times + [0, 0, 3, 232, 0, 0, 0, 1, 0, 0, 0, 0])))
        }
        for nothing in [0, 1, 2_082_844_800, MadeFiles.seconds("2036-01-01")] {
            #expect(try taken(MadeFiles.movie(creation: nothing)) == nil, "\(nothing)")
            // Its tracks may know.
            let known = try taken(
                MadeFiles.movie(creation: nothing, in: track(MadeFiles.seconds("2005-03-28T12:13:14"))))
            #expect(known?.milliseconds == CivilTime("2005-03-28T12:13:14")?.wallClockMilliseconds)
            #expect(try taken(MadeFiles.movie(creation: nothing, in: track(nothing))) == nil)
        }
    }

    @Test(
        "the clock of an AVI stands in a text, in whichever way",
        arguments: [
            "THU AUG 12 14:37:14 2003\n\0", "2003:08:12 14:37:14\0", "2003-08-12 14:37:14", "2003/08/12/ 14:37:14",
            "2003/ 8/12  2:37:14PM",
        ])
    func avi(text: String) throws {
        func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
            Array(name.utf8) + MadeFiles.little(UInt32(payload.count)) + payload + (payload.count % 2 == 0 ? [] : [0])
        }
        var header = [UInt8](repeating: 0, count: 56)
        header.replaceSubrange(0..<4, with: MadeFiles.little(UInt32(40_000)))
        header.replaceSubrange(16..<20, with: MadeFiles.little(UInt32(50)))
        header.replaceSubrange(32..<40, with: MadeFiles.little(UInt32(320)) + MadeFiles.little(UInt32(240)))
        let list = chunk("LIST", Array("hdrl".utf8) + chunk("avih", header) + chunk("IDIT", Array(text.utf8)))
        let file = chunk("RIFF", Array("AVI ".utf8) + list + chunk("LIST", Array("movi".utf8) + [1, 2, 3, 4]))
        try expect(file, "2003-08-12T14:37:14")
        let facts = try MediaFacts(reading: file, type: .avi)
        #expect(facts.width == 320 && facts.height == 240 && facts.duration == .seconds(2))
    }

    @Test("AVCHD tells clock and zone among its first pictures, Windows Media in its header")
    func camcorders() throws {
        let block: [UInt8] = Array("MDPM".utf8) + [2, 0x18, 0x12, 0x20, 0x11, 0x07, 0x19, 0x14, 0x15, 0x16, 0x17]
        var packet: [UInt8] = [0x47, 0x50, 0x11, 0x10] + [0, 0, 1, 6, 5] + block
        packet += [UInt8](repeating: 0xFF, count: 188 - packet.count)
        let empty: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        let packets: [[UInt8]] = [empty, packet, empty, empty, empty]
        let stream: [UInt8] = Array(packets.map { [0, 0, 0, 0] + $0 }.joined())
        #expect(MediaType.sniff(stream) == .mpegTransport)
        try expect(stream, "2011-07-14T15:16:17", 540)

        let properties: [UInt8] = [
            0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
        ]
        let ticks = UInt64((CivilTime("2006-05-06T07:08:09")?.wallClockMilliseconds ?? 0) + 11_644_473_600_000) * 10_000
        var object = [UInt8](repeating: 0, count: 80)
        object.replaceSubrange(24..<32, with: MadeFiles.little(ticks))
        object.replaceSubrange(40..<48, with: MadeFiles.little(UInt64(30_000_000)))
        object.replaceSubrange(56..<64, with: MadeFiles.little(UInt64(1000)))
        let head: [UInt8] = [
            0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
        ]
        let file = head + [UInt8](repeating: 0, count: 14) + properties + MadeFiles.little(UInt64(104)) + object
        let facts = try MediaFacts(reading: file, type: MediaType.sniff(file), now: Self.now)
        #expect(facts.takenAt?.milliseconds == CivilTime("2006-05-06T07:08:09")?.wallClockMilliseconds)
        #expect(facts.duration == .seconds(2))
    }
}
