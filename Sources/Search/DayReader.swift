import Media

/// One date: in figures, with the month's name, a season, a holiday, or as seen from today.
struct DayReader {
    typealias Reading = (date: ReadDate, end: Int)

    private let phrases: QueryPhrases
    private let today: CalendarDate
    private let relative: RelativeDateReader

    init(_ phrases: QueryPhrases, today: CalendarDate) {
        self.phrases = phrases
        self.today = today
        relative = RelativeDateReader(phrases, today: today)
    }

    func read(at place: Int) -> Reading? {
        [
            inFigures(at: place), compact(at: place), decade(at: place), dated(at: place), yearFirst(at: place),
            relativeYearly(at: place), relative.read(at: place), yearly(at: place).map { (.undated($0.date), $0.end) },
            year(at: place).map { (.year($0.year), $0.end) },
        ]
        .compactMap { $0 }.max { $0.end < $1.end }
    }

    // MARK: Figures

    /// 2024-05-03, 2024/5, 3.5.2024.
    private func inFigures(at place: Int) -> Reading? {
        guard let first = phrases.digits(place), let mark = mark(at: first.end), let second = phrases.digits(mark.end)
        else { return nil }
        let third = phrases.end(of: [mark.sign], at: second.end).flatMap { phrases.digits($0) }
        if first.count == 4, Self.years.contains(first.value), second.count <= 2 {
            if let third, third.count <= 2 {
                return ReadDate.day(first.value, second.value, third.value).map { ($0, third.end) }
            }
            // 2024.5 is a number.
            guard (1...12).contains(second.value), mark.sign != "." || second.count == 2 else { return nil }
            return ReadDate.month(first.value, second.value).map { ($0, second.end) }
        }
        guard first.count <= 2, second.count <= 2, let third, third.count == 4, Self.years.contains(third.value) else {
            return monthAndYear(first, second)
        }
        return dayFirst(first.value, second.value, third.value, sign: mark.sign).map { ($0, third.end) }
    }

    /// 05/2024.
    private func monthAndYear(
        _ first: (value: Int, count: Int, end: Int), _ second: (value: Int, count: Int, end: Int)
    ) -> Reading? {
        guard first.count <= 2, second.count == 4, Self.years.contains(second.value), (1...12).contains(first.value)
        else {
            return nil
        }
        return ReadDate.month(second.value, first.value).map { ($0, second.end) }
    }

    /// 3/5/2024 is in May or in March, depending on the country.
    private func dayFirst(_ first: Int, _ second: Int, _ year: Int, sign: String) -> ReadDate? {
        let british = YearlyDate.day(year, second, first)
        guard sign == "/", let american = YearlyDate.day(year, first, second), american != british else {
            return british.map { .day($0) }
        }
        guard let british else { return .day(american) }
        return .either(british..<british + 1, american..<american + 1)
    }

    private func mark(at place: Int) -> (sign: String, end: Int)? {
        guard let (lexeme, end) = phrases.piece(place), ["-", "/", "."].contains(lexeme.text) else { return nil }
        return (lexeme.text, end)
    }

    /// 20240503, 202405.
    private func compact(at place: Int) -> Reading? {
        guard let number = phrases.digits(place) else { return nil }
        switch number.count {
        case 8:
            let (year, rest) = (number.value / 10_000, number.value % 10_000)
            guard Self.years.contains(year) else { return nil }
            return ReadDate.day(year, rest / 100, rest % 100).map { ($0, number.end) }
        case 6:
            let (year, month) = (number.value / 100, number.value % 100)
            guard Self.years.contains(year), (1...12).contains(month) else { return nil }
            return ReadDate.month(year, month).map { ($0, number.end) }
        default: return nil
        }
    }

    /// 1990s, 90s, 90年代.
    private func decade(at place: Int) -> Reading? {
        let place = phrases.find(Self.century, at: place)?.end ?? phrases.end(of: ["the"], at: place) ?? place
        guard let number = phrases.number(place), let end = phrases.end(ofAny: ["s", "'s", "年代"], at: number.end),
            number.value % 10 == 0
        else { return nil }
        if number.count == 4, Self.years.contains(number.value) { return (.years(number.value, 10), end) }
        guard number.value < 100, number.value >= 10 else { return nil }
        let century = 2000 + number.value > today.year ? 1900 : 2000
        return (.years(century + number.value, 10), end)
    }

    // MARK: With and without a year

    /// "May 2024", "24 December 2023", "summer of 2023".
    private func dated(at place: Int) -> Reading? {
        guard let date = yearly(at: place) else { return nil }
        let joint = phrases.end(ofAny: ["of", ",", ".", "in", "'"], at: date.end) ?? date.end
        guard let year = year(at: joint) ?? relative.year(at: joint), let span = date.date.span(in: year.year) else {
            return nil
        }
        return (.span(span), year.end)
    }

    /// "2023 summer", 2024年5月3日, 去年夏天.
    private func yearFirst(at place: Int) -> Reading? {
        guard let year = year(at: place) ?? shortYear(at: place) ?? relative.year(at: place) else { return nil }
        let joint = phrases.end(ofAny: ["的", "'s", "s", ","], at: year.end) ?? year.end
        guard let date = yearly(at: joint), let span = date.date.span(in: year.year) else { return nil }
        return (.span(span), date.end)
    }

    /// "last May", "this Christmas".
    private func relativeYearly(at place: Int) -> Reading? {
        guard let which = phrases.find(Self.which, at: place), let date = yearly(at: which.end) else { return nil }
        let now = today.daysSinceEpoch
        let spans = (-2...0).reversed().compactMap { date.date.span(in: today.year + $0) }
        let found = spans.first { which.value == .last ? $0.upperBound <= now : $0.lowerBound <= now }
        return found.map { (.span($0), date.end) }
    }

