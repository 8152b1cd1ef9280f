/// How often each asker did a thing within a time that slides along with the clock: so many, and then none until the first
/// of these is past. In memory only.
struct SlidingWindow<Asker: Hashable & Sendable>: Sendable {
    /// Askers that are remembered; of those beyond, whoever came last longest ago is forgotten.
    private static var mostAskers: Int { 4096 }

    let most: Int
    let span: Duration
    private var times: [Asker: [ContinuousClock.Instant]] = [:]

    init(most: Int, within span: Duration) {
        self.most = most
        self.span = span
    }

    /// Nil when it may be done once more; else how long until then.
    func wait(_ asker: Asker, now: ContinuousClock.Instant) -> Duration? {
        let lately = lately(asker, now)
        guard lately.count >= most, let first = lately.suffix(most).first else { return nil }
        return span - (now - first)
    }

    mutating func note(_ asker: Asker, now: ContinuousClock.Instant) {
        times[asker] = lately(asker, now) + [now]
        guard times.count > Self.mostAskers else { return }
        let oldest = times.min { ($0.value.last ?? now) < ($1.value.last ?? now) }
        if let oldest { times[oldest.key] = nil }
    }

    /// The first one that is remembered counts no more.
    mutating func giveBack(_ asker: Asker) {
        let left = Array((times[asker] ?? []).dropFirst())
        times[asker] = left.isEmpty ? nil : left
    }

    private func lately(_ asker: Asker, _ now: ContinuousClock.Instant) -> [ContinuousClock.Instant] {
        (times[asker] ?? []).filter { now - $0 < span }
    }
}

/// How many guests' spaces somebody has begun: few in an hour from one address, more in a day from one neighbour, who may
/// have many addresses.
package struct GuestRateLimit: Sendable {
    private(set) var byAddress = SlidingWindow<[UInt8]>(most: 10, within: .seconds(3600))
    private(set) var byNeighbour = SlidingWindow<[UInt8]>(most: 60, within: .seconds(86_400))

    package init() {}

    /// Nil when it may be done once more, and counts then; else how long until then.
    package mutating func take(address: [UInt8], neighbour: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        let waits = [byAddress.wait(address, now: now), byNeighbour.wait(neighbour, now: now)]
        if let wait = waits.compactMap({ $0 }).max() { return wait }
        byAddress.note(address, now: now)
        byNeighbour.note(neighbour, now: now)
        return nil
    }
}

/// How many spaces visitors have begun at doors, and how often browsers were counted at windows: many in an hour at one of
/// them, for a party stands behind one address. A space that the owner has taken counts no more, since whoever goes on
/// giving begins another each time.
package struct VisitRateLimit: Sendable {
    /// Whom limits count (`Client.holder`), at one door or window.
    private struct Asker: Hashable {
        let holder: [UInt8]
        let door: [UInt8]
    }

    static let mostPerDoor = 200
    private var visits = SlidingWindow<Asker>(most: Self.mostPerDoor, within: .seconds(3600))

    package init() {}

    /// Nil when one more may be begun, and counts then; else how long until then.
    package mutating func take(holder: [UInt8], door: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        let asker = Asker(holder: holder, door: door)
        if let wait = visits.wait(asker, now: now) { return wait }
        visits.note(asker, now: now)
        return nil
    }

    /// One that was begun has been taken by the door's owner.
    package mutating func giveBack(holder: [UInt8], door: [UInt8]) {
        visits.giveBack(Asker(holder: holder, door: door))
    }
}
