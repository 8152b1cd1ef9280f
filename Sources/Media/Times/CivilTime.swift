/// A date and time of day as written somewhere, with or without a zone.
struct CivilTime: Equatable {
    /// Since 1970-01-01T00:00:00, by the clock that was written down.
    var wallClockMilliseconds: Int64
    /// Minutes east of UTC.
    var offsetMinutes: Int?
    /// It is said to be UTC, which is known of an instant, and is the zone of no place.
    var isUTC = false
    var precision = CaptureTime.Precision.moment

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

    /// `2022:02:16 12:55:41`, `2022-02-16T12:55:41.762+01:00`, `2022-02-16T12:55`, `…Z`, `…+0100`, `20220216T125541`, or a day
    /// alone, `2022-02-16`; also with one digit, or a blank and one, where most write two, and with `AM` or `PM`.
    init?(_ text: String) {
        var scanner = TextScanner(text)
        guard let year = scanner.number(digits: 4) else { return nil }
        // As ISO 8601 has it, too: nothing between the numbers.
        let isPlain = scanner.rest.first.map(TextScanner.isDigit) == true
        guard isPlain || scanner.skip(":-/."), let month = isPlain ? scanner.number(digits: 2) : scanner.paddedNumber(),
            isPlain || scanner.skip(":-/."), let day = isPlain ? scanner.number(digits: 2) : scanner.paddedNumber()
        else { return nil }
        guard scanner.skip(" T"), let hour = scanner.paddedNumber() else {
            guard !isPlain || scanner.isAtEnd else { return nil }
            self.init(noonOf: day, month, year)
            return
        }
        guard scanner.skip(":.") || isPlain, let minute = scanner.paddedNumber() else { return nil }
        var (second, millisecond) = (0, 0)
        if scanner.skip(":.") || (isPlain && scanner.rest.first.map(TextScanner.isDigit) == true),
            let found = scanner.paddedNumber()
        {
            second = found
        }
        if scanner.skip(".,") { millisecond = scanner.milliseconds() }
        guard let onDay = scanner.hourOfDay(hour) else { return nil }
        self.init(
            year: year, month: month, day: day, hour: onDay, minute: minute, second: second, millisecond: millisecond)
        takeZone(&scanner)
    }

    /// What a file says of its zone. `Z` tells an instant, and not where its clock hung; an offset that no place has tells
    /// nothing.
    mutating func takeZone(_ scanner: inout TextScanner) {
        var ahead = scanner
        _ = ahead.skip(" ")
        if ahead.skip("Zz"), ahead.rest.first.map(TextScanner.isLetter) != true {
            isUTC = true
            scanner = ahead
        } else if let minutes = scanner.zone(), ZoneOffset.exists(minutes) {
            offsetMinutes = minutes
        }
    }

    /// With the year last, as far as it is clear which number is the day.
    private init?(yearLast text: String) {
        var scanner = TextScanner(text)
        guard case .date(let year, let month, let day) = YearLast(&scanner, between: "-/.") else { return nil }
        _ = scanner.skip(",")
        self.init("\(year)-\(month)-\(day)\(String(decoding: scanner.rest, as: UTF8.self))")
    }

    /// What stands for a day of which nobody knows more, so that no zone moves it to another.
    private init?(noonOf day: Int, _ month: Int, _ year: Int) {
        self.init(year: year, month: month, day: day, hour: 12)
        precision = .day
    }

    /// The same; else as much of the date as can be true: `1955`, `1955-07`, `1955:07:00 00:00:00`, or the day alone
    /// where no clock shows the time behind it.
    init?(partial text: String) {
        if let whole = CivilTime(text) ?? CivilTime(yearLast: text) {
            self = whole
            return
        }
        var scanner = TextScanner(text)
        guard let year = scanner.number(digits: 4), scanner.isAtEnd || scanner.skip(":-/. ") else { return nil }
        let month = scanner.oneOrTwoDigits() ?? 0
        _ = scanner.skip(":-/. ")
        let day = scanner.oneOrTwoDigits() ?? 0
        // Behind what is not known stand signs that mean nothing, or a clock without its day.
        let isClean = day > 0 || scanner.rest.allSatisfy { " 0123456789:-/.T".utf8.contains($0) }
        guard isClean, year > 0, let start = CivilTime(year: year, month: max(1, month), day: max(1, day), hour: 12)
        else { return nil }
        self = start
        precision = month == 0 ? .year : day == 0 ? .month : .day
    }

    /// What a person says, with nothing before it or behind it that means something else.
    init?(said text: String) {
        var scanner = TextScanner(text)
        guard let year = scanner.number(digits: 4) else { return nil }
        let (month, day) = (Self.datePart(&scanner), Self.datePart(&scanner))
        if scanner.isAtEnd {
            self.init(year: year, month: month ?? 1, day: day ?? 1, hour: 12)
            precision = month == nil ? .year : day == nil ? .month : .day
            return
        }
        guard let month, let day, scanner.skip(" Tt"), let hour = scanner.oneOrTwoDigits(), scanner.skip(":."),
            let minute = scanner.number(digits: 2)
        else { return nil }
        let second = scanner.skip(":.") ? scanner.number(digits: 2) : 0
        let millisecond = scanner.skip(".,") ? scanner.milliseconds() : 0
        let zone = scanner.isAtEnd ? nil : scanner.zone()
        guard let second, scanner.isAtEnd else { return nil }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond,
            offsetMinutes: zone)
    }

    private static func datePart(_ scanner: inout TextScanner) -> Int? {
        var ahead = scanner
        guard ahead.skip(":-/."), let number = ahead.oneOrTwoDigits() else { return nil }
        scanner = ahead
        return number
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
    /// What a person says: `1965-06-30T14:05:00+02:00`, the like without a zone, with a blank, colons or without
    /// seconds; a day, a month or a year alone. Nil for what cannot be read whole.
    package init?(said text: String) {
        let words = text.split { $0 == " " }.joined(separator: " ")
        guard let time = CivilTime(said: words) else { return nil }
        self.init(time, source: .person)
    }

    /// What EXIF or XMP says. An instant without a zone gets one as that of a video does.
    init(exif time: CivilTime) {
        let source: Source = time.offsetMinutes == nil ? .exif : .exifWithOffset
        self.init(time, source: source)
    }

    init(_ time: CivilTime, source: Source) {
        let shift = Int64(time.offsetMinutes ?? 0) * 60_000
        self.init(
            milliseconds: time.wallClockMilliseconds - shift, offsetMinutes: time.offsetMinutes,
            isInstant: time.offsetMinutes != nil || time.isUTC, source: source, precision: time.precision)
    }
}
