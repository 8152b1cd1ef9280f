extension CaptureTime {
    /// The time that cameras, phones and messengers write into names: `IMG_20240131_123456`, `PXL_20240131_123456789`,
    /// `2024-01-31 12.34.56`, `IMG-20240131-WA0001`, `Screenshot 2024-01-31 at 1.34.56 PM`, `mmexport1706700000000`,
    /// `photo_1@31-01-2024_12-34-56`.
    package init?(name: String) {
        guard let first = Self.named(name).first else { return nil }
        self = first
    }

    /// Of which names may speak. Nobody names a picture by a year of long before photography.
    static let namedYears = 1826...2099

    /// Years that a name tells which is nothing but a number: families have hardly a photo of before, and numbers of 2,000 files
    /// go so far.
    private static let yearNumbers = 1891...2099

    /// The number that a name is and nothing else, apart from its ending; nil for every other name.
    package static func number(ofName name: String) -> Int? {
        let stem = stem(Array(name.utf8.prefix(512)))
        guard (1...5).contains(stem.utf8.count), stem.utf8.allSatisfy(TextScanner.isDigit) else { return nil }
        return Int(stem)
    }

    /// Whether a name that is this number tells a year, as long as none beside it says otherwise.
    package static func isYear(_ number: Int) -> Bool { yearNumbers.contains(number) }

    /// Whether the name beside it shows that a number is one of a series: that is no year, or the next one to it.
    package static func isOfSeries(_ number: Int, beside other: Int) -> Bool {
        number != other && (!isYear(other) || abs(number - other) == 1)
    }

    /// All times that a name may tell, the clearest first: an impossible one hides none behind it.
    static func named(_ name: String) -> [CaptureTime] {
        let bytes = Array(name.utf8.prefix(512))
        // Google's phones write UTC, all others the clock on the wall.
        let isPixel = bytes.indices.contains { bytes.has("PXL_", at: $0) }
        let dates = NameScanner.times(in: bytes).map { time in
            CaptureTime(
                milliseconds: time.wallClockMilliseconds,
                isInstant: time.precision == .moment && (isPixel || time.isUTC), source: .name,
                precision: time.precision)
        }
        let counts = millisecondsSince1970(bytes).map {
            CaptureTime(milliseconds: $0, isInstant: true, source: .name)
        }
        let period = NameScanner.period(stem(bytes)).map { CaptureTime($0, source: .name) }
        let isNumber = period?.precision == .year && !(number(ofName: name).map(isYear) ?? false)
        return dates + counts + [isNumber ? nil : period].compactMap(\.self)
    }

    /// Thirteen digits alone, as some messengers number what they save: 2001 to 2100. Numbers of goods have as many, so whatever
    /// else a name tells comes before them.
    private static func millisecondsSince1970(_ bytes: [UInt8]) -> [Int64] {
        bytes.split { !TextScanner.isDigit($0) }.filter { $0.count == 13 }
            .map { $0.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) } }
            .filter { (1_000_000_000_000...4_102_444_800_000).contains($0) }
    }

    /// Without what says the format, and the number of a copy.
    private static func stem(_ bytes: [UInt8]) -> String {
        let end = bytes.lastIndex(of: 0x2E) ?? bytes.count
        var stem = bytes[..<end]
        if stem.last == 0x29, let open = stem.lastIndex(of: 0x28),
            stem[open...].dropFirst().dropLast().allSatisfy(TextScanner.isDigit)
        {
            stem = stem[..<open]
        }
        while stem.last == 0x20 { stem = stem.dropLast() }
        return String(decoding: stem, as: UTF8.self)
    }
}

/// A date in a name, and a time of day if one follows.
private struct NameScanner {
    private var scanner: TextScanner

