/// Counts failed attempts of one address or device. Pure: the clock is an argument.
///
/// Five failures are free; each further one doubles a delay from 1 s up to 1 h. A failure is forgotten after an hour of
/// running.
struct Attempts: Equatable, Sendable {
    static let free = 5
    static let longestDelay: Duration = .seconds(3600)
    static let forgottenAfter: Duration = .seconds(3600)

    private(set) var failures: Int
    /// Of the last failure, or of the last one forgotten; time that the daemon does not run never counts.
    private(set) var since: ContinuousClock.Instant

    init(failures: Int = 0, now: ContinuousClock.Instant) {
        self.failures = failures
        since = now
    }

    var delay: Duration {
        guard failures > Self.free else { return .zero }
        let doublings = min(failures - Self.free - 1, 12)
        return min(.seconds(1 << doublings), Self.longestDelay)
    }

    /// How long the next attempt must wait; zero when it may go on.
    ///
    /// A clock read before `since` counts as no time gone: two attempts at once read theirs in any order.
    func wait(now: ContinuousClock.Instant) -> Duration { max(.zero, delay - max(.zero, now - since)) }

    mutating func forget(now: ContinuousClock.Instant) {
        while failures > 0, now - since >= Self.forgottenAfter {
            failures -= 1
            since += Self.forgottenAfter
        }
    }

    mutating func record(now: ContinuousClock.Instant) {
        forget(now: now)
        failures += 1
        since = max(since, now)
    }

    /// A success takes back its own entry and no other.
    mutating func takeBack() { failures = max(0, failures - 1) }
}

/// All strangers together: 100 failures an hour.
struct TokenBucket: Equatable, Sendable {
    static let capacity = 100.0
    static let perSecond = capacity / 3600

    private(set) var tokens: Double
    private var filledAt: ContinuousClock.Instant

    init(tokens: Double = capacity, now: ContinuousClock.Instant) {
        self.tokens = min(max(tokens, 0), Self.capacity)
        filledAt = now
    }

    mutating func fill(now: ContinuousClock.Instant) {
        let elapsed = max(.zero, now - filledAt)
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        tokens = min(Self.capacity, tokens + seconds * Self.perSecond)
        filledAt = max(filledAt, now)
    }

    /// Nil when a token was taken, else how long until there is one.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        fill(now: now)
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return .seconds((1 - tokens) / Self.perSecond)
    }

    mutating func giveBack() { tokens = min(Self.capacity, tokens + 1) }
}
