package import Content
package import NIOCore
package import Records
import Store
import Synchronization
import Threads
package import Vault

/// The bytes of one request on their way into an upload: taken in piece by piece, sealed, written, and made durable at
/// their end. One request uses it.
///
/// - Of a resumable upload it writes the row with each run, and keeps what arrived when it breaks off. A newer request
///   for the same upload, a lock and a shutdown may end it at any moment, after which every call throws `uploadBusy`,
///   `sessionEnded` or `draining`, and `waitUntilEnded` returns.
/// - Of an upload in one piece (`Upload`) no row is written, and whatever goes wrong drops all of it. Nobody ends it from
///   outside: it asks for its place and for the vault before each step.
///
/// `@unchecked Sendable`: everything that changes is touched only by whoever holds `lock`.
package final class UploadRun: UploadWriter, @unchecked Sendable {
    private enum Phase {
        case running(SealingPipeline)
        case ended(VaultError)
        case finished(UploadStatus)
    }

    private let lock = AsyncLock()
    private let ended = OneTimeEvent()
    /// Why it is to end behind the step that runs.
    private let demanded = Mutex<VaultError?>(nil)
    private let session: any UploadOwner
    private let upload: UnfinishedUpload?
    private let body: UploadBody
    private var permit: UploadPermit?
    /// Of a resumable upload: kept as long as it writes, so that what arrived can be made durable when the session has
    /// let go of the vault.
    private var vault: OpenVault?
    /// Of an upload in one piece: where its room counts, since it stands in no list of the vault.
    private let claim: RoomClaim?
    private var phase: Phase
    /// Bytes of this request.
    private var receivedByteCount: UInt64 = 0
    /// Of them, in the run that is not durable yet.
    private var openByteCount: UInt64 = 0
    /// Up to which offset of the content there is room.
    private var coveredOffset: UInt64 = 0

    private init(
        _ upload: UnfinishedUpload, of vault: OpenVault?, _ body: UploadBody, session: any UploadOwner,
        lane: SealingLane, permit: UploadPermit, claim: RoomClaim?
    ) {
        self.upload = upload
        self.vault = vault
        self.body = body
        self.session = session
        self.permit = permit
        self.claim = claim
        phase = .running(
            SealingPipeline(lane: lane, threads: session.engine.threads, session: permit.visitor))
    }

    /// For what one request brings of a resumable upload.
    package convenience init(
        _ upload: UnfinishedUpload, of vault: OpenVault, _ body: UploadBody, session: any UploadOwner,
        lane: SealingLane, permit: UploadPermit
    ) {
        self.init(upload, of: vault, body, session: session, lane: lane, permit: permit, claim: nil)
        permit.whenGivingWay { [weak self] in
            Task { _ = await self?.end(.busy(retryAfter: UploadPermit.patience), keepingBytes: true) }
        }
    }

    /// For an upload in one piece. It holds no vault: a client that has fallen silent would keep its keys in memory.
    package convenience init(
        inOnePiece upload: UnfinishedUpload, _ body: UploadBody, session: any UploadOwner, lane: SealingLane,
        permit: UploadPermit, claim: RoomClaim
    ) {
        self.init(upload, of: nil, body, session: session, lane: lane, permit: permit, claim: claim)
        upload.begin(claim.reservation)
    }

    /// For an upload that is a photo already: takes no more bytes.
    package init(finished status: UploadStatus, session: any UploadOwner) {
        upload = nil
        vault = nil
        body = UploadBody()
        self.session = session
        permit = nil
        claim = nil
        phase = .finished(status)
        ended.happen()
    }

    deinit {
        // Whoever took a run and never ended it.
        guard case .running(let pipeline) = phase, let upload, upload.isResumable else { return }
        // Another one may begin at once, in the same file.
        pipeline.lane.staged.release()
        upload.endRoom()
        forgetIfUntold(upload)
    }

    /// Nobody was told of it, and nothing of it is on disk.
    private func forgetIfUntold(_ upload: UnfinishedUpload) {
        if !upload.isStored, !upload.isOnlyAnnounced { vault?.owner.uploads.remove(upload) }
    }

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `lengthMismatch` for more bytes than announced, `fileTooLarge`, `checksumTooLong`, `uploadBusy` once a
    ///   newer request took the upload over, `busy` once its place was needed for somebody who has fewer,
    ///   `sessionEnded`, `vaultFull`, `guestFull`, `diskFull`, `degraded`; and the same again from then on.
    package func append(_ bytes: ByteBuffer) async throws {
        await lock.acquire()
        defer { lock.release() }
        switch phase {
        case .ended(let error): throw error
        case .finished: if bytes.readableBytes > 0 { throw VaultError.lengthMismatch }
        case .running(let pipeline):
            try await ending(pipeline) { try await take(bytes, pipeline) }
            // Whoever asked for it may have lost patience, and the next bytes may never come.
            guard let reason = demanded.withLock({ $0 }) else { return }
            await close(pipeline, reason)
            throw reason
        }
    }

    /// Returns when it has ended, whoever ended it, or when the task is cancelled: so a request that waits for bytes
    /// of a silent client need not wait any longer. `finish` then tells how it ended.
    package func waitUntilEnded() async { await ended.wait() }

    /// The body ended as it should. Returns once what it brought is on disk; with the last byte the upload becomes a
    /// photo.
    /// - Throws: `checksumMismatch`, and nothing of this request is kept; otherwise as `append`.
    package func finish() async throws -> UploadStatus {
        await lock.acquire()
        defer { lock.release() }
        switch phase {
        case .ended(let error): throw error
        case .finished(let status): return status
        case .running(let pipeline): return try await ending(pipeline) { try await complete(pipeline) }
        }
    }

    /// The body broke off. What arrived of a resumable upload is kept, unless a digest was announced. Does nothing after
    /// `finish`, and is also to be called when `append` or `finish` threw.
    package func abandon() async {
        await lock.acquire()
        defer { lock.release() }
        guard case .running(let pipeline) = phase else { return }
        await close(pipeline, .uploadBusy)
    }

    /// Ends it for a newer request, with its session, or with the daemon. What arrived is kept, unless a digest was
    /// announced, or nobody wants it.
    /// - Returns: false when the disk does not come to an end in time; it then ends when it does.
    package func end(_ reason: VaultError, keepingBytes: Bool) async -> Bool {
        demanded.withLock { $0 = $0 ?? reason }
        guard await lock.acquireDespiteCancellation(within: session.engine.limits.takeoverPatience) else {
            return false
        }
        defer { lock.release() }
        guard case .running(let pipeline) = phase else { return true }
        if keepingBytes { await close(pipeline, reason) } else { await drop(pipeline, reason) }
        return true
    }

    // MARK: Steps, each by whoever holds the lock

    /// An error ends the run. Where the session ended, or no room is left, what arrived of a resumable upload is kept;
    /// anything else drops what is not durable yet.
    private func ending<R>(_ pipeline: SealingPipeline, _ step: () async throws -> R) async throws -> R {
        do {
            return try await step()
        } catch {
            let error = VaultError(error)
            if case .running = phase {
                let isKept = error == .sessionEnded || (error.isForWantOfRoom && error != .diskFull)
                if isKept { await close(pipeline, error) } else { await drop(pipeline, error) }
            }
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer, _ pipeline: SealingPipeline) async throws {
        let upload = try requireUpload()
        if !upload.isResumable { try permit?.requirePlace() }
        try session.following.touch()
        let vault = try requireVault()
        let count = UInt64(bytes.readableBytes)
        try requireFitting(count, upload)
        receivedByteCount += count
        permit?.note(bytes.readableBytes)
        claim?.follow(to: vault.owner)
        try await makeRoom(for: openByteCount + count, upload, vault)
        var rest = bytes
        while rest.readableBytes > 0 {
            let limit = runByteLimit(upload) - openByteCount
            let part = rest.readSlice(length: Int(clamping: min(limit, UInt64(rest.readableBytes)))) ?? ByteBuffer()
            openByteCount += UInt64(part.readableBytes)
            try await pipeline.append(part)
            if openByteCount == runByteLimit(upload), !isWhole(upload) {
                let commit = UploadCommit(upload, vault)
                try await commit.store(try await closeRun(pipeline, upload).run, pipeline.lane)
                try await commit.goOn(pipeline.lane)
            }
        }
    }

    /// - Throws: `fileTooLarge`, `lengthMismatch`, `checksumTooLong`.
    private func requireFitting(_ count: UInt64, _ upload: UnfinishedUpload) throws {
        let limit = session.engine.limits.fileByteCount
        // Of a resumable upload that was asked when it was made.
        if !upload.isResumable, receivedByteCount + count > limit { throw VaultError.fileTooLarge(limit: limit) }
        let room = upload.record.byteCount - upload.record.offset - openByteCount
        guard count <= min(room, (body.byteCount ?? .max) - receivedByteCount) else { throw VaultError.lengthMismatch }
        if body.digest != nil, receivedByteCount + count > ExpectedDigest.requestByteLimit {
            throw VaultError.checksumTooLong
        }
    }

    /// - Parameter byteCount: of the content, beyond what is durable.
    private func makeRoom(for byteCount: UInt64, _ upload: UnfinishedUpload, _ vault: OpenVault) async throws {
        let record = upload.record
        guard record.offset + byteCount > coveredOffset, let room = upload.room else { return }
        let wished = record.offset + min(byteCount + UploadEngine.roomAhead, record.byteCount - record.offset)
        let end = try await session.engine.coverAtDoor(room, record.offset + byteCount, ahead: wished, in: vault.owner)
        try await session.engine.cover(
            room, upload.objectByteCount(upTo: record.offset + byteCount), ahead: upload.objectByteCount(upTo: end),
            in: vault.owner)
        coveredOffset = room.byteCount < upload.objectByteCount(upTo: end) ? record.offset + byteCount : end
    }

    private func complete(_ pipeline: SealingPipeline) async throws -> UploadStatus {
        let upload = try requireUpload()
        if upload.isResumable {
            try session.following.touch()
        } else {
            // The end of a body that a cancelled task saw may be no end.
            try Task.checkCancellation()
        }
        if let announced = body.byteCount, announced != receivedByteCount { throw VaultError.lengthMismatch }
        if !upload.isResumable { upload.end(at: receivedByteCount) }
        let status = try await makeDurable(pipeline, upload)
        leave(.finished(status))
        return status
    }

    /// Closes the run and stores it: in the upload's row, or, with the last byte, as a photo.
    private func makeDurable(_ pipeline: SealingPipeline, _ upload: UnfinishedUpload) async throws -> UploadStatus {
        let isWhole = isWhole(upload)
        guard openByteCount > 0 || isWhole else {
            _ = try requireDigest(pipeline.lane)
            await pipeline.discard()
            // A creation whose body brought nothing is still a creation.
            if !upload.isStored { try await UploadCommit(upload, try requireVault()).store() }
            return session.status(of: upload)
        }
        let (run, wait) = try await closeRun(pipeline, upload)
        let digest = try requireDigest(pipeline.lane)
        // Only here: what comes in one piece is refused when its vault was locked while the run was closed.
        let commit = UploadCommit(upload, try requireVault())
        guard isWhole else {
            try await commit.store(run, pipeline.lane)
            await pipeline.discard()
            return session.status(of: upload)
        }
        let isAll = upload.record.runs.isEmpty
        let outcome = try await commit.finish(run, pipeline.lane, wait: wait, contentDigest: isAll ? digest : nil)
        return session.status(of: upload, outcome)
    }

    /// - Returns: SHA-256 of this request's bytes, if it was computed.
    /// - Throws: `checksumMismatch`.
    private func requireDigest(_ lane: SealingLane) throws -> [UInt8]? {
        let found = try lane.takeDigest()
        switch body.digest {
        case .sha256(let expected):
            guard found == expected else { throw VaultError.checksumMismatch }
            return found
        case .sha1(let expected):
            guard found == expected else { throw VaultError.checksumMismatch }
            return nil
        case nil: return found
        }
    }

    private func close(_ pipeline: SealingPipeline, _ reason: VaultError) async {
        guard let upload, upload.isResumable, body.digest == nil, openByteCount > 0 else {
            return await drop(pipeline, reason)
        }
        do {
            let status = try await makeDurable(pipeline, upload)
            leave(status.photo == nil ? .ended(reason) : .finished(status))
        } catch {
            await drop(pipeline, reason)
        }
    }

    private func drop(_ pipeline: SealingPipeline, _ reason: VaultError) async {
        // A row that may list what was written must find it.
        if upload?.isDoubtful == true { await pipeline.release() } else { await pipeline.discard() }
        if let upload { forgetIfUntold(upload) }
        leave(.ended(reason))
    }

    private func leave(_ phase: Phase) {
        self.phase = phase
        vault = nil
        upload?.setWriter(nil)
        claim?.release()
        session.forget(self)
        session.following.forget(self)
        permit = nil
        ended.happen()
    }

    // MARK: Facts

    private func requireUpload() throws -> UnfinishedUpload {
        guard let upload else { throw VaultError.internalFailure("bytes for an upload that is a photo already") }
        return upload
    }

    /// - Throws: `sessionEnded` for an upload in one piece.
    private func requireVault() throws -> OpenVault { try vault ?? session.following.requireVault() }

    private func isWhole(_ upload: UnfinishedUpload) -> Bool {
        upload.record.offset + openByteCount == upload.record.byteCount
    }

    /// What is taken whole or not at all is one run: a request with a digest, and a photo in one piece.
    private func runByteLimit(_ upload: UnfinishedUpload) -> UInt64 {
        guard upload.isResumable, body.digest == nil else { return .max }
        return RunBoundary.runByteLimit(ofContent: upload.record.byteCount)
    }

    // MARK: The end of a run

    /// - Returns: also what waits for the disk, where the rows of the photo are made while it is at the last bytes.
    private func closeRun(
        _ pipeline: SealingPipeline, _ upload: UnfinishedUpload
    ) async throws -> (run: PhotoRecord.Run, wait: (@Sendable () throws -> Void)?) {
        let (run, wait): (PhotoRecord.Run, (@Sendable () throws -> Void)?)
        // What may say something of photos is read there at once.
        if !upload.isResumable, !upload.record.maySaySomething,
            pipeline.mayLedgerWait(for: openByteCount, uploadsInFlight: session.engine.uploadsInFlight)
        {
            (run, wait) = try await pipeline.beginClosing(endOf: openByteCount)
        } else {
            run = try await pipeline.closeRun(endOf: isWhole(upload) ? upload.record.byteCount : nil)
            wait = nil
        }
        // It can be stored or dropped now, but not gone on with.
        openByteCount = 0
        return (run, wait)
    }
}