    /// Noon where the name tells only a day, so that no zone moves it to another one.
    static func times(in bytes: [UInt8]) -> [CivilTime] {
        var (times, position): ([CivilTime], Int) = ([], 0)
        while position < bytes.count {
            defer { position += 1 }
            let isStart = position == 0 || !TextScanner.isDigit(bytes[position - 1])
            guard isStart, TextScanner.isDigit(bytes[position]) else { continue }
            var scanner = NameScanner(scanner: TextScanner(String(decoding: bytes[position...], as: UTF8.self)))
            let whole = scanner.scanner.rest.count
            // `31-01-2024_12-34-56`, as Telegram's exports have it behind an at sign.
            let dayLeads = position > 0 && bytes[position - 1] == 0x40
            if let last = scanner.yearLast(dayLeads: dayLeads) ?? scanner.worded(behind: bytes[..<position]) {
                // What follows are no month and no day of this year.
                position += whole - scanner.scanner.rest.count - 1
                if let time = scanner.time(of: last) { times.append(time) }
            } else if let found = scanner.shortYear(behind: bytes[..<position]) {
                position += whole - scanner.scanner.rest.count - 1
                times += found
            } else if let time = scanner.time() {
                times.append(time)
                position += whole - scanner.scanner.rest.count - 1
            }
        }
        return times
    }

    /// `1955` and `1955-07`, where that is all, or words follow the month: other numbers of four digits are mostly numbers.
    static func period(_ stem: String) -> CivilTime? {
        var scanner = TextScanner(stem)
        guard let year = scanner.number(digits: 4), CaptureTime.namedYears.contains(year) else { return nil }
        var month: Int?
        if scanner.skip("-_.") {
            month = scanner.number(digits: 2)
            guard month != nil, scanner.isAtEnd || scanner.skip(" _") else { return nil }
            guard scanner.rest.first.map(TextScanner.isDigit) != true else { return nil }
        } else if !scanner.isAtEnd {
            return nil
        }
        var time = CivilTime(year: year, month: month ?? 1, day: 1, hour: 12)
        time?.precision = month == nil ? .year : .month
        return time
    }

    private mutating func yearLast(dayLeads: Bool) -> YearLast? {
        YearLast(&scanner, between: "-_.", dayLeads: dayLeads) ?? YearLast(digitsOf: &scanner)
    }

    /// `25 Jun 2019`, `3. Februar 2024`, `3 de feb. de 2024`, and behind the month `25, 2019`.
    private mutating func worded(behind before: ArraySlice<UInt8>) -> YearLast? {
        var ahead = scanner
        guard let day = ahead.oneOrTwoDigits() else { return nil }
        let month: Int
        let dayEnd = ahead
        for _ in 0..<2 where ahead.skip(" -_.º") { continue }
        _ = Self.ofs.contains { ahead.skipWord($0) }
        let word = ahead.word()
        // With a day before it and a year behind it, a word of any language is a month.
        if let found = MonthNames.english(word) ?? MonthNames.anywhere(word) {
            month = found
            for _ in 0..<2 where ahead.skip(" -_.,") { continue }
            _ = Self.ofs.contains { ahead.skipWord($0) }
        } else {
            let signs = before.last.map { [0x20, 0x2D, 0x5F, 0x2E].contains($0) } == true ? 1 : 0
            let word = before.dropLast(signs).suffix(12).reversed().prefix(while: TextScanner.isLetter).reversed()
            guard let found = MonthNames.english(Array(word)) else { return nil }
            month = found
            ahead = dayEnd
            _ = ["st", "nd", "rd", "th"].contains { ahead.skipWord($0) }
            guard ahead.skip(" -_.,") else { return nil }
            _ = ahead.skip(" -_.,")
        }
        guard let year = ahead.number(digits: 4), CaptureTime.namedYears.contains(year),
            ahead.rest.first.map(TextScanner.isDigit) != true
        else { return nil }
        scanner = ahead
        return .date(year: year, month: month, day: day)
    }

    private static let ofs = ["de ", "del ", "di ", "d\u{27}", "d\u{2019}"]

