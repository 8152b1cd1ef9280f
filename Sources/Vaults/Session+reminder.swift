import Records
package import Releases
import Store
import Vault

extension Session {
    /// Whether whoever is done in this vault is to be told of `version` now: at most once in 15 days, and not of one
    /// that was skipped. When it is true, that is on disk: who asks again hears false.
    /// - Throws: `sessionEnded`, `vaultNeeded` for a guest, and what keeps the vault from being written to.
    package func takeReminder(of version: SemanticVersion) async throws -> Bool {
        try await translating {
            let vault = try requireReminding()
            guard vault.head.reminder.isDue(version, today: vault.store.today) else { return false }
            return try await vault.change { change in
                let today = change.vault.store.today
                guard change.draft.head.reminder.isDue(version, today: today) else { return false }
                change.draft.head.reminder.day = today
                return true
            }
        }
    }

    /// From now on this vault hears of versions after `version` only.
    /// - Throws: as above.
    package func skip(_ version: SemanticVersion) async throws {
        try await translating {
            try await requireReminding().change { change in
                let skipped = change.draft.head.reminder.skipped
                change.draft.head.reminder.skipped = max(skipped ?? version, version)
            }
        }
    }

    private func requireReminding() throws -> OpenVault {
        guard kind == .vault else { throw VaultError.vaultNeeded }
        return try requireWritableVault()
    }
}
