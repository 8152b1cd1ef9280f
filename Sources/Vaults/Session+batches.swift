package import Records
import Store
import Vault

extension Session {
    /// What belongs together, and its receipt.
    package var batches: Batches { Batches(session: self) }

    /// Photos that were chosen together.
    package struct Batches: Sendable {
        private static let receiptPartCount = 1000
        let session: Session

        /// - Returns: the id of a new batch, 22 characters of base64url. It is kept for seven days; where there are many of
        ///   which nothing came, the oldest of these gives way.
        /// - Throws: `guestFull`.
        package func create() async throws -> String {
            try await translating {
                let vault = try session.requireWritableVault()
                try await vault.makePlaceForBatch()
                try vault.requireRoomAsGuest(for: GuestDiskUsage.leastByteCountPerRow)
                let record = BatchRecord(id: try BatchID(), expiresDay: vault.store.firstDay + BatchRecord.days)
                try await vault.change { try $0.add(record) }
                return record.id.text
            }
        }

        /// Declares that no further upload will name it; repeating it changes nothing.
        /// - Throws: `noSuchBatch`.
        package func finish(_ id: String) async throws -> BatchStatus {
            try await translating {
                let vault = try session.requireWritableVault()
                let entry = try await entry(id, in: vault)
                if !entry.record.isFinished { try await vault.change { try $0.finish(entry) } }
                return try await status(of: entry.record.id, isFinished: true, in: vault)
            }
        }

        /// Says how far the batch is. Asking does not count as use of the session.
        /// - Throws: `noSuchBatch`.
        package func status(of id: String) async throws -> BatchStatus {
            try await translating {
                guard session.isOpen, let vault = session.openVault else { throw VaultError.sessionEnded }
                let entry = try await entry(id, in: vault)
                return try await status(of: entry.record.id, isFinished: entry.record.isFinished, in: vault)
            }
        }

        /// Hands out what was read back, in the order of arrival, in parts.
        /// - Throws: `noSuchBatch`; `sessionEnded` also between two parts.
        package func receipt(of text: String, _ body: ([ReceiptLine]) async throws -> Void) async throws {
            var place: ReceiptPlace?
            repeat {
                let part = try await translating { [place] in
                    guard session.isOpen, let vault = session.openVault else { throw VaultError.sessionEnded }
                    guard let id = BatchID(text: text) else { throw VaultError.noSuchBatch }
                    return try await vault.library.receipt(of: id, behind: place, atMost: Self.receiptPartCount)
                }
                try await body(part.lines)
                place = part.end
            } while place != nil
        }

        private func entry(_ text: String, in vault: OpenVault) async throws -> BatchEntry {
            guard let id = BatchID(text: text), let entry = try await vault.library.batch(id, today: vault.store.today)
            else { throw VaultError.noSuchBatch }
            return entry
        }

        private func status(of id: BatchID, isFinished: Bool, in vault: OpenVault) async throws -> BatchStatus {
            // First: one that finishes in between is then counted as under way, not left out.
            let underWay = vault.uploads.all.count { $0.record.batch == id }
            let tally = try await vault.library.tally(of: id)
            let isDone = isFinished && tally.verified + tally.damaged == tally.saved + tally.duplicates
            var status = BatchStatus(
                id: id.text, total: tally.saved + tally.duplicates + underWay, saved: tally.saved,
                duplicates: tally.duplicates, failed: tally.damaged + (isFinished ? underWay : 0),
                verified: tally.verified, isFinished: isFinished, isDone: isDone)
            status.movingIn = try await vault.library.movingIn(of: id)
            return status
        }
    }
}