    /// A month, day, season or holiday.
    private func yearly(at place: Int) -> (date: YearlyDate, end: Int)? {
        let readings: [(date: YearlyDate, end: Int)?] = [
            monthFirst(at: place), dayBeforeMonth(at: place), chineseMonth(at: place),
            phrases.find(Self.names, at: place).map { ($0.value, $0.end) },
        ]
        return readings.compactMap { $0 }.max { $0.end < $1.end }
    }

    /// "May", "Dec 24th".
    private func monthFirst(at place: Int) -> (date: YearlyDate, end: Int)? {
        guard let month = phrases.find(Self.months, at: place) else { return nil }
        let dot = phrases.end(of: ["."], at: month.end) ?? month.end
        let the = phrases.end(of: ["the"], at: dot) ?? dot
        guard let day = dayNumber(at: the), Self.exists(month.value, day.value) else {
            return (.month(month.value), month.end)
        }
        return (.day(month.value, day.value), day.end)
    }

    /// "24 Dec", "3rd of May".
    private func dayBeforeMonth(at place: Int) -> (date: YearlyDate, end: Int)? {
        let place = phrases.end(of: ["the"], at: place) ?? place
        guard let day = dayNumber(at: place) else { return nil }
        let joint = phrases.end(ofAny: ["of", ".", "-"], at: day.end) ?? day.end
        guard let month = phrases.find(Self.months, at: joint), Self.exists(month.value, day.value) else { return nil }
        return (.day(month.value, day.value), month.end)
    }

    private func dayNumber(at place: Int) -> (value: Int, end: Int)? {
        guard let number = phrases.digits(place), number.count <= 2, (1...31).contains(number.value) else { return nil }
        // 5:30 is no day.
        guard phrases.end(of: [":"], at: number.end) == nil else { return nil }
        return (number.value, phrases.end(ofAny: ["st", "nd", "rd", "th"], at: number.end) ?? number.end)
    }

    /// 5月, 五月三日, 12月24号.
    private func chineseMonth(at place: Int) -> (date: YearlyDate, end: Int)? {
        guard let month = phrases.number(place), (1...12).contains(month.value),
            let monthEnd = phrases.end(ofAny: ["月份", "月"], at: month.end)
        else { return nil }
        guard let day = phrases.number(monthEnd), let end = phrases.end(ofAny: ["日", "号"], at: day.end),
            Self.exists(month.value, day.value)
        else { return (.month(month.value), monthEnd) }
        return (.day(month.value, day.value), end)
    }

    private static func exists(_ month: Int, _ day: Int) -> Bool { YearlyDate.day(2000, month, day) != nil }

    // MARK: Years

    /// 2024, 2024年, 二〇二四年.
    private func year(at place: Int) -> (year: Int, end: Int)? {
        guard let number = phrases.number(place), number.count == 4, Self.years.contains(number.value) else {
            return nil
        }
        if let end = phrases.end(ofAny: ["年", "年份"], at: number.end) { return (number.value, end) }
        // 二〇二四 alone counts something.
        return phrases.digits(place) == nil ? nil : (number.value, number.end)
    }

    /// 24年, before a month or season: alone it may be how many years there were.
    private func shortYear(at place: Int) -> (year: Int, end: Int)? {
        guard let number = phrases.number(place), number.count == 2, number.value < 100,
            let end = phrases.end(of: ["年"], at: number.end)
        else { return nil }
        return ((2000 + number.value > today.year + 1 ? 1900 : 2000) + number.value, end)
    }

    /// Of photographs.
    private static let years = 1826...2199

    private enum Which { case last, this }
    private static let which = PhraseTable<Which>([
        (.last, "last,previous,past,上个,上次"), (.this, "this,这个"),
    ])
    private static let century = PhraseTable<Bool>([(true, "上世纪,上个世纪,二十世纪,20世纪")])

    static let months = PhraseTable<Int>([
        (1, "january,jan"), (2, "february,feb"), (3, "march,mar"), (4, "april,apr"), (5, "may"), (6, "june,jun"),
        (7, "july,jul"), (8, "august,aug"), (9, "september,sep,sept"), (10, "october,oct"), (11, "november,nov"),
        (12, "december,dec"),
    ])

    private static let names = PhraseTable<YearlyDate>([
        (.season(.spring), "spring,springtime,春天,春季"),
        (.season(.summer), "summer,summertime,夏天,夏季"),
        (.season(.autumn), "autumn,fall,秋天,秋季"),
        (.season(.winter), "winter,wintertime,冬天,冬季"),
        (.holiday(.christmas), "christmas,xmas,x-mas,christmas day,圣诞节,圣诞"),
        (.holiday(.christmasEve), "christmas eve,xmas eve,平安夜,圣诞夜"),
        (.holiday(.newYear), "new year,new year's,new years,new year's day,new years day,元旦,新年"),
        (.holiday(.newYearsEve), "new year's eve,new years eve,跨年,跨年夜"),
        (.holiday(.halloween), "halloween,万圣节"),
        (.holiday(.valentine), "valentine's day,valentines day,valentine's,情人节"),
        (.holiday(.labourDay), "五一,五一节,劳动节,五一劳动节"),
        (.holiday(.nationalDay), "国庆,国庆节,十一国庆"),
        (.holiday(.easter), "easter,复活节"), (.holiday(.thanksgiving), "thanksgiving,感恩节"),
        (.holiday(.springFestival), "chinese new year,lunar new year,spring festival,春节,过年,农历新年"),
        (.holiday(.summerHolidays), "summer holidays,summer vacation,暑假"),
    ])
}
