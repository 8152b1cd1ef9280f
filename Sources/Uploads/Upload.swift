package import Content
import Media
package import NIOCore
package import Records
import Store
package import Vault

/// One photo on its way in, in one piece. Owned by its request's task. Dropping it leaves nothing on disk.
package final class Upload {
    /// What is known before the first byte.
    package struct Plan {
        package var name: String
        package var declaredByteCount: UInt64?
        /// Milliseconds since 1970 UTC.
        package var modifiedAt: UInt64?
        package var batch: BatchID?

        package init(name: String, declaredByteCount: UInt64? = nil, modifiedAt: UInt64? = nil, batch: BatchID? = nil) {
            self.name = name
            self.declaredByteCount = declaredByteCount
            self.modifiedAt = modifiedAt
            self.batch = batch
        }
    }

    private let session: any UploadOwner
    private let engine: UploadEngine
    private let plan: Plan
    private let pipeline: SealingPipeline
    private let permit: UploadPermit
    private let claim: RoomClaim
    /// The first thing that went wrong. It stays: what was received since is not whole.
    private var failure: VaultError?
    /// Bytes of the original so far.
    package private(set) var receivedByteCount: UInt64 = 0

    package init(
        session: any UploadOwner, engine: UploadEngine, plan: Plan, lane: SealingLane, permit: UploadPermit,
        claim: RoomClaim
    ) {
        self.session = session
        self.engine = engine
        self.plan = plan
        self.permit = permit
        self.claim = claim
        pipeline = SealingPipeline(lane: lane, threads: engine.threads, session: permit.visitor)
    }

    /// Takes bytes in; waits while the disk is behind, which is what holds the sender back.
    /// - Throws: `fileTooLarge`, `vaultFull`, `guestFull`, `lengthMismatch`, `sessionEnded` once the vault was locked,
    ///   `busy` when its place was needed for somebody who has fewer, `diskFull`, `degraded`; and the same again from
    ///   then on.
    package func append(_ bytes: ByteBuffer) async throws {
        try await sticking { try await take(bytes) }
    }

    /// Returns once the data, the directory entry and the row are on disk. When the vault has this content already, and
    /// has read it back from disk, the answer is that photo, and what came is thrown away.
    package func finish() async throws -> Photo {
        try await sticking { try await complete() }
    }

    /// Throws the upload away; nothing of it is kept.
    package func abandon() async {
        await pipeline.discard()
        claim.release()
    }

    private func sticking<R>(_ step: () async throws -> R) async throws -> R {
        if let failure { throw failure }
        do {
            return try await step()
        } catch {
            let error = VaultError(error)
            failure = error
            throw error
        }
    }

    private func take(_ bytes: ByteBuffer) async throws {
        try permit.requirePlace()
        let vault = try session.following.requireVault()
        receivedByteCount += UInt64(bytes.readableBytes)
        permit.note(bytes.readableBytes)
        guard receivedByteCount <= engine.limits.fileByteCount else {
            throw VaultError.fileTooLarge(limit: engine.limits.fileByteCount)
        }
        if let declared = plan.declaredByteCount, receivedByteCount > declared { throw VaultError.lengthMismatch }
        try await makeRoom(in: vault)
        try await pipeline.append(bytes)
    }

    private func makeRoom(in vault: OpenVault) async throws {
        claim.follow(to: vault)
        let end = min(receivedByteCount + UploadEngine.roomAhead, plan.declaredByteCount ?? .max)
        try await engine.cover(
            claim.reservation, ObjectSize.ofOneRun(content: receivedByteCount),
            ahead: ObjectSize.ofOneRun(content: end),
            in: vault)
    }

    private func complete() async throws -> Photo {
        // The end of a body that a cancelled task saw may be no end.
        try Task.checkCancellation()
        if let declared = plan.declaredByteCount, receivedByteCount != declared { throw VaultError.lengthMismatch }
        let (run, object) = try await closeRun()
        let vault = try session.following.requireVault()
        var arrival = try makeArrival(run, today: vault.store.today)
        if arrival.facts == nil { arrival.facts = await factsOnDisk(arrival.record, vault.store) }
        let outcome = try await vault.take(arrival, object: object)
        claim.release()
        return session.photo(outcome)
    }

    private func closeRun() async throws -> (PhotoRecord.Run, ArrivingObject) {
        // What says more in its middle or at its end is read there, before its row is made.
        guard Self.mayLedgerWait(for: receivedByteCount, uploadsInFlight: engine.uploadsInFlight), isUnderstood else {
            return (try await pipeline.closeRun(endOf: receivedByteCount), ArrivingObject(pipeline.lane.staged))
        }
        let (run, wait) = try await pipeline.beginClosing(endOf: receivedByteCount)
        return (run, ArrivingObject(pipeline.lane.staged, wait: wait))
    }

    /// Its beginning tells all, as far as that came. What is small is understood when its end comes.
    private var isUnderstood: Bool {
        receivedByteCount < UInt64(SegmentSize.small.plaintextByteCount) || pipeline.lane.mediaFacts != nil
    }

    private func factsOnDisk(_ record: PhotoRecord, _ store: Store) async -> MediaFacts? {
        guard let name = try? pipeline.lane.staged.arrivingName() else { return nil }
        var record = record
        record.object = name
        return try? await engine.threads.run { [record, fileKey = pipeline.lane.fileKey] in
            ObjectBytes.facts(of: record, fileKey: fileKey, store)
        }
    }

    /// Whether the rows of a photo are made while the disk is at its last bytes. The ledger waits for these then, and
    /// so does everybody who waits for the ledger: not for long where they are few, nor where nobody else's are on
    /// their way to the disk.
    static func mayLedgerWait(for byteCount: UInt64, uploadsInFlight: Int) -> Bool {
        byteCount <= UInt64(SegmentSize.small.plaintextByteCount)
            || (byteCount <= StagedObject.photoByteCount && uploadsInFlight == 1)
    }

    private func makeArrival(_ run: PhotoRecord.Run, today: UInt32) throws -> Arrival {
        guard let facts = pipeline.lane.facts(ofContent: receivedByteCount) else {
            throw VaultError.internalFailure("content without a beginning")
        }
        var record = PhotoRecord(
            serial: 0, object: .random(), byteCount: receivedByteCount, runs: [run], name: plan.name, type: facts.type,
            receivedAt: Milliseconds.now)
        record.modifiedAt = plan.modifiedAt
        record.firstPartDigest = facts.firstPartDigest
        record.sha256 = try pipeline.lane.takeDigest()
        record.memberships = plan.batch.map { [BatchMembership(batch: $0, isDuplicate: false)] } ?? []
        return Arrival(
            record: record, fileKey: pipeline.lane.fileKey, facts: pipeline.lane.mediaFacts, needsRoom: true,
            today: today)
    }
}
