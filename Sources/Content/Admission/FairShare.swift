/// What one of many may take of something that all of them draw from: a quarter of what nobody else has taken. So whoever
/// comes under three names leaves two fifths of it to the others, and there is always some left.
package enum FairShare {
    /// - Parameters:
    ///   - more: what is asked for.
    ///   - own: what the asker has taken already.
    ///   - left: what nobody has taken.
    ///   - least: what everybody may take as long as there is so much, where a quarter would be too little to be of use.
    package static func allows(_ more: UInt64, own: UInt64, left: UInt64, least: UInt64) -> Bool {
        sum(own, more) <= max(least, sum(own, left) / 4)
    }

    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

/// How often a thing may be done in a day by all together, of which nobody takes more than a fair share. In memory only.
package struct DailyShares: Sendable {
    private static let day: Duration = .seconds(86_400)

    package enum Refusal: Error, Equatable {
        /// The asker has had a share of it; how long until the next.
        case ofAsker(Duration)
        /// All of it is taken.
        case ofAll(Duration)
    }

    private let perDay: Int
    private var byAsker: [[UInt8]: Int] = [:]
    private var count = 0
    private var since: ContinuousClock.Instant

    package init(perDay: Int, now: ContinuousClock.Instant) {
        self.perDay = perDay
        since = now
    }

    /// Takes one, or refuses.
    package mutating func take(for asker: [UInt8], now: ContinuousClock.Instant) -> Refusal? {
        if now - since >= Self.day {
            beginAnew()
            since = now
        }
        let wait = Self.day - (now - since)
        guard count < perDay else { return .ofAll(wait) }
        let own = byAsker[asker, default: 0]
        guard FairShare.allows(1, own: UInt64(own), left: UInt64(perDay - count), least: 1) else {
            return .ofAsker(wait)
        }
        byAsker[asker] = own + 1
        count += 1
        return nil
    }

    package mutating func giveBack(for asker: [UInt8]) {
        guard let own = byAsker[asker] else { return }
        byAsker[asker] = own > 1 ? own - 1 : nil
        count -= 1
    }

    package mutating func beginAnew() {
        count = 0
        byAsker = [:]
    }
}
