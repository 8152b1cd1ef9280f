import Media

/// A date without its year: a month, a day of one, a season, a holiday.
enum YearlyDate: Equatable {
    case month(Int)
    case day(Int, Int)
    case season(Season)
    case holiday(Holiday)

    /// As most of the world's people know them, north of the equator. A winter has the year in which it begins.
    enum Season: String { case spring, summer, autumn, winter }

    enum Holiday: String {
        case christmas, halloween, valentine, easter, thanksgiving
        case christmasEve = "christmas-eve"
        case newYear = "new-year"
        case newYearsEve = "new-years-eve"
        case labourDay = "labour-day"
        case nationalDay = "national-day"
        case springFestival = "spring-festival"
        case summerHolidays = "summer-holidays"
    }

    /// As it is called in the interface: "--05", "--12-24", "summer".
    var name: String {
        switch self {
        case .month(let month): "--\(Self.digits(month))"
        case .day(let month, let day): "--\(Self.digits(month))-\(Self.digits(day))"
        case .season(let season): season.rawValue
        case .holiday(let holiday): holiday.rawValue
        }
    }

    /// Its days in a year; nil for one that has none, such as the 29th of February, or that nobody knows here.
    func span(in year: Int) -> Range<Int>? {
        switch bounds {
        case .fixed(let from, let to):
            // The New Year of 2024 begins on the last day of 2023.
            let year = self == .holiday(.newYear) ? year - 1 : year
            guard let start = Self.day(year, from.month, from.day) else { return nil }
            let endYear = to < from ? year + 1 : year
            guard let last = Self.day(endYear, to.month, min(to.day, Self.length(endYear, to.month))) else {
                return nil
            }
            return start..<last + 1
        case .moving(let holiday): return holiday.span(in: year)
        }
    }

    var condition: DateCondition {
        switch bounds {
        case .fixed(let from, let to): return DateCondition([.yearly(from: from, to: to)], name: name)
        case .moving(let holiday):
            let spans = (1900...2100).compactMap { holiday.span(in: $0) }
            return DateCondition(spans.map { .span($0) }, name: name)
        }
    }

    /// From this to another one, of every year.
    func through(_ other: YearlyDate) -> DateCondition? {
        guard case .fixed(let from, _) = bounds, case .fixed(_, let to) = other.bounds else { return nil }
        return DateCondition([.yearly(from: from, to: to)], name: "\(name)/\(other.name)")
    }

    private enum Bounds {
        case fixed(MonthDay, MonthDay)
        case moving(Holiday)
    }

    private var bounds: Bounds {
        switch self {
        case .month(let month): .fixed(MonthDay(month, 1), MonthDay(month, month == 2 ? 29 : Self.length(2001, month)))
        case .day(let month, let day): .fixed(MonthDay(month, day), MonthDay(month, day))
        case .season(.spring): .fixed(MonthDay(3, 1), MonthDay(5, 31))
        case .season(.summer): .fixed(MonthDay(6, 1), MonthDay(8, 31))
        case .season(.autumn): .fixed(MonthDay(9, 1), MonthDay(11, 30))
        case .season(.winter): .fixed(MonthDay(12, 1), MonthDay(2, 29))
        case .holiday(let holiday): holiday.fixed.map { .fixed($0.0, $0.1) } ?? .moving(holiday)
        }
    }

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Nil for a day that is none.
    static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= length(year, month) else {
            return nil
        }
        return CalendarDate(year: year, month: month, day: day).daysSinceEpoch
    }

    static func length(_ year: Int, _ month: Int) -> Int {
        let next = month == 12 ? (year + 1, 1) : (year, month + 1)
        return CalendarDate(year: next.0, month: next.1, day: 1).daysSinceEpoch
            - CalendarDate(year: year, month: month, day: 1).daysSinceEpoch
    }
}

extension YearlyDate.Holiday {
    /// With the days around it on which people take its photos.
    fileprivate var fixed: (MonthDay, MonthDay)? {
        switch self {
        case .christmas: (MonthDay(12, 24), MonthDay(12, 26))
        case .christmasEve: (MonthDay(12, 24), MonthDay(12, 24))
        case .newYear: (MonthDay(12, 31), MonthDay(1, 1))
        case .newYearsEve: (MonthDay(12, 31), MonthDay(12, 31))
        case .halloween: (MonthDay(10, 31), MonthDay(10, 31))
        case .valentine: (MonthDay(2, 14), MonthDay(2, 14))
        case .labourDay: (MonthDay(5, 1), MonthDay(5, 5))
        case .nationalDay: (MonthDay(10, 1), MonthDay(10, 7))
        case .summerHolidays: (MonthDay(7, 1), MonthDay(8, 31))
        case .easter, .thanksgiving, .springFestival: nil
        }
    }

    fileprivate func span(in year: Int) -> Range<Int>? {
        switch self {
        case .easter:
            // From Good Friday to Easter Monday.
            let sunday = Self.easterSunday(year)
            return sunday - 2..<sunday + 2
        case .thanksgiving:
            // The fourth Thursday of November; day 0 was a Thursday.
            guard let first = YearlyDate.day(year, 11, 1) else { return nil }
            let day = first + (7 - first.dividedDown(by: 7).remainder) % 7 + 21
            return day..<day + 1
        case .springFestival:
            // From New Year's Eve to the seventh day.
            guard Self.firstLunarYear..<Self.firstLunarYear + Self.lunarNewYears.count ~= year else { return nil }
            let date = Self.lunarNewYears[year - Self.firstLunarYear]
            guard let day = YearlyDate.day(year, date / 100, date % 100) else { return nil }
            return day - 1..<day + 7
        default: return nil
        }
    }

    /// By the rule of Meeus, Jones and Butcher for the Gregorian calendar.
    private static func easterSunday(_ year: Int) -> Int {
        let (golden, century, rest) = (year % 19, year / 100, year % 100)
        let shift = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30
        let weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - shift - rest % 4) % 7
        let correction = (golden + 11 * shift + 22 * weekday) / 451
        let count = shift + weekday - 7 * correction + 114
        return CalendarDate(year: year, month: count / 31, day: count % 31 + 1).daysSinceEpoch
    }

    private static let firstLunarYear = 1990
    /// Month and day of the Chinese New Year.
    private static let lunarNewYears = [
        127, 215, 204, 123, 210, 131, 219, 207, 128, 216, 205, 124, 212, 201, 122, 209, 129, 218, 207, 126, 214, 203,
        123,
        210, 131, 219, 208, 128, 216, 205, 125, 212, 201, 122, 210, 129, 217, 206, 126, 213, 203, 123, 211, 131, 219,
        208,
        128, 215, 204, 124, 212,
    ]
}
