package import Records
import Store
import Synchronization

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
