import Media
import Testing

@Suite("What a person says of a date")
struct SaidTimeTests {
    @Test(
        "is read with and without a zone, and as a day, a month or a year alone",
        arguments: [
            ("1965-06-30T14:05:00Z", "moment", -142_163_700_000 as Int64, 0 as Int?),
            ("1965-06-30T14:05:00+02:00", "moment", -142_170_900_000, 120),
            ("1965:06:30 14:05:00", "moment", -142_163_700_000, nil),
            ("1965-06-30T14:05", "moment", -142_163_700_000, nil),
            ("1965-06-30", "day", -142_171_200_000, nil),
            ("1965-06", "month", -144_676_800_000, nil),
            ("1965", "year", -157_723_200_000, nil),
        ])
    func reading(_ text: String, _ precision: String, _ milliseconds: Int64, _ offset: Int?) throws {
        let time = try #require(CaptureTime(said: text))
        #expect(time.milliseconds == milliseconds)
        #expect("\(time.precision)" == precision)
        #expect(time.offsetMinutes == offset)
        #expect(time.source == .person)
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "", "soon", "1965-02-30", "1965-13", "1965-06-30T25:00", "1965-06-30T14", "1965-06-30T14:05:00 and more",
            "65-06-30", "1965-06-30T14:05:00+99:00", "0000-01-01", "1965-",
        ])
    func refusing(_ text: String) { #expect(CaptureTime(said: text) == nil) }
}
