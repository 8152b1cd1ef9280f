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

/// How many spaces visitors have begun at doors: many in an hour at one door, for a party stands behind one address. One
/// that the owner has taken counts no more, since whoever goes on giving begins another each time. In memory only.
package struct VisitRateLimit: Sendable {
    static let perDoor = (most: 200, within: Duration.seconds(3600))
    /// Askers at doors that are remembered; of those beyond, whoever came last longest ago is forgotten.
    private static let mostAskers = 4096

    private struct Asker: Hashable {
        let holder: [UInt8]
        let door: [UInt8]
    }

    private var visits: [Asker: [ContinuousClock.Instant]] = [:]

    package init() {
    }

    /// Nil when one more may be begun, and counts then; else how long until then.
    /// - Parameter holder: whom limits count, as `Client.holder`.
    package mutating func take(holder: [UInt8], door: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        let asker = Asker(holder: holder, door: door)
        let lately = (visits[asker] ?? []).filter { now - $0 < Self.perDoor.within }
        if lately.count >= Self.perDoor.most, let first = lately.first { return Self.perDoor.within - (now - first) }
        visits[asker] = lately + [now]
        if visits.count > Self.mostAskers {
            let oldest = visits.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
            if let oldest { visits[oldest.key] = nil }
        }
        return nil
    }

    /// One that was begun has been taken by the door's owner.
    package mutating func giveBack(holder: [UInt8], door: [UInt8]) {
        let asker = Asker(holder: holder, door: door)
        guard var times = visits[asker] else { return }
        times.removeFirst()
        visits[asker] = times.isEmpty ? nil : times
    }
}

/// How many guests' spaces somebody has begun: few in an hour from one address, more in a day from one neighbour, who may
/// have many addresses. In memory only.
package struct GuestRateLimit: Sendable {
    static let perAddress = (most: 10, within: Duration.seconds(3600))
    static let perNeighbour = (most: 60, within: Duration.seconds(86_400))
    /// Askers that are remembered; of those beyond, whoever came last longest ago is forgotten.
    private static let mostAskers = 4096

    private var byAddress: [[UInt8]: [ContinuousClock.Instant]] = [:]
    private var byNeighbour: [[UInt8]: [ContinuousClock.Instant]] = [:]

    package init() {
    }

    /// Nil when it may be done once more, and counts then; else how long until then.
    package mutating func take(address: [UInt8], neighbour: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        let waits = [
            Self.wait(byAddress[address], Self.perAddress.most, Self.perAddress.within, now),
            Self.wait(byNeighbour[neighbour], Self.perNeighbour.most, Self.perNeighbour.within, now),
        ]
        if let wait = waits.compactMap({ $0 }).max() { return wait }
        Self.note(address, &byAddress, Self.perAddress.most, now)
        Self.note(neighbour, &byNeighbour, Self.perNeighbour.most, now)
        return nil
    }

    private static func wait(
        _ times: [ContinuousClock.Instant]?, _ most: Int, _ span: Duration, _ now: ContinuousClock.Instant
    ) -> Duration? {
        guard let times, times.count >= most, let first = times.suffix(most).first, now - first < span else {
            return nil
        }
        return span - (now - first)
    }

    private static func note(
        _ asker: [UInt8], _ askers: inout [[UInt8]: [ContinuousClock.Instant]], _ most: Int,
        _ now: ContinuousClock.Instant
    ) {
        askers[asker] = ((askers[asker] ?? []) + [now]).suffix(most)
        guard askers.count > mostAskers else { return }
        let oldest = askers.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
        if let oldest { askers[oldest.key] = nil }
    }
}
