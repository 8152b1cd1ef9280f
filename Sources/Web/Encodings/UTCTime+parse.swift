package import FoundationEssentials
import Media

extension UTCTime {
    /// Milliseconds since 1970 have 12 digits and more, from 1973 on; seconds have 9 or 10, as date(1) and file systems
    /// count them. Shorter numbers are milliseconds.
    private static let seconds: Range<Double> = 100_000_000..<10_000_000_000
    /// A year beyond 9999 is no photo's time.
    private static let farthest: Double = 253_402_300_800

    /// Reads a moment given by a client: RFC 3339, and the like with a blank for `T`, small letters, or a zone without a
    /// colon; an HTTP date; milliseconds since 1970 as JavaScript counts them, or seconds.
    package static func parse(_ text: some StringProtocol) -> Date? {
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
