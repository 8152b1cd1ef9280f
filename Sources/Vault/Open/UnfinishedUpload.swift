package import Content
package import Records
package import Sealing
package import Store
import Synchronization
package import Threads

/// Whoever writes to an unfinished upload.
package protocol UploadWriter: AnyObject, Sendable {
    /// - Returns: false when the disk does not come to an end in time; it then ends when it does.
    func end(_ reason: VaultError, keepingBytes: Bool) async -> Bool
}

/// One unfinished upload of an open vault: what its row says, and who writes to it.
///
/// A photo that comes in one piece is one as well, whose row is never written: nobody finds it, and nobody goes on with
/// it.
package final class UnfinishedUpload: Sendable {
    private struct State {
        var record: UploadRecord
        var fileKey: SharedSecret
        var expiresDay: UInt32
        /// Whether the ledger has its row. Until the end of the request that made it, it may have none.
        var isStored: Bool
        /// A commit of the row failed half-way: it may be there or not until another one succeeds.
        var isDoubtful = false
        /// Finished, removed or expired.
        var isGone = false
        /// It is becoming a photo, and counted as one.
        var isSettling = false
        weak var writer: (any UploadWriter)?
        /// Room that the request has which writes.
        var room: SpaceReservation?
        /// When bytes were last stored.
        var lastStep: ContinuousClock.Instant?

        var storedByteCount: UInt64 { record.runs.isEmpty ? 0 : record.runs.storedByteCount }
    }

    /// How long one that has moved on is expected to come to its end.
    private static let activity: Duration = .seconds(120)

    package let id: UploadID
    package let rowID: RowID
    package let creation: CreationKey?
    /// Whether a row says how far it is, so that another request can go on with it.
    package let isResumable: Bool
    /// Whether it is asked what it says of photos. Not of what an import brings, which has read all of it itself.
    package let readsSidecars: Bool
    /// When it was announced; of a guest only, and until it is stored: nothing of it is on disk, and when nothing comes
    /// it goes after a while.
    package let announcedAt: ContinuousClock.Instant?
    /// Held while the writer changes, and while the row is changed without a writer.
    package let lock = AsyncLock()
    private let state: Mutex<State>

    package init(
        _ record: UploadRecord, fileKey: SharedSecret, expiresDay: UInt32, isStored: Bool,
        announcedAt: ContinuousClock.Instant? = nil, isResumable: Bool = true, readsSidecars: Bool = true
    ) throws {
        self.readsSidecars = readsSidecars
        self.isResumable = isResumable
        id = record.id
        rowID = try record.id.rowID()
        creation = record.creation
        self.announcedAt = announcedAt
        state = Mutex(State(record: record, fileKey: fileKey, expiresDay: expiresDay, isStored: isStored))
    }

    package var record: UploadRecord { state.withLock { $0.record } }
    package var fileKey: SharedSecret { state.withLock { $0.fileKey } }
    package var expiresDay: UInt32 { state.withLock { $0.expiresDay } }
    package var isStored: Bool { state.withLock { $0.isStored } }
    package var isDoubtful: Bool { state.withLock { $0.isDoubtful } }
    package var isGone: Bool { state.withLock { $0.isGone } }
    package var writer: (any UploadWriter)? { state.withLock { $0.writer } }

    /// Whether its client knows of it, though nothing of it is on disk.
    package var isOnlyAnnounced: Bool { announcedAt != nil && !isStored }

    package func setWriter(_ run: (any UploadWriter)?) {
        // Handed out, because the last reference to the room must not go inside the lock.
        _ = state.withLock { state in
            state.writer = run
            defer { if run == nil { state.room = nil } }
            return state.room
        }
    }

    // MARK: Room

    /// Bytes of disk that are there.
    package var storedByteCount: UInt64 { state.withLock { $0.storedByteCount } }
    /// Those bytes, or what the request that writes has room for.
    package var byteCount: UInt64 { state.withLock { max($0.storedByteCount, $0.room?.byteCount ?? 0) } }

    /// What it will take, if it comes to its end; what was only announced, or has long not moved on, is not expected to.
    var expectedByteCount: UInt64 {
        let (isActive, announced) = state.withLock { state in
            let isMoving = state.lastStep.map { ContinuousClock.now - $0 < Self.activity } ?? false
            return (state.writer != nil || isMoving, state.record.byteCount)
        }
        return isActive ? max(byteCount, ObjectSize.ofOneRun(content: announced)) : byteCount
    }

    /// What a door counts of it before it is a photo.
    var underWay: UnderWay {
        state.withLock { state in
            guard !state.isGone, !state.isSettling else { return UnderWay() }
            return UnderWay(content: max(state.record.offset, state.room?.contentByteCount ?? 0))
        }
    }

    /// Nothing of it counts as being under way while it becomes a photo: it must not count twice.
    package func beginSettling() {
        state.withLock { state in
            state.isSettling = true
            state.room?.note(content: 0)
        }
    }

    /// It became none.
    package func endSettling() { state.withLock { $0.isSettling = false } }

    /// What is left of somebody's patience with it since bytes were last stored; nil where it is whole, or nothing of it
    /// is there, or all of it is over.
    func rest(of patience: Duration) -> Duration? {
        state.withLock { state in
            guard !state.isGone, !state.record.isComplete, let lastStep = state.lastStep else { return nil }
            let rest = patience - (ContinuousClock.now - lastStep)
            return rest > .zero ? rest : nil
        }
    }

    /// What its object takes when it has so much of the content; at the end it is padded.
    package func objectByteCount(upTo offset: UInt64) -> UInt64 {
        let (stored, record) = state.withLock { ($0.storedByteCount, $0.record) }
        let more = ObjectSize.ofOneRun(content: offset - min(offset, record.offset))
        let sum = clampedSum(stored, more)
        return offset == record.byteCount ? max(sum, ObjectSize.ofOneRun(content: offset)) : sum
    }

    package var room: SpaceReservation? { state.withLock { $0.room } }
    /// Notes the room of a request that begins.
    package func begin(_ room: SpaceReservation) { state.withLock { $0.room = room } }
    package func endRoom() {
        _ = state.withLock { state in
            defer { state.room = nil }
            return state.room
        }
    }

    /// The row on disk says this now.
    package func wasStored(_ record: UploadRecord, fileKey: SharedSecret, expiresDay: UInt32) {
        state.withLock { state in
            if record.runs.count > state.record.runs.count { state.lastStep = .now }
            state.record = record
            state.fileKey = fileKey
            state.expiresDay = expiresDay
            state.isStored = true
            state.isDoubtful = false
        }
    }

    /// The content of one that is not resumable has come to its end; how long it is may not have been said before.
    package func end(at byteCount: UInt64) { state.withLock { $0.record.byteCount = byteCount } }

    package func markDoubtful() { state.withLock { $0.isDoubtful = true } }
    func markGone() { state.withLock { $0.isGone = true } }

    package var start: SealingLane.Start {
        state.withLock { state in
            SealingLane.Start(fileKey: state.fileKey, object: state.record.object, runs: state.record.runs)
        }
    }
}

