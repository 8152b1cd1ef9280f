package import FoundationEssentials

/// A moment in UTC by the Gregorian calendar, to the millisecond, and the three ways in which it is written.
package struct CivilTime: Equatable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int
    /// 0 is Sunday.
    package let weekday: Int

    /// Moments outside the years 1 to 9999 are moved to the nearer end, which all three forms can write.
    package init(_ date: Date) {
        let bounded = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let milliseconds = Int((bounded * 1000).rounded())
        let (days, inDay) = Self.floorDivide(milliseconds, 86_400_000)
        millisecond = inDay % 1000
        second = inDay / 1000 % 60
        minute = inDay / 60_000 % 60
        hour = inDay / 3_600_000
        weekday = Self.floorDivide(days + 4, 7).remainder
        (year, month, day) = Self.date(daysSinceEpoch: days)
    }

    /// RFC 3339, such as `2026-07-04T09:30:00.250Z`; whole seconds are written without a fraction.
    package var rfc3339: String {
        let fraction = millisecond == 0 ? "" : "." + Self.padded(millisecond, 3)
        return "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))T\(clock)\(fraction)Z"
    }

    /// The form of HTTP's `Date` (RFC 9110 section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(weekdays[weekday]), \(Self.padded(day)) \(months[month - 1]) \(Self.padded(year, 4)) \(clock) GMT"
    }

    private var clock: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floorDivide(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let remainder = (number % divisor + divisor) % divisor
        return ((number - remainder) / divisor, remainder)
    }

    /// Counts in years that begin in March, so that the leap day is the last one, and in eras of 400 years.
    private static func date(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floorDivide(daysSinceEpoch + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension CivilTime {
    /// Reads a moment given by a client: RFC 3339, or milliseconds since 1970 as JavaScript counts them.
    package static func parse(_ text: some StringProtocol) -> Date? {
        if let milliseconds = Int64(text) {
            // A year beyond 9999 is no photo's time.
            guard milliseconds.magnitude < 253_402_300_800_000 else { return nil }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        return (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(String(text)))
            ?? (try? Date.ISO8601FormatStyle().parse(String(text)))
    }
}
