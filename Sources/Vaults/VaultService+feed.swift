import Records
import Store

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
