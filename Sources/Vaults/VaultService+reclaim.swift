import Records
import Store

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
