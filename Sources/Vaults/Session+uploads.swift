import Content
import FoundationEssentials
package import Records
import Sealing
import Store
package import Uploads
import Vault

extension Session {
    /// Makes an upload, or finds the one that the same client id, name and size made before. Durable on return, unless
    /// `body` is given: then with the end of the returned run; or unless it is a guest's: then with its first bytes,
    /// which have to come soon.
    ///
    /// An upload of no bytes is a photo at once.
    /// - Throws: `nameInvalid`, `clientIDInvalid`, `metadataTooLong`, `noSuchBatch`, `fileTooLarge`, `vaultFull`,
    ///   `diskFull`, `checksumTooLong`, `lengthMismatch` for a body longer than the upload, `busy`, `degraded`, `readOnly`,
    ///   `sessionEnded`.
    package func createUpload(_ request: UploadRequest, body: UploadBody? = nil) async throws -> UploadCreation {
        try await translating {
            let vault = try requireWritableVault()
            try requireValid(name: request.name)
            guard request.metadata?.utf8.count ?? 0 <= UploadRequest.longestMetadata else {
                throw VaultError.metadataTooLong
            }
            try requireAllowed(byteCount: request.byteCount)
            if let body { try requireFitting(body, missing: request.byteCount) }
            let creation = UploadMaking(
                session: self, vault: vault, request: request, creation: try creationKey(request),
                batch: try await batchID(request.batch, in: vault), body: body)
            while true {
                if let found = try await creation.find() { return found }
                if let made = try await creation.make() { return made }
            }
        }
    }

    /// Where an upload stands. A request that still writes to it is ended first, so that the offset can be used.
    /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
    package func upload(_ id: String) async throws -> UploadStatus {
        try await translating {
            let (vault, id) = (try requireVault(), try uploadID(id))
            vault.forgetAnnounced()
            if let upload = vault.uploads[id],
                let status = try await takingOver(upload, of: vault, { status(of: upload) })
            {
                return status
            }
            return try await finishedStatus(id, of: vault)
        }
    }

    /// Takes an upload over: a request that still writes to it is ended first, and what it brought is kept, unless it
    /// announced a digest.
    /// - Throws: `noSuchUpload`, `uploadGone`, `offsetMismatch` with the right offset, `lengthMismatch` for a body
    ///   longer than what is missing, `checksumTooLong`, `uploadBusy` when the other request cannot be ended,
    ///   `busy`, `diskFull`, `degraded`, `readOnly`.
    package func continueUpload(_ id: String, at offset: UInt64, body: UploadBody = UploadBody()) async throws
        -> UploadRun
    {
        try await translating {
            let (vault, id) = (try requireWritableVault(), try uploadID(id))
            vault.forgetAnnounced()
            if let upload = vault.uploads[id],
                let run = try await takingOver(
                    upload, of: vault,
                    {
                        let record = upload.record
                        guard offset == record.offset else { throw VaultError.offsetMismatch(record.offset) }
                        try requireFitting(body, missing: record.byteCount - record.offset)
                        return try await begin(upload, of: vault, body)
                    })
            {
                return run
            }
            let status = try await finishedStatus(id, of: vault)
            guard offset == status.offset else { throw VaultError.offsetMismatch(status.offset) }
            try requireFitting(body, missing: 0)
            return UploadRun(finished: status, session: self)
        }
    }

    /// Throws an unfinished upload away. A finished one is only forgotten: its photo stays.
    /// - Throws: `noSuchUpload`, `uploadGone`, `uploadBusy`.
    package func removeUpload(_ id: String) async throws {
        try await translating {
            let (vault, id) = (try requireVault(), try uploadID(id))
            if let upload = vault.uploads[id],
                try await takingOver(
                    upload, of: vault, for: .removal, { try await UploadCommit(upload, vault).remove() })
                    != nil
            {
                return
            }
            guard let finished = try await vault.library.finished(id, today: vault.store.today) else {
                throw VaultError.noSuchUpload
            }
            _ = try await vault.update([finished.photo.serial], where: { _ in true }) { record in
                record.origins.removeAll { $0.upload == id }
            }
        }
    }

    // MARK: Taking over

