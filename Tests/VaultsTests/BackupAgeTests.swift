import Testing

@testable import Vaults

@Suite("What health says of the last backup")
struct BackupAgeTests {
    private static let day: UInt64 = 86_400
    private static let now = 20_000 * day

    private func status(daysAgo: UInt64?, limit: Int?) -> Health.Status {
        BackupAge.check(last: daysAgo.map { Self.now - $0 * Self.day }, now: Self.now, days: limit).status
    }

    @Test("warns when it is older than the owner wants, and by itself after a week")
    func old() {
        #expect(status(daysAgo: 7, limit: nil) == .pass)
        #expect(status(daysAgo: 8, limit: nil) == .warn)
        #expect(status(daysAgo: 8, limit: 30) == .pass)
        #expect(status(daysAgo: 31, limit: 30) == .warn)
        #expect(status(daysAgo: 3000, limit: 0) == .pass)
    }

    @Test("warns of none where the owner asks for one only: others copy the disk by their own means")
    func none() {
        #expect(status(daysAgo: nil, limit: nil) == .pass)
        #expect(status(daysAgo: nil, limit: 0) == .pass)
        #expect(status(daysAgo: nil, limit: 7) == .warn)
    }

    @Test("says nothing of one from the future, which a wrong clock makes")
    func future() {
        #expect(BackupAge.check(last: Self.now + 1, now: Self.now, days: 1).status == .pass)
    }
}
