package import Content
package import NIOCore
package import Records
import Store
import Synchronization
import Threads
package import Vault

/// The bytes of one request on their way into an upload. One request uses it; a newer request for the same upload, a
/// lock and a shutdown may end it at any moment, after which every call throws `uploadBusy`, `sessionEnded` or
/// `draining`, and `waitUntilEnded` returns.
///
/// `@unchecked Sendable`: everything that changes is touched only by whoever holds `turn`.
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
    /// Kept as long as it writes, so that what arrived can be made durable when the session has let go of the vault.
    private var vault: OpenVault?
    private var phase: Phase
    /// Bytes of this request.
    private var receivedByteCount: UInt64 = 0
    /// Of them, in the run that is not durable yet.
    private var openByteCount: UInt64 = 0
    /// Up to which offset of the content there is room.
    private var coveredOffset: UInt64 = 0

    package init(
        _ upload: UnfinishedUpload, of vault: OpenVault, _ body: UploadBody, session: any UploadOwner,
        lane: SealingLane,
        permit: UploadPermit
    ) {
        self.upload = upload
        self.vault = vault
        self.body = body
        self.session = session
        self.permit = permit
        phase = .running(
            SealingPipeline(lane: lane, threads: session.engine.threads, session: permit.visitor))
        permit.whenGivingWay { [weak self] in
            Task { _ = await self?.end(.busy(retryAfter: UploadPermit.patience), keepingBytes: true) }
        }
    }

    /// For an upload that is a photo already: takes no more bytes.
    package init(finished status: UploadStatus, session: any UploadOwner) {
        upload = nil
        vault = nil
        body = UploadBody()
        self.session = session
        permit = nil
        phase = .finished(status)
        ended.happen()
    }

    deinit {
        // Whoever took a run and never ended it.
        guard case .running(let pipeline) = phase, let upload else { return }
        // Another one may begin at once, in the same file.
        pipeline.lane.staged.release()
        upload.endRoom()
        if !upload.isStored, !upload.isOnlyAnnounced { vault?.owner.uploads.remove(upload) }
    }

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `lengthMismatch` for more bytes than announced, `checksumTooLong`, `uploadBusy` once a newer request
    ///   took the upload over, `busy` once its place was needed for somebody who has fewer, `sessionEnded`,
    ///   `vaultFull`, `guestFull`, `diskFull`, `degraded`; and the same again from then on.
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

    /// The body broke off. What arrived is kept, unless a digest was announced. Does nothing after `finish`, and is
    /// also to be called when `append` or `finish` threw.
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

    // MARK: Steps, each by whoever holds the turn

    /// An error ends the run. Where the session ended, or no room is left, what arrived is kept; anything else drops what
    /// is not durable yet.
    private func ending<R>(_ pipeline: SealingPipeline, _ step: () async throws -> R) async throws -> R {
        do {
            return try await step()
        } catch {
            let error = VaultError(error)
            if case .running = phase {
                let isKept = error == .sessionEnded || error == .vaultFull || error == .guestFull
                if isKept { await close(pipeline, error) } else { await drop(pipeline, error) }
            }
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer, _ pipeline: SealingPipeline) async throws {
        try session.following.touch()
        let (upload, vault) = try parts()
        let count = UInt64(bytes.readableBytes)
        let room = upload.record.byteCount - upload.record.offset - openByteCount
        guard count <= min(room, (body.byteCount ?? .max) - receivedByteCount) else { throw VaultError.lengthMismatch }
        if body.digest != nil, receivedByteCount + count > ExpectedDigest.requestByteLimit {
            throw VaultError.checksumTooLong
        }
        receivedByteCount += count
        permit?.note(bytes.readableBytes)
        try await makeRoom(for: openByteCount + count, upload, vault)
        var rest = bytes
        while rest.readableBytes > 0 {
            let limit = runByteLimit(upload) - openByteCount
            let part = rest.readSlice(length: Int(clamping: min(limit, UInt64(rest.readableBytes)))) ?? ByteBuffer()
            openByteCount += UInt64(part.readableBytes)
            try await pipeline.append(part)
            if openByteCount == runByteLimit(upload), !isWhole(upload) {
                let commit = UploadCommit(upload, vault)
                try await commit.store(try await run(of: pipeline, upload), pipeline.lane)
                try await commit.goOn(pipeline.lane)
            }
        }
    }

    /// - Parameter byteCount: of the content, beyond what is durable.
    private func makeRoom(for byteCount: UInt64, _ upload: UnfinishedUpload, _ vault: OpenVault) async throws {
        let record = upload.record
        guard record.offset + byteCount > coveredOffset, let room = upload.room else { return }
        let end = record.offset + min(byteCount + UploadEngine.roomAhead, record.byteCount - record.offset)
        try await session.engine.cover(
            room, upload.objectByteCount(upTo: record.offset + byteCount), ahead: upload.objectByteCount(upTo: end),
            in: vault.owner)
        coveredOffset = room.byteCount < upload.objectByteCount(upTo: end) ? record.offset + byteCount : end
    }

    private func complete(_ pipeline: SealingPipeline) async throws -> UploadStatus {
        try session.following.touch()
        let (upload, vault) = try parts()
        if let announced = body.byteCount, announced != receivedByteCount { throw VaultError.lengthMismatch }
        let status = try await makeDurable(pipeline, upload, vault)
        leave(.finished(status))
        return status
    }

    /// Closes the run and stores it: in the upload's row, or, with the last byte, as a photo.
    private func makeDurable(
        _ pipeline: SealingPipeline, _ upload: UnfinishedUpload, _ vault: OpenVault
    ) async throws -> UploadStatus {
        let commit = UploadCommit(upload, vault)
        let isWhole = isWhole(upload)
        guard openByteCount > 0 || isWhole else {
            _ = try requireDigest(pipeline.lane)
            await pipeline.discard()
            // A creation whose body brought nothing is still a creation.
            if !upload.isStored { try await commit.store() }
            return session.status(of: upload)
        }
        let run = try await run(of: pipeline, upload)
        let digest = try requireDigest(pipeline.lane)
        guard isWhole else {
            try await commit.store(run, pipeline.lane)
            await pipeline.discard()
            return session.status(of: upload)
        }
        let isAll = upload.record.runs.isEmpty
        let outcome = try await commit.finish(run, pipeline.lane, contentDigest: isAll ? digest : nil)
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
        guard body.digest == nil, openByteCount > 0, let (upload, vault) = try? parts() else {
            return await drop(pipeline, reason)
        }
        do {
            let status = try await makeDurable(pipeline, upload, vault)
            leave(status.photo == nil ? .ended(reason) : .finished(status))
        } catch {
            await drop(pipeline, reason)
        }
    }

    private func drop(_ pipeline: SealingPipeline, _ reason: VaultError) async {
        // A row that may list what was written must find it.
        if upload?.isDoubtful == true { await pipeline.release() } else { await pipeline.discard() }
        if let upload {
            // Nobody was told of it, and nothing of it is on disk.
            if !upload.isStored, !upload.isOnlyAnnounced { vault?.owner.uploads.remove(upload) }
        }
        leave(.ended(reason))
    }

    private func leave(_ phase: Phase) {
        self.phase = phase
        vault = nil
        upload?.setWriter(nil)
        session.forget(self)
        session.following.forget(self)
        permit = nil
        ended.happen()
    }

    // MARK: Facts

    private func parts() throws -> (UnfinishedUpload, OpenVault) {
        guard let upload, let vault else { throw VaultError.internalFailure("an upload without its vault") }
        return (upload, vault)
    }

    private func isWhole(_ upload: UnfinishedUpload) -> Bool {
        upload.record.offset + openByteCount == upload.record.byteCount
    }

    /// A request with a digest is one run, which is taken whole or not at all.
    private func runByteLimit(_ upload: UnfinishedUpload) -> UInt64 {
        body.digest == nil ? RunBoundary.runByteLimit(ofContent: upload.record.byteCount) : .max
    }

    private func run(of pipeline: SealingPipeline, _ upload: UnfinishedUpload) async throws -> PhotoRecord.Run {
        let run = try await pipeline.closeRun(endOf: isWhole(upload) ? upload.record.byteCount : nil)
        // It can be stored or dropped now, but not gone on with.
        openByteCount = 0
        return run
    }
}
