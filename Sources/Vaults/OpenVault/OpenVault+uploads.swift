import Sealing
import Store

extension OpenVault {
    /// Makes a photo of content that is whole; durable on return.
    /// - Parameters:
    ///   - staged: its object, where it has no name yet.
    ///   - whenStaged: waits for it, where it is not synced yet. Blocking.
    func take(
        _ arrival: Arrival, staged: StagedObject? = nil, whenStaged: (@Sendable () throws -> Void)? = nil
    ) async throws -> Arrival.Outcome {
        let outcome = try await change(staged: staged, whenStaged: whenStaged, followsMove: true) {
            try $0.take(arrival)
        }
        if outcome.isDuplicate { await reap() } else { owner.wakeWorkers() }
        return outcome
    }

    /// Unlinks what was doomed. What cannot be unlinked now goes at the next start.
    func reap() async {
        _ = try? await engine.run { [store] in try store.reapDoomed() }
    }

    // MARK: Rows of unfinished uploads

    /// Runs `body` in a grouped commit, without the vault's head, which says nothing of unfinished uploads. It gets
    /// whoever owns the upload by then.
    func changeUploads(
        staged: StagedObject? = nil, mayUseReserve: Bool = false,
        _ body: @escaping @Sendable (OpenVault, LedgerTransaction, ObjectID?) throws -> Void
    ) async throws {
        try requireWriting(false, true)
        try await store.ledger.commit(
            LedgerChange(staged: staged, mayUseReserve: mayUseReserve) { [self] transaction, object in
                try body(try owner(in: transaction, false, true), transaction, object)
            })
    }

    func sealUpload(_ record: UploadRecord, fileKey: SharedSecret, id: RowID) throws -> [UInt8] {
        try withCodec { try $0.sealUpload(record, fileKey: fileKey, id: id) }
    }

    /// Nil for somebody else's.
    func openUpload(_ body: UnsafeRawBufferPointer, id: RowID) throws -> (UploadRecord, SharedSecret)? {
        try withCodec { try $0.openUpload(body, id: id) }
    }
}
