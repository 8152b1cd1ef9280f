import Releases
import Testing

@testable import Records

@Suite("When a vault hears of a new version")
struct ReminderTests {
    private let version: SemanticVersion

    init() throws {
        version = try #require(SemanticVersion("2.1.0"))
    }

    @Test("once in fifteen days, whatever version it is")
    func pause() {
        var reminder = ReminderRecord()
        #expect(reminder.isDue(version, today: 20_000))
        reminder.day = 20_000
        for day: UInt32 in [20_000, 20_001, 20_015] { #expect(!reminder.isDue(version, today: day)) }
        #expect(reminder.isDue(version, today: 20_016))
    }

    @Test("a clock that was set back by months does not silence it")
    func clock() {
        #expect(ReminderRecord(day: 20_000).isDue(version, today: 19_900))
        #expect(!ReminderRecord(day: 20_000).isDue(version, today: 19_999))
    }

    @Test("a version that was skipped, and older ones, are not mentioned; a newer one is")
    func skipped() throws {
        let reminder = ReminderRecord(skipped: version)
        #expect(!reminder.isDue(version, today: 20_000))
        #expect(!reminder.isDue(try #require(SemanticVersion("2.0.9")), today: 20_000))
        #expect(reminder.isDue(try #require(SemanticVersion("2.1.1")), today: 20_000))
    }

    @Test("it is read back as it was written, inside the head too")
    func encoding() throws {
        for reminder in [
            ReminderRecord(day: 5), ReminderRecord(skipped: version), ReminderRecord(day: 6, skipped: version),
        ] {
            #expect(try ReminderRecord(reminder.encoded) == reminder)
            var head = VaultHead(createdDay: 3, slotSets: [])
            head.reminder = reminder
            #expect(try VaultHead(head.encoded) == head)
        }
        #expect(throws: VaultError.self) { try ReminderRecord([1, 2]) }
        #expect(throws: VaultError.self) { try ReminderRecord([0, 0, 0, 1, 0x78]) }
    }
}
