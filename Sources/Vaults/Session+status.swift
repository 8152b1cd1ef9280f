import FoundationEssentials
package import Records
package import Releases
import Store
import Uploads
package import Vault

/// Where uploads stand, as the outside sees it.
extension Session {
    func status(of upload: UnfinishedUpload) -> UploadStatus {
        let record = upload.record
        return UploadStatus(
            id: record.id.text, offset: record.offset, byteCount: record.byteCount, metadata: record.metadata,
            expires: upload.isOnlyAnnounced ? end(of: upload) : Self.end(of: upload.expiresDay), photo: nil,
            isDuplicate: false)
    }

    /// When an upload goes that was only announced.
    private func end(of upload: UnfinishedUpload) -> Date {
        let age = upload.announcedAt.map { ContinuousClock.now - $0 } ?? .zero
        return Date(timeIntervalSinceNow: (engine.limits.announcementPatience - age) / .seconds(1))
    }

    func status(of upload: UnfinishedUpload, _ outcome: Arrival.Outcome) -> UploadStatus {
        let record = upload.record
        return UploadStatus(
            id: record.id.text, offset: record.byteCount, byteCount: record.byteCount,
            expires: Self.end(of: upload.expiresDay), photo: photo(outcome), isDuplicate: outcome.isDuplicate)
    }

    func status(of finished: FinishedUpload) -> UploadStatus {
        var photo = photo(finished.photo)
        photo.isDuplicate = finished.isDuplicate ? true : nil
        return UploadStatus(
            id: finished.id.text, offset: photo.byteCount, byteCount: photo.byteCount,
            expires: Self.end(of: finished.expiresDay), photo: photo, isDuplicate: finished.isDuplicate)
    }

    /// - Throws: `noSuchUpload`.
    func finishedStatus(_ id: UploadID, of vault: OpenVault) async throws -> UploadStatus {
        guard let finished = try await vault.library.finished(id, today: vault.store.today) else {
            throw VaultError.noSuchUpload
        }
        return status(of: finished)
    }

    private static func end(of day: UInt32) -> Date {
        Date(timeIntervalSince1970: (Double(day) + 1) * 86_400)
    }
}

extension Session {
    /// Tells the other sessions of the vault how far this one's page is with sending. Counts as use.
    /// - Throws: `sessionEnded`.
    package func note(_ report: SendingReport) throws(VaultError) {
        let vault = try requireVault()
        vault.sendings.note(report, of: ObjectIdentifier(self), at: now())
    }

    /// What other sessions send. Asking does not count as use of the session.
    package var sendingElsewhere: [SendingReport] {
        openVault?.sendings.others(than: ObjectIdentifier(self), at: now()) ?? []
    }

    /// Another one than before when photos came, went, or are known better; nil once it is over. Asking does not
    /// count as use of the session.
    package var listingNumber: UInt64? { openVault?.library.listingNumber }
}

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

extension Session {
    /// Room is told in whole steps of this: the byte that is free would count what others send.
    private static let freeStep: UInt64 = 100_000_000

    /// What this vault has on the disk, and how much more there is room for.
    /// - Throws: `vaultNeeded`.
    package func storage() async throws -> VaultStorage {
        let vault = try requireVault()
        guard !vault.isGuest else { throw VaultError.vaultNeeded }
        let (photos, trash) = try await vault.library.storage()
        let free = try await engine.threads.run { [engine] in try engine.lookAtDisk().roomByteCount }
        return VaultStorage(
            photos: photos, trash: trash, freeByteCount: free / Self.freeStep * Self.freeStep,
            withoutWords: await vault.readsWords ? try await vault.library.unreadCount() : nil)
    }
}

package struct VaultStorage: Sendable {
    package let photos: StoredPhotos
    package let trash: StoredPhotos
    package let freeByteCount: UInt64
    /// Photos in whose pictures nobody has looked for words yet; nil where nobody does.
    package let withoutWords: Int?
}
