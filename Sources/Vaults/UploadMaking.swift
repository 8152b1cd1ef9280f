import Records
import Sealing
import Store
import Uploads
import Vault

/// One creation: finds what the same one made before, or makes it.
struct UploadMaking {
    let session: Session
    let vault: OpenVault
    let request: UploadRequest
    /// Nil for a client without an id: then every creation is a new one.
    let creation: CreationKey?
    let batch: BatchID?
    let body: UploadBody?

    /// Nil when there is none.
    func find() async throws -> UploadCreation? {
        guard let creation else { return nil }
        if let finished = try await vault.library.finished(creation, today: vault.store.today) {
            return UploadCreation(status: session.status(of: finished), isNew: false, run: nil)
        }
        guard let upload = vault.uploads[creation] else { return nil }
        do {
            return try await session.uploads.takingOver(upload, of: vault) {
                let mustBegin = body != nil && upload.record.offset == 0
                let run = mustBegin ? try await session.uploads.begin(upload, of: vault, body ?? UploadBody()) : nil
                return UploadCreation(status: session.status(of: upload), isNew: false, run: run)
            }
        } catch VaultError.uploadGone {
            return nil
        }
    }

    /// Nil when another request with the same client id was faster.
    func make() async throws -> UploadCreation? {
        vault.forgetAnnounced(makingRoom: true)
        if request.isToldFirst { await removeLost() }
        try await session.engine.requireDoorRoom(forAnnounced: request.byteCount, in: vault)
        try await session.engine.requireRoom(
            forAnnounced: ObjectSize.ofOneRun(content: request.byteCount), in: vault)
        guard vault.uploads.count < vault.mostUploads else { throw VaultError.busy(retryAfter: .seconds(60)) }
        let upload = try makeUpload()
        // Nobody else can know it yet.
        await upload.lock.acquire()
        defer { upload.lock.release() }
        guard vault.uploads.add(upload) else { return nil }
        do {
            if let creation, try await vault.library.finished(creation, today: vault.store.today) != nil {
                vault.uploads.remove(upload)
                return nil
            }
            return try await begin(upload)
        } catch {
            if !upload.isStored { vault.uploads.remove(upload) }
            throw error
        }
    }

    private func begin(_ upload: UnfinishedUpload) async throws -> UploadCreation {
        if body == nil, request.byteCount > 0 {
            // What a guest announces costs the disk nothing.
            if upload.isOnlyAnnounced {
                return UploadCreation(status: session.status(of: upload), isNew: true, run: nil)
            }
            try await UploadCommit(upload, vault).store()
            return UploadCreation(status: session.status(of: upload), isNew: true, run: nil)
        }
        if request.isToldFirst { try await UploadCommit(upload, vault).store() }
        let run = try await session.uploads.begin(upload, of: vault, body ?? UploadBody())
        guard body == nil else {
            return UploadCreation(status: session.status(of: upload), isNew: true, run: run)
        }
        return UploadCreation(status: try await run.finish(), isNew: true, run: nil)
    }

    /// Those of the same file whose address their client has lost, or it would go on with them. Each would keep its bytes
    /// for days. What cannot be removed now goes after them.
    private func removeLost() async {
        for upload in vault.uploads.all where upload.isStored && upload.creation == nil && upload.writer == nil {
            let record = upload.record
            guard record.name == request.name, record.byteCount == request.byteCount,
                record.metadata == request.metadata, !record.isComplete
            else { continue }
            _ = try? await session.uploads.takingOver(upload, of: vault, for: .removal) {
                try await UploadCommit(upload, vault).remove()
            }
        }
    }

    private func makeUpload() throws -> UnfinishedUpload {
        let record = UploadRecord(
            id: try UploadID(), creation: creation, byteCount: request.byteCount, name: request.name,
            modifiedAt: request.lastModified.map(Milliseconds.from), batch: batch, metadata: request.metadata,
            taken: request.taken, album: request.album,
            path: Session.Uploads.path(request.path))
        return try UnfinishedUpload(
            record, fileKey: SharedSecret(try SecretBytes(random: 32)),
            expiresDay: vault.store.firstDay + UploadRecord.days, isStored: false,
            announcedAt: vault.isGuest && body == nil ? .now : nil)
    }
}
