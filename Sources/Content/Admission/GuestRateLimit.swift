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
