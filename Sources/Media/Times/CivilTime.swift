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

extension CivilTime {
    /// What a block of metadata has for a date, however its writer put it: numbers, words, or a count of seconds. A program
    /// that has no rule of EXIF in mind writes what its system gives it.
    init?(written text: String) {
        guard let time = CivilTime(partial: text) ?? CivilTime(words: text) ?? CivilTime(secondsSince1970: text) else {
            return nil
        }
        self = time
    }

    /// Ten digits and nothing else: 2001 to 2100.
    private init?(secondsSince1970 text: String) {
        guard text.utf8.count == 10, text.utf8.allSatisfy(TextScanner.isDigit), let seconds = Int64(text),
            (1_000_000_000...4_102_444_800).contains(seconds)
        else { return nil }
        self.init(year: 1970, month: 1, day: 1)
        wallClockMilliseconds = seconds * 1000
        isUTC = true
    }

    /// Words in the order of most languages: `Wed, 04 Mar 2015 05:06:07 +0100`, `Thu Aug 12 14:37:14 2003`,
    /// `mar. 02 juin 2015 05:06:07 PM CEST`; a day alone, `4 Mar 2015`. Nil where the month is not known for certain.
    init?(words text: String) {
        let words = text.split { " ,\n\t".contains($0) }.map(String.init)
        guard let month = MonthNames.month(in: words) else { return nil }
        let numbers = words.compactMap { Int($0.hasSuffix(".") ? $0.dropLast() : $0[...]) }
        guard let day = numbers.first(where: { (1...31).contains($0) }),
            let year = numbers.first(where: { (1000...9999).contains($0) })
        else { return nil }
        // What stands behind the clock is a half of the day, a zone, or the year.
        let clock = words.firstIndex { $0.contains(":") }.map { " " + words[$0...].joined(separator: " ") } ?? ""
        guard let time = CivilTime("\(year)-\(month)-\(day)\(clock)") else { return nil }
        self = time
        guard precision == .moment, offsetMinutes == nil, let last = words.last else { return }
        if ["GMT", "UTC"].contains(last) { isUTC = true }
        var scanner = TextScanner(last)
        takeZone(&scanner)
    }
}

