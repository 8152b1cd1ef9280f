/// How often a thing may be done in a day. In memory only: a stored count would tell how many vaults there are.
package struct DailyLimit: Sendable {
    private static let day: Duration = .seconds(86_400)
    private let perDay: Int
    private var count = 0
    private var since: ContinuousClock.Instant

    package init(perDay: Int, now: ContinuousClock.Instant) {
        self.perDay = perDay
        since = now
    }

    /// Nil when it may be done once more, else how long until then.
    package mutating func take(now: ContinuousClock.Instant) -> Duration? {
        if now - since >= Self.day {
            count = 0
            since = now
        }
        guard count < perDay else { return Self.day - (now - since) }
        count += 1
        return nil
    }

    package mutating func beginAnew() { count = 0 }

    package mutating func giveBack() { count = max(0, count - 1) }
}
