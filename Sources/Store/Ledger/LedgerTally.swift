import Synchronization

/// What the ledger has done since it was opened, in totals.
package struct LedgerFigures: Sendable, Equatable {
    /// Transactions, each with one sync of the log.
    package var groupCount: UInt64 = 0
    package var changeCount: UInt64 = 0
    /// Of these, the ones of which nothing was stored.
    package var failedChangeCount: UInt64 = 0
    /// New objects that were published with changes.
    package var objectCount: UInt64 = 0

    package init() {}
}

/// Counts what the ledger does.
final class LedgerTally: Sendable {
    private let state = Mutex(LedgerFigures())

    var figures: LedgerFigures { state.withLock { $0 } }

    func note(changes: Int, failed: Int, objects: Int) {
        state.withLock { figures in
            figures.groupCount += 1
            figures.changeCount += UInt64(changes)
            figures.failedChangeCount += UInt64(failed)
            figures.objectCount += UInt64(objects)
        }
    }
}
