import Media

/// A date that was read: days, the same days of every year, or one of two where people write them differently.
enum ReadDate: Equatable {
    case span(Range<Int>)
    case undated(YearlyDate)
    case either(Range<Int>, Range<Int>)

    var condition: DateCondition {
        switch self {
        case .span(let days): DateCondition([.span(days)])
        case .undated(let date): date.condition
        case .either(let one, let other): DateCondition([.span(one), .span(other)])
        }
    }

    /// In that year, where it has none of its own.
    func span(in year: Int) -> Range<Int>? {
        switch self {
        case .span(let days), .either(let days, _): days
        case .undated(let date): date.span(in: year)
        }
    }

    /// The last one that has begun, where it has no year.
    func span(until today: Int) -> Range<Int>? {
        let year = CalendarDate(daysSinceEpoch: today).year
        if let span = span(in: year), span.lowerBound <= today || !isUndated { return span }
        return span(in: year - 1)
    }

    /// Another day of the same month: "3 to 5 May".
    func withDay(_ day: Int) -> ReadDate? {
        switch self {
        case .undated(.day(let month, _)): return .undated(.day(month, day))
        case .span(let days) where days.count == 1:
            let date = CalendarDate(daysSinceEpoch: days.lowerBound)
            return YearlyDate.day(date.year, date.month, day).map { .span($0..<$0 + 1) }
        default: return nil
        }
    }

    /// Nil for one without.
    var year: Int? {
        guard case .span(let days) = self else { return nil }
        return CalendarDate(daysSinceEpoch: days.lowerBound).year
    }

    private var isUndated: Bool { if case .undated = self { true } else { false } }

    static func day(_ day: Int) -> ReadDate { .span(day..<day + 1) }

    static func day(_ year: Int, _ month: Int, _ day: Int) -> ReadDate? {
        YearlyDate.day(year, month, day).map { .day($0) }
    }

    static func month(_ year: Int, _ month: Int) -> ReadDate? {
        YearlyDate.month(month).span(in: year).map { .span($0) }
    }

    static func year(_ year: Int) -> ReadDate { years(year, 1) }

    static func years(_ first: Int, _ count: Int) -> ReadDate {
        let start = CalendarDate(year: first, month: 1, day: 1).daysSinceEpoch
        return .span(start..<CalendarDate(year: first + count, month: 1, day: 1).daysSinceEpoch)
    }
}
