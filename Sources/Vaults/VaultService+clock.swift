import Store

extension VaultService {
    /// Whether the clock stands no earlier than on a day on which it was trusted before. After a jump forward it is
    /// plausible: the host may just have been off. Reads the ledger and blocks as long as that takes.
    package func isClockPlausible() -> Bool {
        // A ledger that cannot be read says nothing against the clock.
        guard let day = try? store.lastTrustedDay() else { return true }
        // One day more, so that a clock set back by minutes at midnight is no wrong one.
        return Int(StoreConfiguration.systemDay()) + 1 >= Int(day)
    }

    /// Whether the clock can be believed about what has ended: it did not jump, or has run on for a day since. Reads the
    /// ledger and blocks as long as that takes.
    package func isClockProven() -> Bool { (try? store.isClockTrusted()) ?? false }
}
