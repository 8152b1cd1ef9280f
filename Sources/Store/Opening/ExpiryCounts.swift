import Synchronization

/// Carries the counts of an expiry out of the transaction it ran in.
final class ExpiryCounts: Sendable {
    private let counted = Mutex(ExpiryReport())

    var report: ExpiryReport { counted.withLock { $0 } }

    func set(_ report: ExpiryReport) {
        counted.withLock { $0 = report }
    }
}
