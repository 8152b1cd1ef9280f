import Threads

/// How many secrets may be made, by whomever. Each overwrites slots wherever they fall, so those of a vault that nobody
/// opens wear away: this bounds how fast. In memory only, for a stored count would tell; so a start begins with little,
/// which the owner lifts at the host itself. The sum stands in docs/format.md.
package struct SlotBudget: Sendable {
    private static let day = 86_400.0

    private let capacity: Double
    private var left: Double
    private var since: ContinuousClock.Instant
    private let perVault: Int
    private var vaults: [[UInt8]: DailyLimit] = [:]

    /// - Parameters:
    ///   - capacity: secrets that may be made at once where none was for long. A 64th of it comes back in a day.
    ///   - isNewStore: a new store has all of it, another one a 16th.
    package init(capacity: Int, isNewStore: Bool, now: ContinuousClock.Instant) {
        self.capacity = Double(capacity)
        left = isNewStore ? self.capacity : self.capacity / 16
        since = now
        // So that one vault leaves something to the others.
        perVault = (capacity + 3) / 4
    }

    /// Nil when a vault may be made, else how long until then. With a recovery code it is two secrets, of which one may be
    /// missing: it is paid back before the next.
    package mutating func takeForNewVault(secrets: Int, now: ContinuousClock.Instant) -> Duration? {
        take(Double(secrets), now)
    }

    /// Nil when one more secret may be made for this vault, or one replaced.
    package mutating func take(for vaultUID: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(now) { return wait }
        var ofVault = vaults[vaultUID] ?? DailyLimit(perDay: perVault, now: now)
        if let wait = ofVault.take(now: now) { return wait }
        vaults[vaultUID] = ofVault
        return take(1, now)
    }

    package mutating func giveBack(secrets: Int) { left = min(capacity, left + Double(secrets)) }

    package mutating func beginAnew() {
        left = capacity
        vaults = [:]
    }

    private mutating func take(_ count: Double, _ now: ContinuousClock.Instant) -> Duration? {
        if let wait = wait(now) { return wait }
        left -= count
        return nil
    }

    private mutating func wait(_ now: ContinuousClock.Instant) -> Duration? {
        let perSecond = capacity / 64 / Self.day
        left = min(capacity, left + (now - since) / .seconds(1) * perSecond)
        since = now
        guard left < 1 else { return nil }
        guard perSecond > 0 else { return .seconds(Self.day) }
        return .seconds(((1 - left) / perSecond).rounded(.up))
    }
}
