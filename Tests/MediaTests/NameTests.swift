import Testing

@testable import Media

@Suite("The time in a name")
struct NameTests {
    @Test(
        "patterns of cameras, phones and messengers",
        arguments: [
            ("IMG_20240131_123456.jpg", "2024-01-31T12:34:56"), ("VID_20240131_123456.mp4", "2024-01-31T12:34:56"),
            ("PXL_20240131_123456789.MP.jpg", "2024-01-31T12:34:56.789"),
            ("20240131_123456.jpg", "2024-01-31T12:34:56"),
            ("2024-01-31 12.34.56.jpg", "2024-01-31T12:34:56"), ("20240131123456.png", "2024-01-31T12:34:56"),
            ("IMG-20240131-WA0001.jpg", "2024-01-31T12:00:00"),
            ("Screenshot_20240131-123456.png", "2024-01-31T12:34:56"),
            ("Screenshot_2024-01-31-12-34-56-12_abc.png", "2024-01-31T12:34:56"),
            ("Screenshot 2024-01-31 at 1.34.56 PM.png", "2024-01-31T13:34:56"),
            ("Screenshot 2024-01-31 at 12.34.56 AM.png", "2024-01-31T00:34:56"),
            ("WhatsApp Image 2024-01-31 at 12.34.56.jpeg", "2024-01-31T12:34:56"),
            ("signal-2024-01-31-123456.jpg", "2024-01-31T12:34:56"), ("照片 2024-01-31.jpg", "2024-01-31T12:00:00"),
            ("mmexport1706704496000.jpg", "2024-01-31T12:34:56"), ("FB_IMG_1706704496000.jpg", "2024-01-31T12:34:56"),
            ("IMG_20240229_000000.jpg", "2024-02-29T00:00:00"),
        ])
    func patterns(name: String, expected: String) throws {
        let time = try #require(CaptureTime(name: name))
        #expect(time.milliseconds == CivilTime(expected)?.wallClockMilliseconds)
        #expect(time.source == .name)
        #expect(time.offsetMinutes == nil)
    }

    @Test("only a Pixel's name and a count of milliseconds tell an instant")
    func instants() {
        #expect(CaptureTime(name: "PXL_20240131_123456789.jpg")?.isInstant == true)
        #expect(CaptureTime(name: "mmexport1706704496000.jpg")?.isInstant == true)
        #expect(CaptureTime(name: "IMG_20240131_123456.jpg")?.isInstant == false)
    }

    @Test(
        "other numbers are no time",
        arguments: [
            "IMG_5195.HEIC", "DSCN0010.jpg", "20241331_123456.jpg", "IMG_20230229_000000.jpg", "12345678.jpg",
            "2024013.jpg", "202401311.jpg", "document-2024-01.pdf", "", "9999999999999.jpg", "1080x1920.png",
            "0123456789012.jpg", "18991231.jpg",
        ])
    func noTime(name: String) { #expect(CaptureTime(name: name) == nil) }
}

@Suite("Which time counts")
struct CaptureTimeTests {
    private let now: Int64 = 1_706_704_496_000
    private func read(_ milliseconds: Int64) -> CaptureTime {
        CaptureTime(milliseconds: milliseconds, isInstant: false, source: .exif)
    }

    @Test("what the file says leads, then the file's time, then its name")
    func order() {
        let name = "IMG_20200131_123456.jpg"
        #expect(CaptureTime.chosen(read: read(5), fileTime: 7, name: name, now: now)?.source == .exif)
        #expect(CaptureTime.chosen(read: nil, fileTime: 7, name: name, now: now)?.source == .fileTime)
        #expect(CaptureTime.chosen(read: nil, fileTime: nil, name: name, now: now)?.source == .name)
        #expect(CaptureTime.chosen(read: nil, fileTime: nil, name: "a.jpg", now: now) == nil)
    }

    @Test("a time before photography or more than a day ahead is passed over")
    func sane() {
        let day: Int64 = 86_400_000
        #expect(CaptureTime.chosen(read: read(now + day), fileTime: 7, name: "", now: now)?.source == .exif)
        #expect(CaptureTime.chosen(read: read(now + day + 1), fileTime: 7, name: "", now: now)?.source == .fileTime)
        #expect(
            CaptureTime.chosen(read: read(-4_544_208_000_001), fileTime: 7, name: "", now: now)?.source == .fileTime)
        #expect(CaptureTime.chosen(read: read(.max), fileTime: .min, name: "", now: .max)?.source == .exif)
    }

    @Test(
        "dates in the ways in which they are written",
        arguments: [
            ("2022:02:16 12:55:41", 1_645_016_141_000, nil), ("2022-02-16T12:55:41.762+01:00", 1_645_016_141_762, 60),
            ("2022-02-16T12:55:41Z", 1_645_016_141_000, 0), ("2022-02-16T12:55:41-0530", 1_645_016_141_000, -330),
            ("2022-02-16", 1_644_969_600_000, nil), ("1900:01:01 00:00:00", -2_208_988_800_000, nil),
        ] as [(String, Int64, Int?)])
    func written(text: String, milliseconds: Int64, offset: Int?) {
        #expect(CivilTime(text)?.wallClockMilliseconds == milliseconds)
        #expect(CivilTime(text)?.offsetMinutes == offset)
    }

    @Test(
        "no date is made of what is none",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "2022:02:30 00:00:00", "2022:13:01 00:00:00", "yesterday",
            "2022:02:16 25:00:00", "", "2022:02:16 12",
        ])
    func unwritten(text: String) { #expect(CivilTime(text) == nil) }

    @Test(
        "the satellites' time tells the zone of a camera that knows none, if the fix is fresh",
        arguments: [(12, 7, 30, 180), (12, 5, 0, nil), (14, 30, 0, nil), (18, 37, 0, -210)]
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
