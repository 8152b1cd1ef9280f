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
