import Glibc
import Synchronization

/// When objects came and changed, as far as the disk tells. Nobody can set those times; so many objects get them at one
/// moment. Otherwise photos that came together could be told from others, and what came by the network from what the
/// daemon wrote itself.
final class ObjectTimes: Sendable {
    /// Objects of this run whose time of change goes along with that of later ones: so many are touched when the last vault
    /// is locked.
    private static let mostKept = 1024

    private struct State {
        /// Changed since the last moment.
        var changed: Set<ObjectID> = []
        /// Changed before, in this run.
        var kept: Set<ObjectID> = []
    }

    private let folders: ObjectFolders
    private let state = Mutex(State())

    init(_ folders: ObjectFolders) {
        self.folders = folders
    }

    /// The object, or its name, has changed, or is about to.
    func note(_ id: ObjectID) { state.withLock { _ = $0.changed.insert(id) } }

    /// After a crash: whatever has changed since then. Only folders in which names came or went are searched.
    func noteChanges(since moment: timespec) throws(StoreError) {
        for name in StoreLayout.shardNames {
            guard let shard = try folders.objects.folderIfPresent(name) else { continue }
            guard try shard.changeTime(of: ".").map({ !($0 < moment) }) ?? false else { continue }
            for file in try shard.names() {
                guard let id = ObjectID(hex: file), let time = try shard.changeTime(of: file), !(time < moment)
                else { continue }
                note(id)
            }
        }
    }

    /// Gives this moment as the time of the last change to all objects that changed since the last one, and with them to
    /// others of this run. Blocking.
    func hide() throws(StoreError) {
        let ids = state.withLock { state in
            defer { (state.changed, state.kept) = ([], []) }
            return state.changed.union(state.kept)
        }
        do throws(StoreError) {
            for (shard, ids) in Dictionary(grouping: ids, by: ObjectFolders.shardName) {
                // Where there is no folder any more there are no times.
                guard let folder = try folders.objects.folderIfPresent(shard) else { continue }
                for id in ids { try folder.hideTimes(of: id.hex) }
                try folder.hideTimes(of: ".")
            }
        } catch {
            state.withLock { $0.changed.formUnion(ids) }
            throw error
        }
        state.withLock { $0.kept = ids.count > Self.mostKept ? Set(ids.shuffled().prefix(Self.mostKept)) : ids }
    }
}

extension Folder {
    /// Sets the times of a file in it to those that all objects have; the time of the last change becomes now. Nothing where
    /// there is none.
    fileprivate func hideTimes(of name: String) throws(StoreError) {
        let times = [ObjectFolders.constantTime, ObjectFolders.constantTime]
        guard utimensat(descriptor, name, times, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT else {
            throw .failure("utimensat")
        }
    }
}

extension timespec {
    fileprivate static func < (first: timespec, second: timespec) -> Bool {
        (first.tv_sec, first.tv_nsec) < (second.tv_sec, second.tv_nsec)
    }
}