/// Months as programs write them in the languages that many people speak. No name of one stands for another month elsewhere: where
/// Slavic languages share names of different months (`listopad`, `srpen`), they are left out.
package enum MonthNames {
    private static let names: [[String]] = [
        [
            "jan", "january", "januar", "januari", "jän", "jänner", "janv", "janvier", "ene", "enero", "janeiro",
            "gen", "gennaio", "янв", "января", "styczeń", "stycznia", "sty", "leden", "ledna", "ocak", "oca",
            "tammikuuta", "tammikuu", "tammik", "január", "ιαν", "ιανουαρίου", "січня", "січ",
        ],
        [
            "feb", "february", "februar", "februari", "févr", "fév", "février", "fevr", "fevrier", "febrero", "fev",
            "fevereiro", "febbraio", "фев", "февр", "февраля", "luty", "lutego", "lut", "únor", "února", "şubat",
            "şub", "helmikuuta", "helmikuu", "helmik", "február", "febr", "φεβ", "φεβρουαρίου", "лютого", "лют",
        ],
        [
            "mar", "march", "mär", "märz", "mrz", "mars", "marzo", "março", "mrt", "maart", "marts", "мар", "марта",
            "marzec", "marca", "března", "březen", "mart", "maaliskuuta", "maaliskuu", "maalisk", "március", "márc",
            "marec", "μαρ", "μαρτίου", "березня", "бер",
        ],
        [
            "apr", "april", "avr", "avril", "abr", "abril", "aprile", "апр", "апреля", "kwiecień", "kwietnia", "kwi",
            "duben", "dubna", "nisan", "nis", "huhtikuuta", "huhtikuu", "huhtik", "április", "ápr", "απρ",
            "απριλίου", "квітня", "квіт",
        ],
        [
            "may", "mai", "mayo", "maio", "mag", "maggio", "mei", "maj", "мая", "май", "maja", "května", "květen",
            "mayıs", "toukokuuta", "toukokuu", "toukok", "május", "máj", "μαΐ", "μαΐου", "травня", "трав",
        ],
        [
            "jun", "june", "juni", "juin", "junio", "junho", "giu", "giugno", "июн", "июня", "czerwiec", "czerwca",
            "cze", "června", "červen", "haziran", "haz", "kesäkuuta", "kesäkuu", "kesäk", "június", "jún", "ιουν",
            "ιουνίου", "червня", "черв",
        ],
        [
            "jul", "july", "juli", "juil", "juillet", "julio", "julho", "lug", "luglio", "июл", "июля", "lipiec",
            "lipca", "července", "červenec", "temmuz", "heinäkuuta", "heinäkuu", "heinäk", "július", "júl", "ιουλ",
            "ιουλίου", "липня", "лип",
        ],
        [
            "aug", "august", "augusti", "augustus", "août", "aout", "ago", "agosto", "авг", "августа", "sierpień",
            "sierpnia", "sie", "srpna", "ağustos", "ağu", "elokuuta", "elokuu", "elok", "augusztus", "αυγ",
            "αυγούστου", "серпня", "серп",
        ],
        [
            "sep", "sept", "september", "septembre", "septiembre", "setiembre", "set", "setembro", "settembre",
            "сен", "сент", "сентября", "wrzesień", "września", "wrz", "září", "eylül", "eyl", "syyskuuta", "syyskuu",
            "syysk", "szeptember", "szept", "σεπ", "σεπτεμβρίου", "вересня", "вер",
        ],
        [
            "oct", "october", "okt", "oktober", "octobre", "octubre", "out", "outubro", "ott", "ottobre", "окт",
            "октября", "październik", "października", "paź", "říjen", "října", "ekim", "lokakuuta", "lokakuu",
            "lokak", "október", "οκτ", "οκτωβρίου", "жовтня", "жовт",
        ],
        [
            "nov", "november", "novembre", "noviembre", "novembro", "нояб", "ноя", "ноября", "listopadu", "kasım",
            "marraskuuta", "marraskuu", "marrask", "νοε", "νοεμβρίου", "листопада",
        ],
        [
            "dec", "december", "dez", "dezember", "déc", "décembre", "decembre", "dic", "diciembre", "dezembro",
            "dicembre", "des", "desember", "дек", "декабря", "grudzień", "grudnia", "gru", "prosinec", "prosince",
            "aralık", "joulukuuta", "joulukuu", "jouluk", "δεκ", "δεκεμβρίου", "грудня", "груд",
        ],
    ]
    private static let numbers = Dictionary(
        uniqueKeysWithValues: names.enumerated().flatMap { index, names in names.map { ($0, index + 1) } })

    private static let english = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// 1…12, of a word as it stands in names of files: those of other languages are names of people and places, too.
    package static func english(_ word: some Collection<UInt8>) -> Int? {
        let word = String(decoding: word, as: UTF8.self).lowercased()
        return english.firstIndex { $0 == word || ($0.hasPrefix(word) && (word.count == 3 || word == "sept")) }
            .map { $0 + 1 }
    }

    /// 1…12, of a word in whichever language. Where nothing around it says that it is a month, it may be a name of somebody.
    static func anywhere(_ word: some Collection<UInt8>) -> Int? {
        numbers[String(decoding: word, as: UTF8.self).lowercased()]
    }

    /// 1…12. Nil where none is named, or more than one.
    static func month(in words: [String]) -> Int? {
        let plain = words.map { $0.lowercased().filter { $0 != "." } }
        let found = plain.indices.filter { numbers[plain[$0]] != nil && !isWeekday($0, in: plain) }
        let months = Set(found.compactMap { numbers[plain[$0]] })
        return months.count == 1 ? months.first : nil
    }

    /// In French, Spanish and Italian March's short name is Tuesday's, too: then a day follows, and a word where only the month can
    /// stand.
    private static func isWeekday(_ place: Int, in words: [String]) -> Bool {
        guard words[place] == "mar", place + 2 < words.count, Int(words[place + 1]) != nil else { return false }
        let next = words[place + 2]
        return next.first?.isLetter == true && !["am", "pm", "at"].contains(next)
    }
}

/// A date whose year is written last. Whether its day or its month leads is a habit of countries.
enum YearLast: Equatable {
    case date(year: Int, month: Int, day: Int)
    /// Either may be the day: no date is better than a wrong one.
    case unclear

    /// `31-12-2024`, `12/31/2024` and, for no country puts a month before dots, `8.6.2019`. Nil where nothing of the kind comes next.
    /// - Parameters:
    ///   - signs: of which one stands at both places
    ///   - dayLeads: it is known that the day does
    init?(_ scanner: inout TextScanner, between signs: StaticString, dayLeads: Bool = false) {
        var ahead = scanner
        guard let first = ahead.oneOrTwoDigits(), let sign = ahead.rest.first, ahead.skip(signs),
            let second = ahead.oneOrTwoDigits(), ahead.rest.first == sign, ahead.skip(signs),
            let found = Self(first, second, &ahead, dayLeads: dayLeads || sign == 0x2E)
        else { return nil }
        self = found
        scanner = ahead
    }

    /// `31122024`.
    init?(digitsOf scanner: inout TextScanner) {
        var ahead = scanner
        guard let first = ahead.number(digits: 2), let second = ahead.number(digits: 2),
            let found = Self(first, second, &ahead, dayLeads: false)
        else { return nil }
        self = found
        scanner = ahead
    }

    private init?(_ first: Int, _ second: Int, _ scanner: inout TextScanner, dayLeads: Bool) {
        guard (1...31).contains(first), (1...31).contains(second), min(first, second) <= 12,
            let year = scanner.number(digits: 4), CaptureTime.namedYears.contains(year),
            scanner.rest.first.map(TextScanner.isDigit) != true
        else { return nil }
        if second > 12 {
            self = .date(year: year, month: first, day: second)
        } else if first > 12 || first == second || dayLeads {
            self = .date(year: year, month: second, day: first)
        } else {
            self = .unclear
        }
    }
}
