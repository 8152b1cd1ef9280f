import Records
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

extension VaultService {
    private static let feedKey = "release-feed"

    /// What is remembered of the release feed over restarts; it says nothing of any vault.
    package func feedMemory() async throws -> [UInt8]? {
        try await translating { try await store.ledger.read { try $0.metaValue(Self.feedKey) } }
    }

    /// On disk on return.
    package func setFeedMemory(_ bytes: [UInt8]) async throws {
        try await translating {
            try await store.ledger.commit(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    try transaction.setMetaValue(Self.feedKey, bytes)
                })
        }
    }
}

/// Objects that belong to none of the vaults whose passwords were typed, nor to a guest.
package struct Unclaimed: Sendable {
    let objects: [ObjectID]
    /// Bytes of their files.
    package let byteCount: UInt64

    package var count: Int { objects.count }
}

/// For a store without a daemon, with every vault open that is to be kept. Unfinished uploads and what guests have are
/// left alone: they go when their days are over.
extension VaultService {
    /// - Throws: `damaged` when one of the vaults misses entries: what they named could not be told from what nobody
    ///   owns.
    package func unclaimed(keeping sessions: [Session]) async throws -> Unclaimed {
        // Listed first: what comes into being meanwhile is nobody's business here.
        let listed = try await store.ledger.read { reader in
            var objects: Set<ObjectID> = []
            try reader.forEachObject { objects.insert($0) }
            try reader.forEachGuestObject { objects.remove($0) }
            try reader.forEachUpload { _, _, part, _ in
                if let part { objects.remove(part) }
            }
            return objects
        }
        var unclaimed = listed
        for session in sessions {
            guard session.damage.map({ $0.missingEntries == 0 && !$0.isSetBack }) ?? true else {
                throw VaultError.damaged
            }
            let vault = try session.requireVault()
            unclaimed.subtract(try await engine.threads.run { try vault.library.allBlocking().map(\.object) })
            unclaimed.subtract(vault.windows.map(\.list.object))
        }
        let found = unclaimed
        return try await engine.threads.run { [store] in
            let byteCount = try found.reduce(0) { try $0 + (store.objects.byteCount(of: $1) ?? 0) }
            return Unclaimed(objects: Array(found), byteCount: byteCount)
        }
    }

    /// Puts their files aside, where they are kept for thirty days and a vault that is opened finds its own again.
    /// - Returns: how many files were moved.
    package func quarantine(_ unclaimed: Unclaimed) async throws -> Int {
        try await engine.threads.run { [store] in try store.quarantine(unclaimed.objects) }
    }
}
