extension CaptureTime {
    /// The time that cameras, phones and messengers write into names: `IMG_20240131_123456`, `PXL_20240131_123456789`,
    /// `2024-01-31 12.34.56`, `IMG-20240131-WA0001`, `Screenshot 2024-01-31 at 1.34.56 PM`, `mmexport1706700000000`,
    /// `photo_1@31-01-2024_12-34-56`.
    package init?(name: String) {
        let bytes = Array(name.utf8.prefix(512))
        if let found = Self.millisecondsSince1970(bytes) {
            self.init(milliseconds: found, isInstant: true, source: .name)
            return
        }
        let starts = bytes.indices.filter { index in
            TextScanner.isDigit(bytes[index]) && (index == 0 || !TextScanner.isDigit(bytes[index - 1]))
        }
        let found = starts.lazy.compactMap { start in
            let isBehindSign = start > 0 && bytes[start - 1] == 0x40
            return (isBehindSign ? NameScanner.dayFirst(in: bytes[start...]) : nil)
                ?? NameScanner.time(in: bytes[start...])
        }
        guard let time = found.first else { return nil }
        // Google's phones write UTC, all others the clock on the wall.
        let isUTC = time.precision == .moment && bytes.indices.contains { bytes.has("PXL_", at: $0) }
        self.init(
            milliseconds: time.wallClockMilliseconds, isInstant: isUTC, source: .name, precision: time.precision)
    }

    /// Thirteen digits alone, as some messengers number what they save: 2001 to 2100.
    private static func millisecondsSince1970(_ bytes: [UInt8]) -> Int64? {
        let runs = bytes.split(whereSeparator: { !TextScanner.isDigit($0) })
        guard let run = runs.first(where: { $0.count == 13 }) else { return nil }
        let value = run.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
        return (1_000_000_000_000...4_102_444_800_000).contains(value) ? value : nil
    }
}

/// A date in a name, and a time of day if one follows.
private struct NameScanner {
    private var scanner: TextScanner

    /// Noon where the name tells only a day, so that no zone moves it to another one.
    static func time(in bytes: ArraySlice<UInt8>) -> CivilTime? {
        var scanner = NameScanner(scanner: TextScanner(String(decoding: bytes, as: UTF8.self)))
        return scanner.time()
    }

    /// `31-01-2024_12-34-56`, as Telegram's exports have it behind an at sign. Elsewhere nobody knows which number is the day.
    static func dayFirst(in bytes: ArraySlice<UInt8>) -> CivilTime? {
        var scanner = NameScanner(scanner: TextScanner(String(decoding: bytes, as: UTF8.self)))
        guard let day = scanner.scanner.number(digits: 2), scanner.scanner.skip("-"),
            let month = scanner.scanner.number(digits: 2), scanner.scanner.skip("-"),
            let year = scanner.scanner.number(digits: 4), (1826...2099).contains(year), let clock = scanner.clock()
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second,
            millisecond: clock.millisecond)
    }

    private mutating func time() -> CivilTime? {
        guard let year = scanner.number(digits: 4), (1826...2099).contains(year) else { return nil }
        if scanner.skipWord("年") { return chinese(year: year) }
        let separator = scanner.rest.first
        let isSeparated = scanner.skip("-_.")
        // Eight digits alone may be any number: none of them is a day of the nineteenth century. Two separators of a date are
        // alike: `31-01-2024_12-34` is none of April.
        guard isSeparated || year >= 1900, let month = scanner.number(digits: 2),
            !isSeparated || (scanner.rest.first == separator && scanner.skip("-_.")),
            let day = scanner.number(digits: 2)
        else { return nil }
        let afterDate = scanner
        if let clock = clock() {
            return CivilTime(
                year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second,
                millisecond: clock.millisecond)
        }
        // More digits would make another number of what looked like a date.
        guard afterDate.rest.first.map(TextScanner.isDigit) != true else { return nil }
        return Self.noon(year, month, day)
    }

    /// `2024年1月31日`.
    private mutating func chinese(year: Int) -> CivilTime? {
        guard let month = scanner.oneOrTwoDigits(), scanner.skipWord("月"), let day = scanner.oneOrTwoDigits(),
            scanner.skipWord("日")
        else { return nil }
        return Self.noon(year, month, day)
    }

    private static func noon(_ year: Int, _ month: Int, _ day: Int) -> CivilTime? {
        var time = CivilTime(year: year, month: month, day: day, hour: 12)
        time?.precision = .day
        return time
    }

    /// Before the clock, in languages that say so there.
    private static let halves: [(word: String, isAfternoon: Bool)] = [
        ("下午", true), ("午後", true), ("오후", true), ("上午", false), ("午前", false), ("오전", false),
    ]

    /// After any few signs, a `T`, a short word for "at" of any language, or which half of the day it is.
    private mutating func clock() -> (hour: Int, minute: Int, second: Int, millisecond: Int)? {
        for _ in 0..<4 where scanner.skip(" -_Tat.") { continue }
        let half = Self.halves.first { scanner.skipWord($0.word) }
        if half != nil { _ = scanner.skip(" ") } else { scanner.skipShortWord() }
        guard let hour = scanner.number(digits: 2) ?? scanner.number(digits: 1) else { return nil }
        let isSeparated = scanner.skip("-_.:h")
        guard let minute = scanner.number(digits: 2), !isSeparated || scanner.skip("-_.:m"),
            let second = scanner.number(digits: 2)
        else { return nil }
        let millisecond = scanner.number(digits: 3) ?? 0
        guard scanner.rest.first.map(TextScanner.isDigit) != true, minute < 60, second < 60,
            let onDay = half == nil ? scanner.hourOfDay(hour) : hour <= 12 ? hour % 12 : nil
        else { return nil }
        return (onDay + (half?.isAfternoon == true ? 12 : 0), minute, second, millisecond)
    }
}
