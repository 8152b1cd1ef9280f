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
        let readings = [range(at: place), bounded(at: place), boundedBehind(at: place), simple(at: place)]
        guard let best = readings.compactMap({ $0 }).max(by: { $0.end < $1.end }) else { return nil }
        return (.date(best.condition), best.end)
    }

    private typealias Reading = (condition: DateCondition, end: Int)

    /// "in May": the preposition belongs to it.
    private func simple(at place: Int) -> Reading? {
        let start = phrases.find(Self.prepositions, at: place)?.end ?? place
        return days.read(at: start).map { ($0.date.condition, $0.end) }
    }

    /// "before 2020", "since last summer".
    private func bounded(at place: Int) -> Reading? {
        guard let bound = phrases.find(Self.bounds, at: place), let found = days.read(at: bound.end) else { return nil }
        return open(bound.value, found.date).map { ($0, found.end) }
    }

    /// 2020年以前.
    private func boundedBehind(at place: Int) -> Reading? {
        let start = phrases.end(ofAny: ["从", "自"], at: place) ?? place
        guard let found = days.read(at: start), let bound = phrases.find(Self.boundsBehind, at: found.end) else {
            return nil
        }
        return open(bound.value, found.date).map { ($0, bound.end) }
    }

    /// "May to July 2024", "2019-2021", "between 3 and 5 May", 2020年到2022年.
    private func range(at place: Int) -> Reading? {
        let start = phrases.find(Self.beginnings, at: place)?.end ?? place
        let first = days.read(at: start)
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