    private mutating func time(of last: YearLast) -> CivilTime? {
        guard case .date(let year, let month, let day) = last else { return nil }
        let dateEnd = scanner
        if let time = clock(on: day, month, year) { return time }
        scanner = dateEnd
        if let time = writtenClock(on: day, month, year) { return time }
        return Self.noon(year, month, day)
    }

    /// Words in front of a date in languages that begin it with the day, and words for "at" of these.
    private static let wordsBeforeDay: Set<String> = [
        "am", "le", "du", "del", "op", "su", "em", "den", "il", "dia", "día", "fra", "från", "vom", "van", "da",
    ]
    private static let wordsBehindDay: Set<String> = ["um", "à", "a", "alle", "om", "kl", "às", "as", "klo", "ore"]

    /// `03.02.24, 04 05 06`, `am 03-02-24 um 04.05`, `on 2-3-24 at 4.05 AM`: as systems write a date in their language, and
    /// with them programs that call what they save after it. Nothing is read where either number may be the day.
    /// - Returns: the same of this century and of the one before, for nobody says which; nil for what is no such date.
    private mutating func shortYear(behind before: ArraySlice<UInt8>) -> [CivilTime]? {
        var ahead = self
        let isApart = before.last.map { [0x20, 0x5F, 0x28].contains($0) || $0 >= 0x80 } ?? true
        guard isApart, let first = ahead.scanner.oneOrTwoDigits(), let sign = ahead.scanner.rest.first,
            ahead.scanner.skip("-."), let second = ahead.scanner.oneOrTwoDigits(), ahead.scanner.rest.first == sign,
            ahead.scanner.skip("-."), let year = ahead.scanner.number(digits: 2), ahead.scanner.endsNumbers
        else { return nil }
        let wordBefore = String(
            decoding: before.dropLast().reversed().prefix { $0 != 0x20 && $0 != 0x5F }.reversed(), as: UTF8.self)
        let dateEnd = ahead.scanner
        var behind = dateEnd
        for _ in 0..<2 where behind.skip(" ,") { continue }
        let isDayWord =
            Self.wordsBeforeDay.contains(wordBefore.lowercased())
            || Self.wordsBehindDay.contains(String(decoding: behind.word(), as: UTF8.self).lowercased())
        let hasClock = ahead.writtenClock(on: 1, 1, 2000) != nil
        // Versions of programs have no clock behind them, no zeros, and small numbers.
        let isWritten =
            sign == 0x2E && scanner.rest.count - dateEnd.rest.count == 8 && (min(first, second) < 10 || year > 12)
        guard hasClock || isWritten, (1...31).contains(first), (1...31).contains(second) else { return nil }
        // Of English that writes halves of the day in large letters: that of the United States.
        let isMonthFirst = hasClock && !isDayWord && dateEnd.hasLargeHalf
        let dayLeads = sign == 0x2E || isDayWord || first == second
        guard dayLeads || isMonthFirst else {
            scanner = dateEnd
            return []
        }
        let (day, month) = dayLeads && second <= 12 ? (first, second) : (second, first)
        var found: [CivilTime] = []
        for century in [2000, 1900] {
            scanner = dateEnd
            let time = hasClock ? writtenClock(on: day, month, century + year) : Self.noon(century + year, month, day)
            if let time { found.append(time) }
        }
        return found.isEmpty ? nil : found
    }

