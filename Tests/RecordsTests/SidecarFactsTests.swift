import Media
import Testing

@testable import Records

@Suite("What a sidecar said, and whether it puts the file right")
struct SidecarFactsTests {
    private static let day: Int64 = 86_400_000

    private func time(
        _ milliseconds: Int64, isInstant: Bool = true, offset: Int? = nil, _ precision: CaptureTime.Precision = .moment
    ) -> CaptureTime {
        CaptureTime(
            milliseconds: milliseconds, offsetMinutes: offset, isInstant: isInstant, source: .sidecar,
            precision: precision)
    }

    @Test("comes back from its bytes")
    func coding() {
        var facts = SidecarFacts(
            takenAt: time(5), place: Place(latitude: 1, longitude: 2, altitude: 3), corrections: [.date, .place])
        (facts.ownTakenAt, facts.ownPlace) = (time(7, isInstant: false), Place(latitude: 4, longitude: 5))
        facts.isUncertain = true
        #expect(SidecarFacts(encoded: facts.encoded) == facts)
        let plain = SidecarFacts(takenAt: time(5), place: nil)
        #expect(SidecarFacts(encoded: plain.encoded) == plain && plain.corrections.isEmpty)
        #expect(!plain.corrects(time(9 * Self.day)))
    }

    @Test("a zone is no other day, and neither is what tells but the day, the month or the year")
    func otherDays() {
        let noon = time(1000 * Self.day + Self.day / 2)
        for own in [
            time(noon.milliseconds + 14 * 3_600_000, isInstant: false), time(noon.milliseconds - Self.day),
            time(noon.milliseconds + 8 * 3_600_000, isInstant: false, .day), time(1000 * Self.day, .month),
            time(0 + 900 * Self.day, .year),
        ] {
            #expect(!noon.isAnotherDay(than: own) && !own.isAnotherDay(than: noon), "\(own)")
        }
        for own in [
            time(noon.milliseconds + Self.day + 1), time(noon.milliseconds - 2 * Self.day, isInstant: false),
            time(noon.milliseconds - 800 * Self.day, .year), time(.max), time(.min),
        ] {
            #expect(noon.isAnotherDay(than: own) && own.isAnotherDay(than: noon), "\(own)")
        }
        // Two clocks on the wall are compared as such.
        let (tokyo, later) = (time(noon.milliseconds - 9 * 3_600_000, offset: 540), noon.milliseconds + 20 * 3_600_000)
        #expect(!time(later, isInstant: false).isAnotherDay(than: tokyo) && time(later).isAnotherDay(than: tokyo))
    }
}
