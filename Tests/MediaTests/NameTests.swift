import Foundation
import Testing

@testable import Media

@Suite("The time in a name")
struct NameTests {
    /// What the page's scripts read, too, by the same table: a photo stands where the host will file it.
    private struct Vector: Decodable, CustomTestStringConvertible {
        var name: String
        /// By the clock on the wall; noon of the first day where less is known. Nil for a name that tells no time.
        var taken: String?
        var precision: String?
        var isInstant: Bool?

        var testDescription: String { name }

        static let all: [Vector] = {
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let data = try? Data(contentsOf: tests.appending(path: "Vectors/names.json"))
            return data.flatMap { try? JSONDecoder().decode([Vector].self, from: $0) } ?? []
        }()
    }

    @Test("names of cameras, phones, messengers and systems, and numbers that are no time", arguments: Vector.all)
    private func vectors(vector: Vector) throws {
        let time = CaptureTime(name: vector.name)
        #expect(time?.milliseconds == vector.taken.flatMap { CivilTime($0)?.wallClockMilliseconds })
        #expect(time.map { "\($0.precision)" } == vector.precision)
        #expect(time?.isInstant == vector.isInstant)
        #expect(time.map { $0.source == .name && $0.offsetMinutes == nil } != false)
    }

    @Test("the table of names is there")
    func tableIsThere() { #expect(Vector.all.count > 100 && Vector.all.contains { $0.taken == nil }) }
}

@Suite("Which time counts")
struct CaptureTimeTests {
    private let now: Int64 = 1_706_704_496_000
    private func read(_ milliseconds: Int64) -> CaptureTime {
        CaptureTime(milliseconds: milliseconds, isInstant: false, source: .exif)
    }

    private func chosen(
        _ read: CaptureTime? = nil, file: Int64? = nil, name: String = "", receivedAt: Int64 = 0,
        now: Int64? = nil, neighbour: Int? = nil, host: Int = 0
    ) -> CaptureTime? {
        let known = CaptureTime.Circumstances(
            fileTime: file, name: name, receivedAt: receivedAt, now: now ?? self.now,
            neighbourOffset: { _ in neighbour }, hostOffset: { _ in host })
        return CaptureTime.chosen(read: read, known)
    }

    private func wall(_ text: String) -> Int64 { CivilTime(text)?.wallClockMilliseconds ?? 0 }

    @Test("a number is a year, unless names beside it say that it is one of a series")
    func series() {
        var known = CaptureTime.Circumstances(fileTime: 1_700_000_000_000, name: "1964.jpg", receivedAt: 0, now: now)
        #expect(CaptureTime.chosen(read: nil, known)?.precision == .year)
        known.isOfSeries = true
        #expect(CaptureTime.chosen(read: nil, known)?.source == .fileTime)
        known.name = "1964-07.jpg"
        #expect(CaptureTime.chosen(read: nil, known)?.precision == .month)
        #expect(CaptureTime.isOfSeries(1964, beside: 1965) && CaptureTime.isOfSeries(1964, beside: 12))
        #expect(!CaptureTime.isOfSeries(1964, beside: 1964) && !CaptureTime.isOfSeries(1964, beside: 1971))
        #expect(CaptureTime.number(ofName: "1964 (2).jpg") == 1964 && CaptureTime.number(ofName: "0012.png") == 12)
        #expect(CaptureTime.number(ofName: "IMG_1964.jpg") == nil && CaptureTime.number(ofName: "20240131.jpg") == nil)
    }

    @Test("a year of two digits is the last one that can be")
    func twoDigits() {
        let old = chosen(name: "Foto 03.02.65, 04 05 06.jpg")
        #expect(old?.milliseconds == wall("1965-02-03T04:05:06"))
        #expect(chosen(name: "Foto 03.02.23, 04 05 06.jpg")?.milliseconds == wall("2023-02-03T04:05:06"))
    }

    @Test("what the file says leads, then a date in its name, then the file's time")
    func order() {
        let name = "IMG_20200131_123456.jpg"
        let copied: Int64 = 1_700_000_000_000
        let own = read(wall("2019-01-01T10:00:00"))
        #expect(chosen(own, file: copied, name: name)?.source == .exif)
        #expect(chosen(file: copied, name: name)?.source == .name)
        #expect(chosen(file: copied, name: "a.jpg")?.source == .fileTime)
        #expect(chosen(name: "a.jpg") == nil)
        var known = CaptureTime.Circumstances(receivedAt: 0, now: now)
        known.sidecar = CaptureTime(milliseconds: 160_000_000_000, isInstant: true, source: .sidecar)
        #expect(CaptureTime.chosen(read: own, known)?.source == .exif)
        let changed = CaptureTime(milliseconds: copied, isInstant: false, source: .changed)
        #expect(CaptureTime.chosen(read: changed, known)?.source == .sidecar)
        #expect(chosen(changed, file: copied, name: name)?.source == .name)
        #expect(chosen(changed, file: 0, name: "a.jpg")?.source == .changed)
        // A date of tomorrow is no date of a photo.
        #expect(chosen(file: copied, name: "IMG_20990131_123456.jpg")?.source == .fileTime)
    }

