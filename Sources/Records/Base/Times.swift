package import FoundationEssentials
import Glibc
package import Media

extension CalendarDate {
    /// Nil unless it is `yyyy-mm-dd` and there is that day.
    package init?(text: some StringProtocol) {
        let (start, end) = (String(text.prefix(7)), text.dropFirst(7))
        guard let month = CalendarMonth(text: start), end.utf8.count == 3, end.first == "-",
            end.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let day = Int(end.dropFirst()),
            (1...31).contains(day)
        else { return nil }
        self.init(year: month.year, month: month.month, day: day)
        guard CalendarDate(daysSinceEpoch: daysSinceEpoch) == self else { return nil }
    }
}

/// A month of the Gregorian calendar.
package struct CalendarMonth: Hashable, Sendable {
    package let year: Int
    /// 1…12.
    package let month: Int

    private static let dayMilliseconds: Int64 = 86_400_000

    /// The month in which a moment lies, in milliseconds since 1970.
    package init(milliseconds: Int64) {
        let day = CalendarDate(daysSinceEpoch: Int(milliseconds.dividedDown(by: Self.dayMilliseconds).quotient))
        self.init(year: day.year, month: day.month)
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

    package var next: CalendarMonth {
        month == 12 ? CalendarMonth(year: year + 1, month: 1) : CalendarMonth(year: year, month: month + 1)
    }

    /// Its beginning, in milliseconds since 1970.
    package var milliseconds: Int64 {
        Int64(CalendarDate(year: year, month: month, day: 1).daysSinceEpoch) * Self.dayMilliseconds
    }
}

/// The time zone of this host, by the C library's tables.
package enum HostZone {
    /// Minutes east of UTC at a moment, in milliseconds since 1970.
    package static func offsetMinutes(at milliseconds: Int64) -> Int {
        var seconds = time_t(milliseconds.dividedDown(by: 1000).quotient)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return parts.tm_gmtoff / 60
    }

    /// What a clock on the wall showed here, as milliseconds since 1970 as if that were UTC.
    package static func wallClock(of milliseconds: Int64) -> Int64 {
        milliseconds + Int64(offsetMinutes(at: milliseconds)) * 60_000
    }
}

/// Times in sealed rows: whole milliseconds since 1970 UTC, in two's complement, for scanned photos carry the day on
/// which they were taken.
package enum Milliseconds {
    package static var now: UInt64 { from(Date()) }

    /// Dates before the year 1 and beyond the year 9999 are clamped.
    package static func from(_ date: Date) -> UInt64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        // Converting a value that is no number would trap.
        guard !milliseconds.isNaN else { return 0 }
        return UInt64(bitPattern: Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_000)))
    }

    package static func date(_ milliseconds: UInt64) -> Date {
        Date(timeIntervalSince1970: Double(Int64(bitPattern: milliseconds)) / 1000)
    }
}

// Sizes that others announce are added and multiplied without a trap: what is too large stays too large.

package func clampedSum(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
}

package func clampedProduct(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? .max : product
}
