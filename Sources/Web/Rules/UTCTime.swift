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

extension UTCTime {
    /// Milliseconds since 1970 have 12 digits and more, from 1973 on; seconds have 9 or 10, as date(1) and file systems
    /// count them. Shorter numbers are milliseconds.
    private static let seconds: Range<Double> = 100_000_000..<10_000_000_000
    /// In bytes: no way to write a moment takes as many.
    private static let longestText = 64
    /// A year beyond 9999 is no photo's time.
    private static let farthest: Double = 253_402_300_800

    /// Reads a moment given by a client: RFC 3339, and the like with a blank for `T`, small letters, or a zone without a
    /// colon; an HTTP date; milliseconds since 1970 as JavaScript counts them, or seconds.
    package static func parse(_ text: some StringProtocol) -> Date? {
        guard text.utf8.count <= longestText else { return nil }
        let text = String(text).trimmingBlanks()
        return number(text) ?? rfc3339(text) ?? httpDate(text)
    }

    private static func number(_ text: String) -> Date? {
        guard text.utf8.allSatisfy({ TextScanner.isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }),
            let number = Double(text)
        else { return nil }
        let moment = seconds.contains(number.magnitude) ? number : number / 1000
        return moment.magnitude < farthest ? Date(timeIntervalSince1970: moment) : nil
    }

    private static func rfc3339(_ text: String) -> Date? {
        var scanner = TextScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2), scanner.skip("Tt "),
            let clock = scanClock(&scanner)
        else { return nil }
        let fraction = scanner.skip(".,") ? scanner.milliseconds() : 0
        guard let zone = scanner.zone(), scanner.isAtEnd else { return nil }
        return moment(year, month, day, seconds: clock - zone * 60, milliseconds: fraction)
    }

    /// `Fri, 01 May 2020 00:00:00 GMT`
    private static func httpDate(_ text: String) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        var scanner = TextScanner(String(words[4]))
        guard let clock = scanClock(&scanner), scanner.isAtEnd else { return nil }
        return moment(year, month + 1, day, seconds: clock, milliseconds: 0)
    }

    /// Seconds of the day; the leap second counts as the one before it.
    private static func scanClock(_ scanner: inout TextScanner) -> Int? {
        guard let hour = scanner.number(digits: 2), scanner.skip(":"), let minute = scanner.number(digits: 2),
            scanner.skip(":"), let second = scanner.number(digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + min(second, 59)
    }

    private static func moment(_ year: Int, _ month: Int, _ day: Int, seconds: Int, milliseconds: Int) -> Date? {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let date = CalendarDate(year: year, month: month, day: day)
        // The 30th of February is none.
        guard CalendarDate(daysSinceEpoch: date.daysSinceEpoch) == date else { return nil }
        return Date(
            timeIntervalSince1970: Double(date.daysSinceEpoch * 86_400 + seconds) + Double(milliseconds) / 1000)
    }
}

extension String {
    fileprivate func trimmingBlanks() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Days as people write them to programs: `2026-12-01`, in UTC.
enum CivilDay {
    private static let secondsPerDay: Double = 86_400

    /// - Parameter day: since 1970.
    static func text(_ day: some BinaryInteger) -> String {
        String(UTCTime(Date(timeIntervalSince1970: Double(day) * secondsPerDay)).rfc3339.prefix(10))
    }

    /// Nil for anything else, and for days before 1970.
    static func parse(_ text: String) -> UInt32? {
        guard text.utf8.count == 10, let date = UTCTime.parse("\(text)T00:00:00Z") else { return nil }
        let day = date.timeIntervalSince1970 / secondsPerDay
        guard day >= 0, day < Double(UInt32.max), Self.text(UInt32(day)) == text else { return nil }
        return UInt32(day)
    }
}
