package import FoundationEssentials
import Media

/// A moment in UTC by the Gregorian calendar, to the millisecond, and the three ways in which it is written.
package struct CivilTime: Equatable, Sendable {
    private let date: CalendarDate
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int
    /// 0 is Sunday.
    package let weekday: Int

    package var year: Int { date.year }
    package var month: Int { date.month }
    package var day: Int { date.day }

    /// Moments outside the years 1 to 9999 are moved to the nearer end, which all three forms can write.
    package init(_ date: Date) {
        let bounded = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let milliseconds = Int((bounded * 1000).rounded())
        let (days, inDay) = milliseconds.dividedDown(by: 86_400_000)
        millisecond = inDay % 1000
        second = inDay / 1000 % 60
        minute = inDay / 60_000 % 60
        hour = inDay / 3_600_000
        weekday = (days + 4).dividedDown(by: 7).remainder
        self.date = CalendarDate(daysSinceEpoch: days)
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
