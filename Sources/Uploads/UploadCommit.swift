package import Content
import Import
import Media
import NIOCore
package import Records
import Sealing
import Store
import Synchronization
package import Vault

/// Makes the steps of one unfinished upload durable. Used by whoever writes to it. Of one in one piece there is one step,
/// the last.
package struct UploadCommit: Sendable {
    private let upload: UnfinishedUpload
    private let vault: OpenVault

    package init(_ upload: UnfinishedUpload, _ vault: OpenVault) {
        self.upload = upload
        self.vault = vault
    }

    /// The row, as memory has it.
    package func store() async throws { try await write(upload.record, upload.fileKey) }

    /// The same once more, after a commit of which nobody knows whether it came through. Takes no room, so it may use
    /// the reserve.
    package func storeAgain() async throws {
        try await write(upload.record, upload.fileKey, mayUseReserve: true)
    }

    /// The row with one more run, which is on disk.
    package func store(_ run: PhotoRecord.Run, _ lane: SealingLane) async throws {
        let hasName = lane.staged.isPublished
        try await write(
            record(with: run, lane), lane.fileKey, object: hasName ? nil : ArrivingObject(lane.staged, isWhole: false))
        // At once, in a cancelled task too: what the row lists is not cut off again.
        if hasName { lane.staged.markListed() }
    }

    /// After that, for bytes of the same request that follow.
    package func goOn(_ lane: SealingLane) async throws {
        guard !lane.staged.isPublished, let object = upload.record.object else { return }
        try await vault.engine.threads.run { try lane.goOn(in: object) }
    }

    /// The row with a new object, of one run, in place of the old one.
    package func replaceObject(with run: PhotoRecord.Run, _ lane: SealingLane) async throws {
        var record = upload.record
        let old = record.object
        record.runs = [run]
        try await write(record, lane.fileKey, object: ArrivingObject(lane.staged, isWhole: false), dooming: old)
        await vault.reap()
    }

    /// With its last run the upload becomes a photo, or turns out to be one that is there.
    /// - Parameters:
    ///   - wait: waits for the run where the disk is still at it.
    ///   - contentDigest: SHA-256 of the whole content, if it is known.
    package func finish(
        _ run: PhotoRecord.Run, _ lane: SealingLane, wait: (@Sendable () throws -> Void)? = nil,
        contentDigest: [UInt8]?
    ) async throws -> Arrival.Outcome {
        let object = lane.staged.isPublished ? nil : ArrivingObject(lane.staged, wait: wait)
        var record = record(with: run, lane)
        if record.facts == nil {
            // In a cancelled task, too: what arrived is kept.
            record.facts = try await vault.engine.threads.start { [record] in try factsOnDisk(record) }.value()
        }
        var arrival = try makeArrival(record, contentDigest: contentDigest)
        // The beginning came with this request, or with an earlier one.
        arrival.facts = record.runs.count == 1 ? lane.mediaFacts : nil
        if arrival.facts == nil { arrival.facts = await mediaFacts(arrival.record, lane) }
        if maySaySomething(arrival.record) {
            arrival.record.sidecar = await read(arrival.record, lane) { [path] in Self.sidecarState($0, path: path) }
        }
        if isNothing(arrival.record) { arrival.record.sidecar = .ofNothing }
        // Where everything goes along to a bucket; what has its name only now goes with its change.
        if object == nil, let id = record.object { try await noting { try await vault.store.ledger.send(id) } }
        upload.beginSettling()
        do {
            let outcome = try await noting { try await vault.take(arrival, object: object) }
            vault.owner.uploads.remove(upload)
            return outcome
        } catch {
            upload.endSettling()
            throw error
        }
    }

    /// Blocking; for one whose bytes are all there.
    func finishBlocking() throws {
        var record = upload.record
        if record.facts == nil { record.facts = try factsOnDisk(record) }
        var arrival = try makeArrival(record, contentDigest: nil)
        arrival.facts = ObjectBytes.facts(of: arrival.record, fileKey: upload.fileKey, vault.store)
        if maySaySomething(arrival.record) {
            arrival.record.sidecar = try? Self.sidecarState(
                ObjectBytes(of: arrival.record, fileKey: upload.fileKey, vault.store), path: path)
        }
        if isNothing(arrival.record) { arrival.record.sidecar = .ofNothing }
        let whole = arrival
        if let id = record.object { try vault.store.ledger.sendBlocking(id) }
        try vault.changeBlocking(mayUseReserve: false) { _ = try $0.take(whole) }
        vault.owner.uploads.remove(upload)
    }

    /// Row and bytes go.
    package func remove() async throws {
        let row = upload.rowID
        try await noting {
            try await vault.changeUploads(mayUseReserve: true) { owner, transaction, _ in
                try owner.noteUpload(nil, at: row, until: nil, transaction)
                try transaction.doomUpload(row)
            }
        }
        vault.owner.uploads.remove(upload)
        await vault.reap()
    }

    private func record(with run: PhotoRecord.Run, _ lane: SealingLane) -> UploadRecord {
        var record = upload.record
        record.runs.append(run)
        if record.runs.count == 1 { record.facts = lane.facts(ofContent: record.byteCount) }
        return record
    }

    private func write(
        _ record: UploadRecord, _ fileKey: SharedSecret, object: ArrivingObject? = nil,
        dooming old: ObjectID? = nil, mayUseReserve: Bool = false
    ) async throws {
        let expiresDay = vault.store.firstDay + UploadRecord.days
        let written = Mutex(record)
        try await noting {
            let (upload, mustBeThere) = (upload, upload.isStored)
            try await vault.changeUploads(object: object, mayUseReserve: mayUseReserve) { owner, transaction, id in
                // The sweep may have been faster.
                if mustBeThere, try !transaction.containsUpload(upload.rowID) { throw VaultError.uploadGone }
                var record = record
                if let id { record.object = id }
                let body = try owner.sealUpload(record, fileKey: fileKey, id: upload.rowID)
                try owner.noteUpload(record, at: upload.rowID, until: expiresDay, transaction)
                try transaction.putUpload(
                    upload.rowID, body: body, part: record.object, expiresDay: expiresDay, space: owner.space)
                if let old { try transaction.doomObject(old) }
                written.withLock { [record] in $0 = record }
            }
        }
        upload.wasStored(written.withLock { $0 }, fileKey: fileKey, expiresDay: expiresDay)
        // It was made for a guest whose space became part of a vault in the meantime.
        if vault.hasMoved { vault.owner.uploads.load(upload) }
    }

    /// After a commit that failed for another reason than its own refusal, or than a disk that takes nothing, nobody
    /// knows what stands there.
    private func noting<R>(_ commit: () async throws -> R) async throws -> R {
        do {
            return try await commit()
        } catch VaultError.uploadGone {
            vault.owner.uploads.remove(upload)
            throw VaultError.uploadGone
        } catch let error as VaultError {
            throw error
        } catch let error as StoreError where error == .diskFull || error == .degraded {
            throw error
        } catch {
            upload.markDoubtful()
            throw error
        }
    }

    private func makeArrival(_ record: UploadRecord, contentDigest: [UInt8]?) throws -> Arrival {
        let today = vault.store.today
        var photo = content(of: record)
        photo.receivedAt = Milliseconds.now
        photo.modifiedAt = record.modifiedAt
        photo.takenAt = record.taken?.time.encoded
        photo.sha256 = contentDigest
        if upload.isResumable {
            photo.origins = [
                PhotoOrigin(
                    upload: record.id, creation: record.creation,
                    expiresDay: vault.store.firstDay + UploadRecord.days,
                    isDuplicate: false)
            ]
        }
        photo.memberships = record.batch.map { [BatchMembership(batch: $0, isDuplicate: false)] } ?? []
        photo.given = record.given
        if let path = record.path { photo.join(SourceFolder(of: path)) }
        var arrival = Arrival(
            record: photo, fileKey: upload.fileKey, part: record.object,
            uploadRow: upload.isStored ? upload.rowID : nil, needsRoom: !upload.isResumable, today: today)
        arrival.album = record.album
        return arrival
    }

    /// From the disk, where its bytes have been since its last run was closed.
    private func mediaFacts(_ record: PhotoRecord, _ lane: SealingLane) async -> MediaFacts? {
        let type = MediaType(mimeType: record.type)
        return await read(record, lane) { try MediaFacts(reading: $0, type: type) }
    }

    /// Nil where it cannot be read now, which is no reason to refuse it.
    private func read<R: Sendable>(
        _ record: PhotoRecord, _ lane: SealingLane, _ body: @escaping @Sendable (ObjectBytes) throws -> R?
    ) async -> R? {
        var record = record
        if !lane.staged.isPublished {
            guard let name = try? lane.staged.arrivingName() else { return nil }
            record.object = name
        }
        return try? await vault.engine.threads.start { [record, store = vault.store, fileKey = upload.fileKey] in
            try body(ObjectBytes(of: record, fileKey: fileKey, store))
        }.value()
    }

    // MARK: What it says of photos

    /// Folders and name, as far as they were told.
    private var path: String { upload.record.path ?? upload.record.name }

    private func maySaySomething(_ record: PhotoRecord) -> Bool {
        upload.readsSidecars && record.type == MediaType.other.mimeType && record.byteCount > 0
            && upload.record.maySaySomething
    }

    /// Whoever sent it wants no file of it.
    private func isNothing(_ record: PhotoRecord) -> Bool {
        upload.record.isBeside && record.sidecar == nil && record.type == MediaType.other.mimeType
    }

    /// Nil for what says nothing that is known here. Blocking.
    private static func sidecarState(_ bytes: ObjectBytes, path: String) -> SidecarState? {
        guard let content = try? bytes.read(at: 0, count: Int(clamping: bytes.byteCount)),
            let said = SidecarContent(arriving: content, path: path)
        else { return nil }
        return SidecarState(isHeld: !said.isKept)
    }

    /// When the first run was too short to tell. Blocking.
    private func factsOnDisk(_ record: UploadRecord) throws -> UploadRecord.Facts {
        let reader = try ObjectReader(
            record: content(of: record), fileKey: upload.fileKey.bytes, store: vault.store)
        let first = try reader.read(0..<min(record.byteCount, UInt64(MediaType.headByteCount)))
        return try UploadRecord.Facts(Array(first.readableBytesView))
    }

    private func content(of record: UploadRecord) -> PhotoRecord {
        var content = PhotoRecord(
            serial: 0, object: record.object ?? .random(), byteCount: record.byteCount, runs: record.runs,
            name: record.name, type: record.facts?.type ?? MediaType.other.mimeType, receivedAt: 0)
        content.firstPartDigest = record.facts?.firstPartDigest
        return content
    }
}

