package import Records
package import Sealing
package import Store

extension OpenVault {
    /// Makes a photo of content that is whole; durable on return.
    /// - Parameter object: of the photo, where it has no name yet.
    package func take(_ arrival: Arrival, object: ArrivingObject? = nil) async throws -> Arrival.Outcome {
        let outcome = try await change(object: object, followsMove: true) { try $0.take(arrival) }
        if !outcome.isDuplicate, let door { engine.guestAdmission.noteGift(outcome.photo.byteCount, at: door) }
        if outcome.isDuplicate { await reap() } else { owner.wakeWorkers() }
        return outcome
    }

    /// Unlinks what was doomed. What cannot be unlinked now goes at the next start.
    package func reap() async {
        _ = try? await engine.threads.run { [store] in try store.reapDoomed() }
    }

    // MARK: What was only announced

    /// Unfinished uploads that it may have. Each of a guest's that bytes came for has a row on disk.
    package var mostUploads: Int { isGuest ? engine.limits.guestUnfinishedUploads : engine.limits.unfinishedUploads }

    /// Forgets what nothing came of in time; of guests only, for a vault's stand on disk for their days.
    /// - Parameter makingRoom: for one more.
    package func forgetAnnounced(makingRoom: Bool = false) {
        guard isGuest else { return }
        let most = engine.limits.announcedUploads
        uploads.forgetAnnounced(after: engine.limits.announcementPatience, keeping: makingRoom ? most - 1 : most)
    }

    // MARK: Rows of unfinished uploads

    /// Runs `body` in a grouped commit, without the vault's head, which says nothing of unfinished uploads. It gets
    /// whoever owns the upload by then.
    package func changeUploads(
        object: ArrivingObject? = nil, mayUseReserve: Bool = false,
        _ body: @escaping @Sendable (OpenVault, LedgerTransaction, ObjectID?) throws -> Void
    ) async throws {
        try requireWriting(followsMove: true)
        try await store.ledger.commit(
            LedgerChange(object: object, mayUseReserve: mayUseReserve) { [self] transaction, id in
                try body(try owner(in: transaction, followsMove: true), transaction, id)
            })
    }

    package func sealUpload(_ record: UploadRecord, fileKey: SharedSecret, id: RowID) throws -> [UInt8] {
        try withCodec { try $0.sealUpload(record, fileKey: fileKey, id: id) }
    }

    /// Nil for somebody else's.
    package func openUpload(_ body: UnsafeRawBufferPointer, id: RowID) throws -> (UploadRecord, SharedSecret)? {
        try withCodec { try $0.openUpload(body, id: id) }
    }
}
