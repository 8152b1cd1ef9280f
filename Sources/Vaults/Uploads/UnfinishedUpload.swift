import Sealing
import Store
import Synchronization

/// One unfinished upload of an open vault: what its row says, and who writes to it.
final class UnfinishedUpload: Sendable {
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
        weak var writer: UploadRun?
    }

    let id: UploadID
    let rowID: RowID
    let creation: CreationKey?
    let promise: RoomPromise
    /// Held while the writer changes, and while the row is changed without a writer.
    let turn = TurnLock()
    private let state: Mutex<State>

    init(
        _ record: UploadRecord, fileKey: SharedSecret, expiresDay: UInt32, isStored: Bool, promise: RoomPromise
    ) throws {
        id = record.id
        rowID = try record.id.rowID()
        creation = record.creation
        self.promise = promise
        state = Mutex(State(record: record, fileKey: fileKey, expiresDay: expiresDay, isStored: isStored))
        promise.note(written: record.runs.isEmpty ? 0 : record.runs.storedByteCount)
    }

    var record: UploadRecord { state.withLock { $0.record } }
    var fileKey: SharedSecret { state.withLock { $0.fileKey } }
    var expiresDay: UInt32 { state.withLock { $0.expiresDay } }
    var isStored: Bool { state.withLock { $0.isStored } }
    var isDoubtful: Bool { state.withLock { $0.isDoubtful } }
    var isGone: Bool { state.withLock { $0.isGone } }
    var writer: UploadRun? { state.withLock { $0.writer } }

    func setWriter(_ run: UploadRun?) { state.withLock { $0.writer = run } }

    /// The row on disk says this now.
    func wasStored(_ record: UploadRecord, fileKey: SharedSecret, expiresDay: UInt32) {
        state.withLock { state in
            state.record = record
            state.fileKey = fileKey
            state.expiresDay = expiresDay
            state.isStored = true
            state.isDoubtful = false
        }
    }

    func markDoubtful() { state.withLock { $0.isDoubtful = true } }
    func markGone() { state.withLock { $0.isGone = true } }

    var start: SealingLane.Start {
        state.withLock { state in
            SealingLane.Start(fileKey: state.fileKey, object: state.record.object, runs: state.record.runs)
        }
    }
}
