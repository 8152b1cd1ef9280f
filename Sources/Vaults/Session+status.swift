import FoundationEssentials
package import Records
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
