import Store
package import Unlocking
package import Vault

/// How the service is, in totals. Nothing here is per vault.
package struct ServiceFigures: Sendable, Equatable {
    package var uploadsInFlight = 0
    package var ledger = LedgerTotals()
    package var attempts = AttemptTotals()
    /// A write was not confirmed by the disk, and nothing is accepted until it passes a probe.
    package var isDegraded = false
    /// Bytes of the file system of the data directory: free for photos, and in all. Nil when it cannot be asked.
    package var freeByteCount: UInt64?
    package var totalByteCount: UInt64?
    /// Seconds since 1970; nil when there was none.
    package var lastBackup: UInt64?
    /// Nil where there is none.
    package var cover: CoverFigures?

    package init() {}
}

/// What the ledger has done since the start.
package struct LedgerTotals: Sendable, Equatable {
    /// Transactions, each with one sync of the log.
    package var groups: UInt64 = 0
    package var changes: UInt64 = 0
    /// Changes of which nothing was stored.
    package var failedChanges: UInt64 = 0
    /// New objects that were stored with changes.
    package var objects: UInt64 = 0

    package init() {}

    init(_ figures: LedgerFigures) {
        groups = figures.groupCount
        changes = figures.changeCount
        failedChanges = figures.failedChangeCount
        objects = figures.objectCount
    }
}

extension VaultService {
    package func figures() async -> ServiceFigures {
        var figures = ServiceFigures()
        figures.uploadsInFlight = engine.uploadsInFlight
        figures.ledger = LedgerTotals(store.ledger.figures)
        figures.attempts = throttle.tally.totals
        figures.isDegraded = store.condition.isDegraded
        let (look, backup) =
            await probe.look { [engine, configuration] in
                (try? engine.lookAtDisk(), LastBackup(dataPath: configuration.dataPath)?.time)
            } ?? (nil, nil)
        figures.freeByteCount = look?.roomByteCount
        figures.totalByteCount = look?.totalByteCount
        figures.lastBackup = backup
        figures.cover = ghosts?.figures
        return figures
    }
}
