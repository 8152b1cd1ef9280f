import Testing

@testable import Media

@Suite("A day of the calendar")
struct CalendarDateTests {
    @Test("and its number lead to each other, before 1970 and the year 1 too")
    func bothWays() {
        for days in stride(from: -1_000_000, through: 3_000_000, by: 997) {
            #expect(CalendarDate(daysSinceEpoch: days).daysSinceEpoch == days)
        }
    }

    @Test(
        "is counted through leap years and centuries",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (-25_509, 1900, 2, 28),
            (-25_508, 1900, 3, 1), (-719_162, 1, 1, 1), (2_932_896, 9999, 12, 31),
        ])
    func known(days: Int, year: Int, month: Int, day: Int) {
        let date = CalendarDate(year: year, month: month, day: day)
        #expect(CalendarDate(daysSinceEpoch: days) == date && date.daysSinceEpoch == days)
    }
}