    /// Behind a date in words or with a short year: `, 04 05 06`, ` at 4.05 AM`, ` um 04.05`. A minute is enough where a word
    /// or half of the day shows that it is one.
    private mutating func writtenClock(on day: Int, _ month: Int, _ year: Int) -> CivilTime? {
        for _ in 0..<3 where scanner.skip(" ,_") { continue }
        let half = Self.halves.first { scanner.skipWord($0.word) }
        let wordStart = scanner.rest.count
        if half != nil { _ = scanner.skip(" ") } else { scanner.skipShortWord() }
        let hasWord = half != nil || scanner.rest.count < wordStart
        guard let hour = scanner.number(digits: 2) ?? scanner.number(digits: 1), let sign = scanner.rest.first,
            scanner.skip(" .:-_h"), let minute = scanner.number(digits: 2)
        else { return nil }
        var ahead = scanner
        var second: Int?
        if ahead.rest.first == sign, ahead.skip(" .:-_h"), let found = ahead.number(digits: 2),
            ahead.rest.first.map(TextScanner.isDigit) != true
        {
            second = found
            scanner = ahead
        }
        let rest = scanner.rest.count
        guard scanner.rest.first.map(TextScanner.isDigit) != true,
            let onDay = half == nil ? scanner.hourOfDay(hour) : hour <= 12 ? hour % 12 : nil,
            second != nil || hasWord || scanner.rest.count < rest
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: onDay + (half?.isAfternoon == true ? 12 : 0), minute: minute,
            second: second ?? 0)
    }

    private mutating func time() -> CivilTime? {
        guard let year = scanner.number(digits: 4), CaptureTime.namedYears.contains(year) else { return nil }
        if ["年", "년"].contains(where: { scanner.skipWord($0) }) { return eastAsian(year: year) }
        let separator = scanner.rest.first
        let isSeparated = scanner.skip("-_.")
        // Eight digits alone may be any number: none of them is a day of the nineteenth century.
        guard isSeparated || year >= 1900, let month = month(isSeparated: separator == 0x2D) else { return nil }
        // Two separators of a date are alike: `31-01-2024_12-34` is none of April. Cameras of cars write the month and the day
        // together, and a clock behind them.
        let isTogether = isSeparated && scanner.rest.first.map(TextScanner.isDigit) == true
        guard !isSeparated || isTogether || (scanner.rest.first == separator && scanner.skip("-_.")),
            let day = scanner.number(digits: 2) ?? (separator == 0x2D && !isTogether ? scanner.number(digits: 1) : nil)
        else { return nil }
        if isTogether, scanner.rest.first.map(TextScanner.isDigit) == true { return nil }
        let afterDate = scanner
        if let time = clock(on: day, month, year) { return time }
        scanner = afterDate
        // More digits would make another number of what looked like a date.
        guard !isTogether, afterDate.rest.first.map(TextScanner.isDigit) != true else { return nil }
        return Self.noon(year, month, day)
    }

    /// Of one digit where a hyphen keeps it from the next; dots stand in versions of programs, too.
    private mutating func month(isSeparated: Bool) -> Int? {
        if let two = scanner.number(digits: 2) { return two }
        var ahead = scanner
        guard isSeparated, let one = ahead.number(digits: 1), ahead.rest.first == 0x2D else { return nil }
        scanner = ahead
        return one
    }

    private mutating func clock(on day: Int, _ month: Int, _ year: Int) -> CivilTime? {
        guard let clock = clock() else { return nil }
        var time = CivilTime(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second,
            millisecond: clock.millisecond)
        time?.isUTC = clock.isUTC
        return time
    }

    /// `2024年1月31日 下午1.34.56`, `2024년 1월 31일`.
    private mutating func eastAsian(year: Int) -> CivilTime? {
        guard let month = scanner.paddedNumber(), ["月", "월"].contains(where: { scanner.skipWord($0) }),
            let day = scanner.paddedNumber(), ["日", "일"].contains(where: { scanner.skipWord($0) })
        else { return nil }
        return time(of: .date(year: year, month: month, day: day))
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
    private mutating func clock() -> (hour: Int, minute: Int, second: Int, millisecond: Int, isUTC: Bool)? {
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
        let isUTC = scanner.rest.first == 0x5A && scanner.rest.dropFirst().first.map(TextScanner.isLetter) != true
        return (onDay + (half?.isAfternoon == true ? 12 : 0), minute, second, millisecond, isUTC)
    }
}
