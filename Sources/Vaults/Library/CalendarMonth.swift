/// A month of the Gregorian calendar.
package struct CalendarMonth: Hashable, Sendable {
    package let year: Int
    /// 1…12.
    package let month: Int

    private static let dayMilliseconds: Int64 = 86_400_000

    /// The month in which a moment lies, in milliseconds since 1970.
    init(milliseconds: Int64) {
        // Days since 1 March of the year 0: a leap day is then the last one of its year.
        let day =
            Int(milliseconds >= 0 ? milliseconds : milliseconds - Self.dayMilliseconds + 1)
            / Int(Self.dayMilliseconds) + 719_468
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        let dayOfEra = day - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    private init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// Nil unless it is `yyyy-mm`.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month)
    }

    /// `yyyy-mm`.
    package var text: String {
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + (month < 10 ? "-0" : "-")
            + String(month)
    }

    var next: CalendarMonth {
        month == 12 ? CalendarMonth(year: year + 1, month: 1) : CalendarMonth(year: year, month: month + 1)
    }

    /// Its beginning, in milliseconds since 1970.
    var milliseconds: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468) * Self.dayMilliseconds
    }
}
