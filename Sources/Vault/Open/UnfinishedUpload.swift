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
