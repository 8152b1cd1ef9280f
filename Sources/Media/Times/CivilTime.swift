/// A date and time of day as written somewhere, with or without a zone.
struct CivilTime: Equatable {
    /// Since 1970-01-01T00:00:00, by the clock that was written down.
    var wallClockMilliseconds: Int64
    /// Minutes east of UTC.
    var offsetMinutes: Int?

    /// Nil for a date that no calendar has.
    init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0,
        offsetMinutes: Int? = nil
    ) {
        guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), (0...999).contains(millisecond),
            day >= 1, day <= Self.dayCount(year: year, month: month)
        else { return nil }
        let days = CalendarDate(year: year, month: month, day: day).daysSinceEpoch
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59))
        wallClockMilliseconds = seconds * 1000 + Int64(millisecond)
        self.offsetMinutes = offsetMinutes
    }

    /// `2022:02:16 12:55:41`, `2022-02-16T12:55:41.762+01:00`, `2022-02-16T12:55`, `2022-02-16`, `…Z`, `…+0100`.
    init?(_ text: String) {
        var scanner = TextScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip(":-/."), let month = scanner.number(digits: 2),
            scanner.skip(":-/."), let day = scanner.number(digits: 2)
        else { return nil }
        var (hour, minute, second, millisecond) = (0, 0, 0, 0)
        if scanner.skip(" T"), let found = scanner.number(digits: 2) {
            guard scanner.skip(":."), let foundMinute = scanner.number(digits: 2) else { return nil }
            (hour, minute) = (found, foundMinute)
            if scanner.skip(":."), let found = scanner.number(digits: 2) { second = found }
            if scanner.skip(".,") { millisecond = scanner.milliseconds() }
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond,
            offsetMinutes: scanner.zone())
    }

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CaptureTime {
    /// What EXIF or XMP says.
    init(exif time: CivilTime) {
        let source: Source = time.offsetMinutes == nil ? .exif : .exifWithOffset
        self.init(time, source: source)
    }

    init(_ time: CivilTime, source: Source) {
        let shift = Int64(time.offsetMinutes ?? 0) * 60_000
        self.init(
            milliseconds: time.wallClockMilliseconds - shift, offsetMinutes: time.offsetMinutes,
            isInstant: time.offsetMinutes != nil, source: source)
    }
}
