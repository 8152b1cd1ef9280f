package import FoundationEssentials
import Glibc
import Media

/// A moment in UTC by the Gregorian calendar, to the millisecond, and the three ways in which it is written.
package struct UTCTime: Equatable, Sendable {
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

    /// The same moment by the clock of this host, for readers that know no zone.
    static func onHost(_ date: Date) -> UTCTime {
        var seconds = time_t(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return UTCTime(date) }
        return UTCTime(date.addingTimeInterval(Double(local.tm_gmtoff)))
    }

    /// RFC 3339, such as `2026-07-04T09:30:00.250Z`; whole seconds are written without a fraction.
    package var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        text.append(year, width: 4)
        text.append("-")
        text.append(month, width: 2)
        text.append("-")
        text.append(day, width: 2)
        text.append("T")
        appendClock(to: &text)
        if millisecond != 0 {
            text.append(".")
            text.append(millisecond, width: 3)
        }
        text.append("Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// The form of HTTP's `Date` (RFC 9110 section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var text = Array("\(weekdays[weekday]), ".utf8)
        text.append(day, width: 2)
        text.append(" \(months[month - 1]) ")
        text.append(year, width: 4)
        text.append(" ")
        appendClock(to: &text)
        text.append(" GMT")
        return String(decoding: text, as: UTF8.self)
    }

    private func appendClock(to text: inout [UInt8]) {
        text.append(hour, width: 2)
        text.append(":")
        text.append(minute, width: 2)
        text.append(":")
        text.append(second, width: 2)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    /// Decimal digits, with zeros before them.
    fileprivate mutating func append(_ number: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        for _ in 0..<width {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
