/// New vaults in a day from other addresses than this host's. In memory only: a stored count would tell how many there
/// are.
struct NewVaultLimit: Sendable {
    private static let day: Duration = .seconds(86_400)
    private let perDay: Int
    private var count = 0
    private var since: ContinuousClock.Instant

    init(perDay: Int, now: ContinuousClock.Instant) {
        self.perDay = perDay
        since = now
    }

    /// Nil when one more may be made, else how long until then.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        if now - since >= Self.day {
            count = 0
            since = now
        }
        guard count < perDay else { return Self.day - (now - since) }
        count += 1
        return nil
    }

    mutating func giveBack() { count = max(0, count - 1) }
}
