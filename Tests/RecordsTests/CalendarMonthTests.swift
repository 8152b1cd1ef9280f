import Testing

@testable import Records

@Suite("A month of the calendar")
struct CalendarMonthTests {
    @Test("a month begins where the one before it ends, over leap years and before 1970")
    func months() {
        #expect(CalendarMonth(milliseconds: 0).text == "1970-01")
        #expect(CalendarMonth(milliseconds: -1).text == "1969-12")
        #expect(CalendarMonth(text: "2024-02")?.milliseconds == 1_706_745_600_000)
        for text in ["0000-01", "1826-02", "1900-02", "1969-12", "2000-02", "2024-02", "2024-12", "9999-12"] {
            let month = CalendarMonth(text: text)
            #expect(month?.text == text)
            guard let month else { continue }
            #expect(CalendarMonth(milliseconds: month.milliseconds) == month)
            #expect(CalendarMonth(milliseconds: month.next.milliseconds - 1) == month)
        }
        for text in ["2024-13", "2024-0", "24-01", "2024-00", "+024-01", "2024-1a", ""] {
            #expect(CalendarMonth(text: text) == nil, "\(text)")
        }
    }
}
