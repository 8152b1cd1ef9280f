import Media

/// Dates as people write them in English and Chinese, and what stands around them: "before", "since", "to".
struct DateReader {
    private let phrases: QueryPhrases
    private let days: DayReader
    private let today: Int

    init(_ phrases: QueryPhrases, today: CalendarDate) {
        self.phrases = phrases
        self.today = today.daysSinceEpoch
        days = DayReader(phrases, today: today)
    }

    func read(at place: Int) -> (SearchQuery.Meaning, end: Int)? {
        // Three of them begin with the date that stands here: it is read once.
        let here = days.read(at: place)
        func day(_ start: Int) -> DayReader.Reading? { start == place ? here : days.read(at: start) }
        let readings = [
            range(at: place, day), bounded(at: place), boundedBehind(at: place, day), simple(at: place, day),
        ]
        guard let best = readings.compactMap({ $0 }).max(by: { $0.end < $1.end }) else { return nil }
        return (.date(best.condition), best.end)
    }

    private typealias Reading = (condition: DateCondition, end: Int)

    /// "in May": the preposition belongs to it.
    private func simple(at place: Int, _ day: (Int) -> DayReader.Reading?) -> Reading? {
        let start = phrases.find(Self.prepositions, at: place)?.end ?? place
        return day(start).map { ($0.date.condition, $0.end) }
    }

    /// "before 2020", "since last summer".
    private func bounded(at place: Int) -> Reading? {
        guard let bound = phrases.find(Self.bounds, at: place), let found = days.read(at: bound.end) else { return nil }
        return open(bound.value, found.date).map { ($0, found.end) }
    }

    /// 2020年以前.
    private func boundedBehind(at place: Int, _ day: (Int) -> DayReader.Reading?) -> Reading? {
        let start = phrases.end(ofAny: ["从", "自"], at: place) ?? place
        guard let found = day(start), let bound = phrases.find(Self.boundsBehind, at: found.end) else {
            return nil
        }
        return open(bound.value, found.date).map { ($0, bound.end) }
    }

    /// "May to July 2024", "2019-2021", "between 3 and 5 May", 2020年到2022年.
    private func range(at place: Int, _ day: (Int) -> DayReader.Reading?) -> Reading? {
        let start = phrases.find(Self.beginnings, at: place)?.end ?? place
        let first = day(start)
        if let first, let joint = phrases.find(Self.joints, at: first.end), let last = days.read(at: joint.end) {
            return joined(first.date, last.date).map { ($0, last.end) }
        }
        // Only the later one says which month it is.
        guard let number = phrases.number(start), (1...31).contains(number.value),
            let joint = phrases.find(Self.joints, at: number.end), let last = days.read(at: joint.end)
        else { return nil }
        return joined(last.date.withDay(number.value), last.date).map { ($0, last.end) }
    }

    private func joined(_ first: ReadDate?, _ last: ReadDate) -> DateCondition? {
        guard let first else { return nil }
        if case .undated(let from) = first, case .undated(let to) = last { return from.through(to) }
        guard let end = end(last, behind: first) else { return nil }
        let year = CalendarDate(daysSinceEpoch: min(end, DateReader.farthest) - 1).year
        guard var start = first.span(in: year)?.lowerBound else { return nil }
        // From December to February: of the year before.
        if start >= end, let earlier = first.span(in: year - 1)?.lowerBound { start = earlier }
        return start < end ? DateCondition([.span(start..<end)]) : nil
    }

    /// "May 2024 to July": it is of the same year, or of the next.
    private func end(_ last: ReadDate, behind first: ReadDate) -> Int? {
        guard let year = first.year, let start = first.span(in: year)?.lowerBound else {
            return last.span(until: today)?.upperBound
        }
        return [year, year + 1].compactMap { last.span(in: $0)?.upperBound }.first { $0 > start }
    }

    static let farthest = 2_932_896

    private enum Bound { case before, through, after, since }

    private func open(_ bound: Bound, _ date: ReadDate) -> DateCondition? {
        guard let span = date.span(until: today) else { return nil }
        switch bound {
        case .before: return DateCondition([.span(DateCondition.beginning..<span.lowerBound)])
        case .through: return DateCondition([.span(DateCondition.beginning..<span.upperBound)])
        case .after: return DateCondition([.span(span.upperBound..<DateCondition.end)])
        case .since: return DateCondition([.span(span.lowerBound..<DateCondition.end)])
        }
    }

    private static let prepositions = PhraseTable<Bool>([
        (true, "in,on,from,of,during,at,taken in,taken on,made in,in the,on the,in early,在")
    ])
    private static let bounds = PhraseTable<Bound>([
        (.before, "before,earlier than,older than,prior to,早于"), (.through, "until,till,up to,through,截至"),
        (.after, "after,later than,newer than,晚于"), (.since, "since,starting,自从"),
    ])
    private static let boundsBehind = PhraseTable<Bound>([
        (.before, "以前,之前,前"), (.after, "以后,之后,后"), (.since, "以来,起,开始,至今,到现在"), (.through, "为止,及以前"),
    ])
    private static let beginnings = PhraseTable<Bool>([(true, "from,between,从,自,在")])
    private static let joints = PhraseTable<Bool>([(true, "to,and,until,till,through,-,–,—,~,到,至,和")])
}

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