extension UploadRecord {
    /// Whether it is to be read as what lies beside photos, and else not kept: the client's own words say so, which the row
    /// keeps (`beside 1` of Upload-Metadata, in base64).
    var isBeside: Bool {
        metadata?.split(separator: ",").contains { $0.split(separator: " ") == ["beside", "MQ=="] } == true
    }

    /// By name and size, whether it may be a file that says something of photos.
    var maySaySomething: Bool {
        SidecarContent.mayArrive(name, byteCount: byteCount)
    }
}

extension OpenVault {
    /// Blocking. Those whose bytes are all there become photos. What fails stays as it is.
    package func finishCompleteUploads() {
        for upload in uploads.all where upload.record.isComplete && upload.lock.acquireIfFree() {
            defer { upload.lock.release() }
            if upload.writer == nil, !upload.isGone { try? UploadCommit(upload, self).finishBlocking() }
        }
    }
}

/// Many small requests make many runs, and the upload's row lists each. Before that gets long, what is there is sealed
/// again in one run, in a new object under a new file key.
package struct Compaction {
    private static let fewRuns = 256
    /// Cheap to seal again: runs that are smaller than this on average.
    private static let smallRun: UInt64 = 64 << 10
    /// However much it costs: a longer row would cost more.
    private static let mostRuns = 16_384

    package static func isDue(_ record: UploadRecord) -> Bool {
        let count = record.runs.count
        guard count >= fewRuns else { return false }
        return record.offset < UInt64(count) * smallRun || count >= mostRuns
    }

    package let upload: UnfinishedUpload
    package let vault: OpenVault

    package init(upload: UnfinishedUpload, vault: OpenVault) {
        self.upload = upload
        self.vault = vault
    }

    /// Seals anew what is there; for whoever holds the upload's lock.
    package func run() async throws {
        let (record, fileKey, store) = (upload.record, upload.fileKey, vault.store)
        let reader = try await vault.engine.threads.run {
            let content = PhotoRecord(
                serial: 0, object: record.object ?? .random(), byteCount: record.offset, runs: record.runs,
                name: record.name, type: MediaType.other.mimeType, receivedAt: 0)
            return try ObjectReader(record: content, fileKey: fileKey.bytes, store: store, allowsMore: true)
        }
        let resealing = try await Resealing(reader, byteCount: record.offset, engine: vault.engine, .request)
        do {
            while try await resealing.step() {}
            try await UploadCommit(upload, vault).replaceObject(
                with: try await resealing.close(isWhole: false), resealing.lane)
        } catch {
            await resealing.discard()
            throw error
        }
    }
}

extension SealingPipeline {
    /// Whether the rows of a photo in one piece are made while the disk is at its last bytes. What says more of itself in
    /// its middle or at its end is read there first.
    func mayLedgerWait(for byteCount: UInt64, uploadsInFlight: Int) -> Bool {
        Self.mayLedgerWait(for: byteCount, uploadsInFlight: uploadsInFlight) && isUnderstood(byteCount)
    }

    /// The ledger waits for the last bytes then, and so does everybody who waits for the ledger: not for long where they
    /// are few, nor where nobody else's are on their way to the disk.
    static func mayLedgerWait(for byteCount: UInt64, uploadsInFlight: Int) -> Bool {
        byteCount <= UInt64(SegmentSize.small.plaintextByteCount)
            || (byteCount <= StagedObject.photoByteCount && uploadsInFlight == 1)
    }

    /// Its beginning tells all, as far as that came. What is small is understood when its end comes.
    private func isUnderstood(_ byteCount: UInt64) -> Bool {
        byteCount < UInt64(SegmentSize.small.plaintextByteCount) || lane.mediaFacts != nil
    }
}