/// The unfinished uploads of one open vault. Everybody who goes on with one finds it here, so each has one writer.
package final class UnfinishedUploads: Sendable {
    private struct State {
        var uploads: [UploadID: UnfinishedUpload] = [:]
        var creations: [CreationKey: UploadID] = [:]
    }

    private let state = Mutex(State())

    package var all: [UnfinishedUpload] { state.withLock { Array($0.uploads.values) } }
    package var count: Int { state.withLock { $0.uploads.count } }

    package subscript(id: UploadID) -> UnfinishedUpload? { state.withLock { $0.uploads[id] } }

    package subscript(creation: CreationKey) -> UnfinishedUpload? {
        state.withLock { state in state.creations[creation].flatMap { state.uploads[$0] } }
    }

    /// Bytes of disk that they take, with those for which running requests have room.
    var byteCount: UInt64 { all.map(\.byteCount).reduce(0, clampedSum) }
    /// Those that stand on disk alone.
    package var storedByteCount: UInt64 { all.map(\.storedByteCount).reduce(0, clampedSum) }
    /// What it will be when those that move on come to their end.
    var expectedByteCount: UInt64 { all.map(\.expectedByteCount).reduce(0, clampedSum) }
    var underWay: UnderWay { all.map(\.underWay).reduce(UnderWay(), +) }
    var storedCount: Int { all.count(where: \.isStored) }

    /// How long somebody with so much patience still waits for one of them to go on; nil for none.
    package func rest(of patience: Duration) -> Duration? { all.compactMap { $0.rest(of: patience) }.max() }

    /// Forgets those of which nothing came for too long, and the oldest of too many.
    func forgetAnnounced(after patience: Duration, keeping most: Int) {
        let announced = all.filter(\.isOnlyAnnounced)
            .compactMap { upload in upload.announcedAt.map { (upload: upload, at: $0) } }.sorted { $0.at < $1.at }
        for (index, (upload, time)) in announced.enumerated()
        where ContinuousClock.now - time >= patience || announced.count - index > most {
            // One whose first bytes are coming stays.
            guard upload.lock.acquireIfFree() else { continue }
            if upload.writer == nil, upload.isOnlyAnnounced { remove(upload) }
            upload.lock.release()
        }
    }

    /// False, and nothing is added, when one of the same creation is there.
    package func add(_ upload: UnfinishedUpload) -> Bool {
        state.withLock { state in
            if let creation = upload.creation {
                guard state.creations[creation] == nil else { return false }
                state.creations[creation] = upload.id
            }
            state.uploads[upload.id] = upload
            return true
        }
    }

    /// One that stands on disk.
    package func load(_ upload: UnfinishedUpload) {
        state.withLock { state in
            state.uploads[upload.id] = upload
            if let creation = upload.creation { state.creations[creation] = upload.id }
        }
    }

    /// They go on there.
    package func moveAll(to others: UnfinishedUploads) {
        let moved = state.withLock { state in
            defer { state = State() }
            return state.uploads.values
        }
        for upload in moved {
            others.load(upload)
            // A request may have finished it since the move, where it was not yet to be found.
            if upload.isGone { others.remove(upload) }
        }
    }

    /// Finished, removed or expired.
    package func remove(_ upload: UnfinishedUpload) {
        upload.markGone()
        state.withLock { state in
            state.uploads[upload.id] = nil
            if let creation = upload.creation, state.creations[creation] == upload.id {
                state.creations[creation] = nil
            }
        }
    }
}

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
