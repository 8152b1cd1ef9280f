import Threads

/// Changes of what opens vaults, in a day. In memory only, as for new vaults.
struct ChangeLimits: Sendable {
    private static let perVault = 20
    private static let perHost = 100

    private var all = DailyLimit(perDay: perHost, now: .now)
    private var vaults: [[UInt8]: DailyLimit] = [:]

    /// Nil when one more may be made of this vault, else how long until then. It is never given back: whoever asked has
    /// learned something.
    mutating func take(_ vaultUID: [UInt8], now: ContinuousClock.Instant) -> Duration? {
        if let wait = vaults[vaultUID, default: DailyLimit(perDay: Self.perVault, now: now)].take(now: now) {
            return wait
        }
        return all.take(now: now)
    }

    mutating func beginAnew() {
        all.beginAnew()
        vaults = [:]
    }
}