    @Test("a full date in the name comes before the last change, of which the clock counts on the same day")
    func lastChangeAndName() {
        func changed(_ text: String) -> CaptureTime {
            CaptureTime(milliseconds: wall(text), isInstant: false, source: .changed)
        }
        let later = changed("2023-03-01T10:00:05")
        #expect(chosen(later, name: "IMG_20180512_103000.jpg")?.milliseconds == wall("2018-05-12T10:30:00"))
        #expect(chosen(later, name: "1955-07-14 wedding.jpg")?.milliseconds == wall("1955-07-14"))
        #expect(chosen(later, name: "1955.jpg")?.precision == .year)
        #expect(chosen(later, name: "IMG-20180512-WA0001.jpg", neighbour: 60)?.source == .name)
        // A phone that tells no more, and an editor of the same evening.
        let own = changed("2018-05-12T10:30:02")
        #expect(chosen(own, name: "IMG_20180512_103000.jpg") == own)
        #expect(chosen(own, name: "IMG-20180512-WA0001.jpg") == own)
        #expect(chosen(own, name: "signal-2018-05-12-183000.jpg") == own)
        #expect(
            chosen(changed("2018-05-12T18:00:00"), name: "IMG_20180512_103000.jpg")?.milliseconds
                == wall("2018-05-12T10:30:00"))
        // A Pixel names by UTC: here it was the next day.
        let night = changed("2024-01-21T00:30:00")
        #expect(chosen(night, name: "PXL_20240120_233000123.jpg", host: 60) == night)
    }

    @Test(
        "a clock that has just begun tells nothing, whatever its zone, and one of 2000 only where nobody knows better")
    func unsetClocks() {
        let name = "IMG_20170303_101112.jpg"
        for begun in [
            "1980-01-01T00:03:12", "1980-01-01T00:59:59", "1970-01-01T01:00:12", "1970-01-01T00:00:31",
            "1969-12-31T19:20:00",
            "1904-01-01T00:45:00", "2000-01-01T00:00:00", "2002-12-08T12:00:00",
        ] {
            #expect(chosen(read(wall(begun)), name: name)?.source == .name, "\(begun)")
            #expect(chosen(read(wall(begun)), name: "a.jpg") == nil, "\(begun)")
        }
        for real in ["1980-01-01T01:00:00", "1970-01-01T12:00:00", "1969-12-31T11:00:00", "1904-01-01T14:00:00"] {
            #expect(chosen(read(wall(real)), name: name)?.source == .exif, "\(real)")
        }
        let zoned = CaptureTime(milliseconds: 12_000, offsetMinutes: 60, isInstant: true, source: .exifWithOffset)
        #expect(chosen(zoned, name: name)?.source == .name)
        let midnight = read(wall("2000-01-01T00:03:12"))
        #expect(chosen(midnight, name: name)?.source == .name)
        #expect(chosen(midnight, file: wall("2016-01-01T10:00"), name: "a.jpg") == midnight)
        #expect(chosen(midnight, name: "2000-01-01 00.03.12.jpg") == midnight)
        // An impossible date in a name hides no possible one.
        #expect(chosen(name: "2099-01-31 copy of 2019-05-01.jpg")?.milliseconds == wall("2019-05-01"))
    }

    @Test("an earlier date in the name comes before the day of a scan, a later one does not")
    func scanAndName() {
        let scan = CaptureTime(milliseconds: wall("2015-03-01T10:00:00"), isInstant: false, source: .digitized)
        let now = wall("2024-01-31T12:00:00")
        #expect(chosen(scan, name: "1955-07-14 wedding.jpg", now: now)?.milliseconds == wall("1955-07-14"))
        #expect(chosen(scan, name: "1955.jpg", now: now)?.precision == .year)
        #expect(chosen(scan, name: "IMG_20140102_101112.jpg", now: now)?.milliseconds == wall("2014-01-02T10:11:12"))
        for name in [
            "IMG-20150305-WA0001.jpg", "IMG_20150301_095800.jpg", "2015.jpg", "2015-03.jpg", "2016.jpg", "a.jpg",
        ] {
            #expect(chosen(scan, name: name, now: now) == scan, "\(name)")
        }
        var shutter = scan
        shutter.source = .exif
        #expect(chosen(shutter, name: "1955-07-14 wedding.jpg", now: now) == shutter)
    }

