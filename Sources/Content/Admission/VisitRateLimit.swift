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
