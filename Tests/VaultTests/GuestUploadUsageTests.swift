import Testing

@testable import Vault

@Suite("The tally of unfinished uploads of guests")
struct GuestUploadUsageTests {
    @Test("the tally of unfinished uploads forgets what is over, and survives being unreadable")
    func tally() {
        var tally = GuestUploadUsage(nil)
        #expect(tally.encoded == nil && tally.byteCount(from: 0) == 0)
        func entry(_ byteCount: UInt64, _ day: UInt32) -> GuestUploadUsage.Entry {
            .init(byteCount: byteCount, day: day)
        }
        tally.replace(nil, with: entry(70, 10), today: 3)
        tally.replace(nil, with: entry(20, 11), today: 4)
        tally.replace(entry(70, 10), with: entry(100, 11), today: 4)
        #expect(tally == GuestUploadUsage(tally.encoded))
        #expect((tally.byteCount(from: 11), tally.byteCount(from: 12)) == (120, 0))
        tally.replace(entry(20, 11), with: nil, today: 4)
        #expect(tally.byteCount(from: 0) == 100)
        tally.replace(nil, with: entry(.max, 12), today: 4)
        #expect(tally.byteCount(from: 0) == .max)
        tally.replace(nil, with: entry(1, 20), today: 13)
        #expect(tally.encoded?.count == 12)
        #expect(GuestUploadUsage([1, 2, 3]).encoded == nil)
    }
}
