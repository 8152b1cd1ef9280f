import Testing

@testable import Media
@testable import Search

@Suite("Dates in the zone of their place")
struct PlaceZoneTests {
    private let tokyo: PlaceZone
    private let berlin: PlaceZone

    init() throws {
        tokyo = try #require(PlaceZone(name: "Asia/Tokyo"))
        berlin = try #require(PlaceZone(name: "Europe/Berlin"))
    }

    /// 2024-07-01 10:00:00, as if it were UTC.
    private let summer: Int64 = 1_719_828_000_000

    @Test("what a camera's clock showed is an instant by the zone of the place, and stands where it stood")
    func clock() {
        let clock = CaptureTime(milliseconds: summer, isInstant: false, source: .exif)
        let placed = clock.placed(in: tokyo)
        #expect(placed.isInstant && placed.isZoneOfPlace && placed.isInstantOfPlace)
        #expect(placed.offsetMinutes == 540)
        #expect(placed.milliseconds == summer - 9 * 3_600_000)
        #expect(placed.wallClockMilliseconds == summer)
        #expect(placed.unplaced == clock)
    }

    @Test("an instant whose zone was guessed, or is not known, gets that of its place and stays the same instant")
    func instant() {
        var guess = CaptureTime(milliseconds: summer, offsetMinutes: 120, isInstant: true, source: .container)
        guess.isZoneGuessed = true
        let placed = guess.placed(in: tokyo)
        #expect(placed.milliseconds == summer)
        #expect(placed.offsetMinutes == 540)
        #expect(placed.isZoneOfPlace && !placed.isZoneGuessed && !placed.isInstantOfPlace)
        #expect(placed.unplaced.offsetMinutes == nil)
    }

    @Test("what says its zone keeps it, and so does a day, and a scan")
    func others() {
        let known = CaptureTime(milliseconds: summer, offsetMinutes: 60, isInstant: true, source: .exifWithOffset)
        let day = CaptureTime(milliseconds: summer, isInstant: false, source: .name, precision: .day)
        let scan = CaptureTime(milliseconds: summer, isInstant: false, source: .digitized)
        for time in [known, day, scan] { #expect(time.placed(in: tokyo) == time) }
    }

    @Test(
        "clocks show summer and winter, an hour twice, and an hour never",
        arguments: [
            (1_719_828_000_000, 120), (1_704_103_200_000, 60),
            // 2024-10-27: 01:59, 02:30 (the first of two), 03:00.
            (1_729_994_340_000, 120), (1_729_996_200_000, 120), (1_729_998_000_000, 60),
            // 2024-03-31: 01:59, 03:00.
            (1_711_850_340_000, 60), (1_711_854_000_000, 120),
        ] as [(Int64, Int)])
    func seasons(wallClock: Int64, minutes: Int) {
        #expect(berlin.offsetMinutes(atWallClock: wallClock) == minutes)
    }

    @Test("a clock in the name tells the zone before the place does, and the place before photos of the hour")
    func order() {
        var known = CaptureTime.Circumstances(
            name: "VID_20240701_120000.mp4", receivedAt: summer + 86_400_000, now: summer + 86_400_000,
            neighbourOffset: { _ in 60 })
        known.zone = tokyo
        let read = CaptureTime(milliseconds: summer, isInstant: true, source: .container)
        #expect(CaptureTime.chosen(read: read, known)?.offsetMinutes == 120)
        known.name = "movie.mp4"
        #expect(CaptureTime.chosen(read: read, known)?.offsetMinutes == 540)
        known.zone = nil
        #expect(CaptureTime.chosen(read: read, known)?.offsetMinutes == 60)
    }

    @Test("a name that no database has is no zone")
    func unknown() { #expect(PlaceZone(name: "Europe/Atlantis") == nil) }
}
