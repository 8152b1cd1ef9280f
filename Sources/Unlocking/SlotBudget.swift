import Threads

/// How many secrets may be made, by whomever. Each overwrites slots wherever they fall, so those of a vault that nobody
/// opens wear away: this bounds how fast. In memory only, for a stored count would tell; so a start begins with little,
/// which the owner lifts at the host itself. The sum stands in docs/format.md.
package struct SlotBudget: Sendable {
    private static let day = 86_400.0

    private let capacity: Int
    private var secrets: TokenBucket
    private var vaults: [[UInt8]: DailyLimit] = [:]

    /// - Parameters:
    ///   - capacity: secrets that may be made at once where none was for long. A 64th of it comes back in a day.
    ///   - isNewStore: a new store has all of it, another one a 16th.
    package init(capacity: Int, isNewStore: Bool, now: ContinuousClock.Instant) {
        self.capacity = capacity
        secrets = Self.bucket(capacity, tokens: isNewStore ? Double(capacity) : Double(capacity) / 16, now)
    }

    private static func bucket(_ capacity: Int, tokens: Double, _ now: ContinuousClock.Instant) -> TokenBucket {
        TokenBucket(capacity: Double(capacity), tokens: tokens, fillSeconds: 64 * day, now: now)
    }

    /// Nil when a vault may be made, else how long until then. With a recovery code it is two secrets, of which one may be
    /// missing: it is paid back before the next.
    package mutating func takeForNewVault(secrets count: Int, now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(now) { return wait }
        for _ in 0..<count { secrets.owe() }
        return nil
    }

    /// Nil when one more secret may be made for this vault, or one replaced.
    package mutating func take(for vaultUID: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(now) { return wait }
        // So that one vault leaves something to the others.
        var ofVault = vaults[vaultUID] ?? DailyLimit(perDay: (capacity + 3) / 4, now: now)
        if let wait = ofVault.take(now: now) { return wait }
        vaults[vaultUID] = ofVault
        secrets.owe()
        return nil
    }

    package mutating func giveBack(secrets count: Int) {
        for _ in 0..<count { secrets.giveBack() }
    }

    package mutating func beginAnew(now: ContinuousClock.Instant) {
        secrets = Self.bucket(capacity, tokens: Double(capacity), now)
        vaults = [:]
    }

    private mutating func wait(_ now: ContinuousClock.Instant) -> Duration? {
        capacity > 0 ? secrets.wait(now: now) : .seconds(Self.day)
    }
}
