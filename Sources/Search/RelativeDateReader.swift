import Media

/// Dates as seen from today: "yesterday", "last week", "3 months ago", 上个月, 最近七天.
struct RelativeDateReader {
    typealias Reading = (date: ReadDate, end: Int)

    private let phrases: QueryPhrases
    private let date: CalendarDate
    private let today: Int

    init(_ phrases: QueryPhrases, today: CalendarDate) {
        self.phrases = phrases
        date = today
        self.today = today.daysSinceEpoch
    }

    func read(at place: Int) -> Reading? {
        [named(at: place), ago(at: place), recent(at: place), weekday(at: place)]
            .compactMap { $0 }.max { $0.end < $1.end }
    }

    /// 去年, "last year".
    func year(at place: Int) -> (year: Int, end: Int)? {
        phrases.find(Self.years, at: place).map { (date.year - $0.value, $0.end) }
    }

    private enum Unit { case day, week, month, year, weekend }

    private func named(at place: Int) -> Reading? {
        if let year = phrases.find(Self.years, at: place) { return (.year(date.year - year.value), year.end) }
        return phrases.find(Self.names, at: place).map { (unit($0.value.0, back: $0.value.1), $0.end) }
    }

    /// The whole day, week, month or year that lies so far back.
    private func unit(_ unit: Unit, back count: Int) -> ReadDate {
        let monday = today - (today + 3).dividedDown(by: 7).remainder
        switch unit {
        case .day: return .day(today - count)
        case .week: return .span(monday - 7 * count..<monday - 7 * count + 7)
        case .weekend: return .span(monday - 7 * count + 5..<monday - 7 * count + 7)
        case .month:
            let (year, month) = month(back: count)
            return .month(year, month) ?? .day(today)
        case .year: return .year(max(1, date.year - count))
        }
    }

    private func month(back count: Int) -> (year: Int, month: Int) {
        let (year, month) = (max(12, date.year * 12 + date.month - 1 - count)).dividedDown(by: 12)
        return (year, month + 1)
    }

    /// "3 months ago", 两周前.
    private func ago(at place: Int) -> Reading? {
        guard let count = count(at: place), let unit = phrases.find(Self.units, at: count.end),
            let end = phrases.end(ofAny: ["ago", "back", "前", "以前", "之前"], at: unit.end)
        else { return nil }
        return (self.unit(unit.value, back: count.value), end)
    }

    /// "last 7 days", 最近三个月, 近一年: up to today.
    private func recent(at place: Int) -> Reading? {
        guard let recent = phrases.end(ofAny: Self.recent, at: place) else { return nil }
        let amount = count(at: recent) ?? (1, recent)
        guard let unit = phrases.find(Self.units, at: amount.end) else {
            guard let end = phrases.end(ofAny: ["半年"], at: recent) else { return nil }
            return (since(.month, 6), end)
        }
        // "last month" is the one before this.
        guard amount.end > recent || Self.isChinese(phrases, at: place) else { return nil }
        return (since(unit.value, amount.value), unit.end)
    }

    private func since(_ unit: Unit, _ count: Int) -> ReadDate {
        switch unit {
        case .day: return .span(today - count + 1..<today + 1)
        case .week, .weekend: return .span(today - 7 * count + 1..<today + 1)
        case .month, .year:
            let (year, month) = month(back: unit == .year ? 12 * count : count)
            let day = min(date.day, YearlyDate.length(year, month))
            return .span(CalendarDate(year: year, month: month, day: day).daysSinceEpoch..<today + 1)
        }
    }

    private static func isChinese(_ phrases: QueryPhrases, at place: Int) -> Bool {
        phrases.piece(place)?.lexeme.kind == .ideograph
    }

    /// Monday: the last one that has come. "last Friday" is that before today, 上周五 the one of the week before.
    private func weekday(at place: Int) -> Reading? {
        if let week = phrases.find(Self.chineseWeeks, at: place),
            let day = phrases.find(Self.chineseDays, at: week.end)
        {
            let monday = today - (today + 3).dividedDown(by: 7).remainder
            let found = monday + day.value - 7 * (week.value ?? 0)
            return (.day(week.value == nil && found > today ? found - 7 : found), day.end)
        }
        let last = phrases.end(ofAny: ["last", "past", "on"], at: place)
        guard let day = phrases.find(Self.weekdays, at: last ?? place) else { return nil }
        let back = (today + 3 - day.value).dividedDown(by: 7).remainder
        let isBeforeToday = phrases.end(of: ["last"], at: place) != nil
        return (.day(today - (back == 0 && isBeforeToday ? 7 : back)), day.end)
    }

    private func count(at place: Int) -> (value: Int, end: Int)? {
        if let word = phrases.find(Self.counts, at: place) { return word }
        guard let number = phrases.number(place), number.value <= 1000 else { return nil }
        return (number.value, number.end)
    }

    private static let names = PhraseTable<(Unit, Int)>([
        ((.day, 0), "today,今天,今日"), ((.day, 1), "yesterday,昨天,昨日"),
        ((.day, 2), "day before yesterday,the day before yesterday,前天,前日"), ((.day, 3), "大前天"),
        ((.week, 0), "this week,这周,这个周,本周,这星期,这个星期,这礼拜,这个礼拜"),
        ((.week, 1), "last week,previous week,上周,上个周,上星期,上个星期,上礼拜,上个礼拜"),
        ((.week, 2), "week before last,the week before last,上上周,上上个周,上上星期,上上个星期,上上礼拜"),
        ((.month, 0), "this month,这个月,本月,这月"), ((.month, 1), "last month,previous month,上个月,上月"),
        ((.month, 2), "month before last,the month before last,上上个月,上上月"),
        ((.weekend, 0), "this weekend,这周末,这个周末,本周末"),
        ((.weekend, 1), "last weekend,上周末,上个周末"),
    ])
    private static let years = PhraseTable<Int>([
        (0, "this year,今年,本年"), (1, "last year,previous year,去年"), (2, "year before last,the year before last,前年"),
        (3, "大前年"),
    ])
    private static let units = PhraseTable<Unit>([
        (.day, "day,days,天,日"), (.week, "week,weeks,周,个周,星期,个星期,礼拜,个礼拜"), (.month, "month,months,个月"),
        (.year, "year,years,年"), (.weekend, "weekend,weekends"),
    ])
    private static let counts = PhraseTable<Int>([
        (1, "a,an,one"), (2, "two,a couple of"), (3, "three,a few"), (4, "four"), (5, "five"), (6, "six"), (7, "seven"),
        (8, "eight"), (9, "nine"), (10, "ten"), (11, "eleven"), (12, "twelve"), (3, "几"),
    ])
    private static let recent = [
        "last", "past", "the last", "the past", "in the last", "in the past", "最近", "近", "过去", "这",
    ]
    /// Nil: of no named week.
    private static let chineseWeeks = PhraseTable<Int?>([
        (0, "这周,本周,这个周,这星期,这个星期,这礼拜"), (1, "上周,上个周,上星期,上个星期,上礼拜,上个礼拜"), (nil, "周,星期,礼拜"),
    ])
    private static let chineseDays = PhraseTable<Int>([
        (0, "一"), (1, "二"), (2, "三"), (3, "四"), (4, "五"), (5, "六"), (6, "日,天"),
    ])
    private static let weekdays = PhraseTable<Int>([
        (0, "monday"), (1, "tuesday"), (2, "wednesday"), (3, "thursday"), (4, "friday"), (5, "saturday"), (6, "sunday"),
    ])
}
