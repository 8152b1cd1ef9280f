/// What givers have given at doors within a day, by which nobody takes more of a door than a fair share. In memory only:
/// on the disk it would tell who was here.
package struct GiftShares: Sendable {
    /// Who gave where; keyed hashes.
    package struct Asker: Hashable, Sendable {
        let giver: [UInt8]
        let door: [UInt8]

        package init(giver: [UInt8], door: [UInt8]) {
            self.giver = giver
            self.door = door
        }
    }

    /// Photos, and bytes of their content, of which a small file counts as more than it has: each takes a row, and a file.
    package struct Amount: Equatable, Sendable {
        package var photoCount: UInt64 = 0
        package var byteCount: UInt64 = 0

        package init(photoCount: UInt64 = 0, contentByteCount: UInt64 = 0) {
            self.photoCount = photoCount
            let (least, _) = photoCount.multipliedReportingOverflow(by: Self.leastByteCount)
            byteCount = max(contentByteCount, least)
        }

        private static let leastByteCount: UInt64 = 64 << 10
    }

    private struct Given {
        var amount: Amount
        let since: ContinuousClock.Instant
    }

    static let day: Duration = .seconds(86_400)
    /// What everybody may give, however little a door takes.
    private static let least = (photoCount: UInt64(16), byteCount: UInt64(16 << 20))
    /// Askers that are remembered; of those beyond, whoever has given least is forgotten.
    private static let mostAskers = 4096

    private var given: [Asker: Given] = [:]

    package init() {}

    /// Nil when an asker may give so much more now, else how long until the day is over.
    /// - Parameters:
    ///   - more: with what is on its way.
    ///   - left: what the door still takes.
    package func wait(
        of asker: Asker, for more: Amount, left: Amount, now: ContinuousClock.Instant
    ) -> Duration? {
        let present = given[asker].flatMap { now - $0.since < Self.day ? $0 : nil }
        let own = present?.amount ?? Amount()
        let isAllowed =
            FairShare.allows(
                more.photoCount, own: own.photoCount, left: left.photoCount, least: Self.least.photoCount)
            && FairShare.allows(more.byteCount, own: own.byteCount, left: left.byteCount, least: Self.least.byteCount)
        return isAllowed ? nil : Self.day - (now - (present?.since ?? now))
    }

    /// A photo was given.
    package mutating func note(_ byteCount: UInt64, by asker: Asker, now: ContinuousClock.Instant) {
        given = given.filter { now - $0.value.since < Self.day }
        let gift = Amount(photoCount: 1, contentByteCount: byteCount)
        var own = given[asker] ?? Given(amount: Amount(), since: now)
        own.amount.photoCount += gift.photoCount
        own.amount.byteCount = own.amount.byteCount &+ gift.byteCount
        given[asker] = own
        guard given.count > Self.mostAskers else { return }
        let smallest = given.min { $0.value.amount.photoCount < $1.value.amount.photoCount }
        if let smallest { given[smallest.key] = nil }
    }

    package mutating func giveBack(_ byteCount: UInt64, by asker: Asker) {
        guard var own = given[asker] else { return }
        let gift = Amount(photoCount: 1, contentByteCount: byteCount)
        own.amount.photoCount -= min(own.amount.photoCount, gift.photoCount)
        own.amount.byteCount -= min(own.amount.byteCount, gift.byteCount)
        given[asker] = own
    }

    package mutating func beginAnew() { given = [:] }
}