    enum Purpose {
        case use
        /// What a request brings that still writes to it is not wanted.
        case removal
    }

    /// Runs `body` when nobody else writes to the upload, and nobody can begin.
    /// - Returns: nil when it is finished or removed by now.
    func takingOver<R>(
        _ upload: UnfinishedUpload, of vault: OpenVault, for purpose: Purpose = .use, _ body: () async throws -> R
    ) async throws -> R? {
        guard await upload.turn.take(within: engine.limits.takeoverPatience) else { throw VaultError.uploadBusy }
        defer { upload.turn.giveBack() }
        if let writer = upload.writer, await !writer.end(.uploadBusy, keepingBytes: purpose == .use) {
            throw VaultError.uploadBusy
        }
        guard !upload.isGone else { return nil }
        if !upload.isOnlyAnnounced {
            guard try await vault.store.ledger.read({ try $0.containsUpload(upload.rowID) }) else {
                vault.uploads.remove(upload)
                throw VaultError.uploadGone
            }
        }
        // What stands on disk must be known before bytes are cut off.
        if upload.isDoubtful, purpose == .use { try await UploadCommit(upload, vault).storeAgain() }
        return try await body()
    }

    /// For whoever holds the upload's turn.
    func begin(_ upload: UnfinishedUpload, of vault: OpenVault, _ body: UploadBody) async throws -> UploadRun {
        let ticket = try engine.admit(ObjectIdentifier(following), to: vault.owner)
        following.remember(ticket)
        let lane: SealingLane
        do {
            if Compaction.isDue(upload.record) { try await Compaction(upload: upload, vault: vault).run() }
            let demand = vault.demand(for: body, of: upload.record)
            let room = engine.room.promise(beyond: upload.storedByteCount)
            lane = try await engine.threads.run {
                try vault.store.reserve.requireRoom(for: body.byteCount ?? 0)
                return try SealingLane(
                    store: vault.store, start: upload.start, hashing: try ContentHashing(demand),
                    promise: room)
            }
            upload.begin(room)
        } catch VaultError.damaged {
            // The file of its bytes is gone or cut. Nothing of it can be used.
            try await UploadCommit(upload, vault).remove()
            throw VaultError.uploadGone
        }
        let run = UploadRun(upload, of: vault, body, session: self, lane: lane, ticket: ticket)
        upload.setWriter(run)
        remember(run)
        if following !== self { following.remember(run) }
        // Whoever ended all requests of this session a moment ago did not see this one.
        if let reason: VaultError = following.isEnded ? .sessionEnded : engine.isDraining ? .draining : nil {
            _ = await run.end(reason, keepingBytes: true)
            throw reason
        }
        return run
    }

    // MARK: What is asked

    func requireFitting(_ body: UploadBody, missing: UInt64) throws(VaultError) {
        guard let byteCount = body.byteCount else { return }
        guard byteCount <= missing else { throw .lengthMismatch }
        if body.digest != nil, byteCount > ExpectedDigest.requestByteLimit { throw .checksumTooLong }
    }

    private func creationKey(_ request: UploadRequest) throws -> CreationKey? {
        if let id = request.clientID, !(1...UploadRequest.longestClientID).contains(id.utf8.count) {
            throw VaultError.clientIDInvalid
        }
        return try CreationKey(request)
    }

    private func uploadID(_ text: String) throws(VaultError) -> UploadID {
        guard let id = UploadID(text: text) else { throw .noSuchUpload }
        return id
    }
}

extension OpenVault {
    /// What is to be hashed on the way: what the client asks for, else content that is likely to be there already.
    func demand(for body: UploadBody, of record: UploadRecord) -> ContentHashing.Demand {
        switch body.digest {
        case .sha256: .sha256
        case .sha1: .sha1
        case nil where record.runs.isEmpty && (body.byteCount ?? record.byteCount) == record.byteCount:
            demand(forContentOf: record.byteCount)
        case nil: .none
        }
    }

    func demand(forContentOf byteCount: UInt64?) -> ContentHashing.Demand {
        guard !isGuest, let byteCount, byteCount > 0 else { return .none }
        return .sha256IfLikely { [library] in
            try library.hasLikelyDuplicate(byteCount: byteCount, firstPartDigest: $0)
        }
    }
}