    @Test("a name that tells only the day gets the file's time of that day, by the host's clock")
    func dayInName() {
        let name = "IMG-20240120-WA0001.jpg"
        #expect(chosen(file: wall("2024-01-20T23:30:00"), name: name)?.source == .fileTime)
        #expect(chosen(file: wall("2024-01-20T23:30:00"), name: name, host: 60)?.precision == .day)
        #expect(
            chosen(file: wall("2024-01-19T23:30:00"), name: name, host: 60)?.milliseconds == wall("2024-01-19T23:30:00")
        )
        #expect(chosen(file: wall("2024-01-28T10:00:00"), name: name)?.source == .name)
    }

    @Test("when a program wrote the picture counts like the file's time, of which the earlier one is taken")
    func lastChange() {
        let written = CaptureTime(milliseconds: wall("2019-03-04T05:06:07"), isInstant: true, source: .fileTime)
        let (before, later) = (wall("2018-01-01T10:00:00"), wall("2023-01-01T10:00:00"))
        #expect(chosen(written, file: later, name: "a.png")?.milliseconds == written.milliseconds)
        #expect(chosen(written, file: before, name: "a.png")?.milliseconds == before)
        #expect(chosen(written, name: "a.png", host: 60)?.offsetMinutes == 60)
        #expect(chosen(written, file: later, name: "IMG_20200131_123456.png")?.source == .name)
        #expect(chosen(written, name: "IMG-20190304-WA0001.png")?.milliseconds == written.milliseconds)
    }

    @Test("a day, month or year that the file tells is filled in by its name, a day also by the file's time")
    func partialInFile() {
        func day(_ text: String, _ precision: CaptureTime.Precision) -> CaptureTime {
            CaptureTime(milliseconds: wall(text), isInstant: false, source: .exif, precision: precision)
        }
        let (written, name) = (wall("2024-01-20T22:30:00"), "IMG_20240120_101112.jpg")
        let known = day("2024-01-20", .day)
        #expect(chosen(known, file: written, name: name)?.milliseconds == wall("2024-01-20T10:11:12"))
        #expect(chosen(known, file: written, name: "IMG-20240120-WA0001.jpg")?.milliseconds == written)
        #expect(chosen(known, file: written, name: "a.jpg", host: 120)?.precision == .day)
        #expect(chosen(known, file: wall("2024-01-21T10:00"), name: "IMG_20240121_101112.jpg") == known)
        let year = day("2024-01-01T12:00", .year)
        #expect(chosen(year, file: written, name: name)?.milliseconds == wall("2024-01-20T10:11:12"))
        #expect(chosen(year, file: written, name: "a.jpg") == year)
        // A phone that names by UTC: here it was the next day.
        let late = chosen(day("2024-01-21", .day), name: "PXL_20240120_233000123.jpg", host: 60)
        #expect(late?.wallClockMilliseconds == wall("2024-01-21T00:30:00.123") && late?.offsetMinutes == 60)
    }

    @Test("a file's time that is the beginning of a clock, or the moment of the copy, tells nothing")
    func fileTimes() {
        for nothing in [0, 315_532_800_000, 315_532_800_000 - 3_600_000, 43_200_000] as [Int64] {
            #expect(chosen(file: nothing) == nil, "\(nothing)")
        }
        #expect(chosen(file: now - 59_000, receivedAt: now) == nil)
        #expect(chosen(file: now - 61_000, receivedAt: now)?.source == .fileTime)
        #expect(chosen(file: wall("1955-07-14"))?.milliseconds == wall("1955-07-14"))
    }

    @Test("a time before photography or more than a day ahead is passed over")
    func sane() {
        let (day, file): (Int64, Int64) = (86_400_000, 1_000_000_000_000)
        #expect(chosen(read(now + day), file: file)?.source == .exif)
        #expect(chosen(read(now + day + 1), file: file)?.source == .fileTime)
        #expect(chosen(read(-4_544_208_000_001), file: file)?.source == .fileTime)
        #expect(chosen(read(.max), file: .min, now: .max)?.source == .exif)
    }

    @Test("an instant gets the zone of the name's clock, else of its neighbours, else of the host")
    func zones() {
        let video = CaptureTime(milliseconds: wall("2023-12-31T23:30:05"), isInstant: true, source: .container)
        let named = chosen(video, name: "VID_20240101_003000.mp4", neighbour: 120, host: -300)
        #expect(named?.offsetMinutes == 60 && named?.isZoneGuessed == false)
        #expect(named?.wallClockMilliseconds == wall("2024-01-01T00:30:05"))
        // A name that has nothing to do with it tells no zone, nor one that no place has.
        #expect(chosen(video, name: "VID_20240101_004500.mp4", neighbour: 120)?.offsetMinutes == 120)
        #expect(chosen(video, name: "VID_20240101_051500.mp4", neighbour: 120)?.offsetMinutes == 345)
        #expect(chosen(video, name: "VID_20240101_003700.mp4", neighbour: 120)?.offsetMinutes == 120)
        let guessed = chosen(video, name: "clip.mp4", host: -300)
        #expect(guessed?.offsetMinutes == -300 && guessed?.isZoneGuessed == true)
        #expect(guessed?.milliseconds == video.milliseconds)
    }

    @Test(
        "dates in the ways in which they are written",
        arguments: [
            ("2022:02:16 12:55:41", 1_645_016_141_000, nil), ("2022-02-16T12:55:41.762+01:00", 1_645_016_141_762, 60),
            ("2022-02-16T12:55:41Z", 1_645_016_141_000, nil), ("2022-02-16T12:55:41+0530", 1_645_016_141_000, 330),
            ("2022-02-16T12:55:41-0330", 1_645_016_141_000, -210),
            ("2022-02-16T12:55:41+02:15", 1_645_016_141_000, nil),
            ("2022-02-16T12:55:41-14:00", 1_645_016_141_000, nil), ("20220216T125541+0100", 1_645_016_141_000, 60),
            ("20220216", 1_645_012_800_000, nil), ("20220216 1255", 1_645_016_100_000, nil),
            ("2022-02-16", 1_645_012_800_000, nil), ("1900:01:01 00:00:00", -2_208_988_800_000, nil),
        ] as [(String, Int64, Int?)])
    func written(text: String, milliseconds: Int64, offset: Int?) {
        #expect(CivilTime(text)?.wallClockMilliseconds == milliseconds)
        #expect(CivilTime(text)?.offsetMinutes == offset)
    }

    @Test(
        "no date is made of what is none",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "2022:02:30 00:00:00", "2022:13:01 00:00:00", "yesterday",
            "2022:02:16 25:00:00", "", "2022:02:16 12", "2022-0", "2022:", "202202161", "20220216 12", "20221301",
        ])
    func unwritten(text: String) { #expect(CivilTime(text) == nil) }

    @Test("Z tells an instant and no zone: that is found as for others")
    func universalTime() throws {
        let time = CaptureTime(exif: try #require(CivilTime("2022-07-01T10:00:00Z")))
        #expect(time.isInstant && time.offsetMinutes == nil && time.milliseconds == wall("2022-07-01T10:00:00"))
        #expect(chosen(time, name: "a.jpg", neighbour: 120, host: 60)?.offsetMinutes == 120)
        #expect(chosen(time, name: "20220701_193000.jpg", neighbour: 120)?.offsetMinutes == 570)
        let london = CaptureTime(exif: try #require(CivilTime("2022-01-01T10:00:00+00:00")))
        #expect(london.offsetMinutes == 0 && chosen(london, neighbour: 120)?.offsetMinutes == 0)
    }

    @Test(
        "the satellites' time tells the zone of a camera that knows none, if the fix is fresh",
        arguments: [
            (12, 7, 30, 180), (12, 5, 0, nil), (14, 30, 0, nil), (18, 37, 0, -210), (9, 22, 0, 345),
            // A late fix: no place has these.
            (12, 52, 30, nil), (14, 52, 0, nil), (20, 37, 0, nil),
        ]
            as [(UInt32, UInt32, UInt32, Int?)])
    func satellites(hour: UInt32, minute: UInt32, second: UInt32, offset: Int?) throws {
        // The camera's clock showed 15:07:20.
        let gps = [
            TIFFBuilder.Entry(TIFFTag.timeStamp, .rationals([hour, 1, minute, 1, second, 1])),
            TIFFBuilder.Entry(TIFFTag.dateStamp, .text("2021:04:11")),
        ]
        let exif = [TIFFBuilder.Entry(TIFFTag.dateTimeOriginal, .text("2021:04:11 15:07:20"))]
        let file = TIFFBuilder.file([
            [.init(TIFFTag.exifDirectory, .directory(exif)), .init(TIFFTag.gpsDirectory, .directory(gps))]
        ])
        let time = try #require(try MediaFacts(reading: file, type: .tiff).takenAt)
        #expect(time.offsetMinutes == offset && time.isInstant == (offset != nil) && time.source == .exif)
        #expect(time.wallClockMilliseconds == CivilTime("2021:04:11 15:07:20")?.wallClockMilliseconds)
    }
}
