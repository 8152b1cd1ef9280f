package import Content
import Store
import Synchronization

/// Objects that were read a moment ago, still open: a video is fetched range by range, and each would open row, key and
/// file anew. A reader serves one request at a time.
package final class ReaderCache: Sendable {
    private struct Entry {
        let serial: UInt64
        let object: ObjectID
        let reader: ObjectReader
    }

    private struct State {
        /// The one that has waited longest first.
        var spare: [Entry] = []
        var lent: [ObjectIdentifier: Entry] = [:]
    }

    /// Open files that nobody reads at most.
    private static let limit = 4

    private let state = Mutex(State())

    /// One that is free, else one that `open` makes. To be given back.
    func borrow(for photo: LibraryPhoto, _ open: () throws -> ObjectReader) rethrows -> ObjectReader {
        let found = state.withLock { state in
            state.spare.lastIndex { $0.object == photo.object }.map { state.spare.remove(at: $0).reader }
        }
        let reader = try found ?? open()
        let entry = Entry(serial: photo.serial, object: photo.object, reader: reader)
        state.withLock { $0.lent[ObjectIdentifier(reader)] = entry }
        return reader
    }

    /// - Parameter isSound: whether it may serve another request.
    package func giveBack(_ reader: ObjectReader, isSound: Bool) {
        // What is dropped closes its file outside the lock.
        let dropped = state.withLock { state -> ObjectReader? in
            guard let entry = state.lent.removeValue(forKey: ObjectIdentifier(reader)), isSound else { return nil }
            state.spare.append(entry)
            return state.spare.count > Self.limit ? state.spare.removeFirst().reader : nil
        }
        _ = consume dropped
    }

    /// Lets go of objects that are no longer those of their photos: a file that is open takes room after it was
    /// unlinked.
    func follow(_ changes: [LibraryChange]) {
        let dropped = state.withLock { state -> [Entry] in
            guard !state.spare.isEmpty || !state.lent.isEmpty else { return [] }
            var dropped: [Entry] = []
            for change in changes {
                dropped += state.spare.filter { change.isEnd(of: $0.object, $0.serial) }
                state.spare.removeAll { change.isEnd(of: $0.object, $0.serial) }
                state.lent = state.lent.filter { !change.isEnd(of: $0.value.object, $0.value.serial) }
            }
            return dropped
        }
        _ = consume dropped
    }
}

extension LibraryChange {
    fileprivate func isEnd(of object: ObjectID, _ serial: UInt64) -> Bool {
        switch self {
        case .put(let entry): entry.record.serial == serial && entry.record.object != object
        case .remove(serial), .replace(serial, _): true
        case .remove, .replace, .putBatch, .removeBatch, .putAlbum, .removeAlbum: false
        }
    }
}
