/// A day of the Gregorian calendar, also before it was introduced.
package struct CalendarDate: Equatable, Sendable {
    package let year: Int
    /// 1…12.
    package let month: Int
    /// 1…31.
    package let day: Int

    /// - Parameters: of a day that exists
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Both ways count in years that begin in March, so that the leap day is the last one, and in eras of 400 years.

    /// - Parameter daysSinceEpoch: 0 is 1970-01-01
    package init(daysSinceEpoch: Int) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).dividedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// 0 is 1970-01-01.
    package var daysSinceEpoch: Int {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).dividedDown(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension BinaryInteger {
    /// Division whose remainder is never below 0.
    /// - Parameter divisor: above 0
    package func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
