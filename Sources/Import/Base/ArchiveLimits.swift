/// What keeps a hostile archive from costing more than it is worth.
enum ArchiveLimits {
    /// Of what comes out to what went in.
    static let highestRatio: UInt64 = 100
    /// Below this nothing is a bomb: text of a page compresses well, too.
    static let harmlessByteCount: UInt64 = 1 << 20
    static let longestName = 4096
    static let mostEntries = 4_000_000
    static let largestDirectory: UInt64 = 1 << 30

    /// Whether so much can be the content of so few bytes.
    static func isBomb(produced: UInt64, consumed: UInt64) -> Bool {
        guard produced > harmlessByteCount else { return false }
        let (allowed, overflow) = consumed.multipliedReportingOverflow(by: highestRatio)
        return !overflow && produced - harmlessByteCount > allowed
    }

    static let bombReason = "it unpacks to more than a hundred times its size"
}
