import Bytes
import Glibc

/// `objects/xx/<32 hex>`, where xx are the first two digits of the object's id, and `quarantine/<day>/<name>`.
final class ObjectFolders: Sendable {
    /// The modification time of every object: 2000-01-01 UTC, so that it says nothing.
    static let constantTime = timespec(tv_sec: 946_684_800, tv_nsec: 0)

    let objects: Folder
    let quarantine: Folder
    /// Of another disk than the rest, that takes no writes.
    let isReadOnly: Bool

    /// - Parameter original: the data directory that `root` is a working copy of, if it is one
    init(root: Folder, original: Folder? = nil) throws(StoreError) {
        isReadOnly = original != nil
        do throws(StoreError) {
            objects = try (original ?? root).folder(StoreLayout.objects)
        } catch .ioFailed(_, ENOENT) {
            throw .unusable(
                "The folder \(StoreLayout.objects), in which the photos lie, is missing from the data directory. Put it "
                    + "back, or restore a backup into an empty folder. Nothing was changed.")
        }
        quarantine = try root.folder(StoreLayout.quarantine)
    }

    static func create(in root: Folder) throws(StoreError) {
        try root.makeFolder(StoreLayout.objects)
        try root.makeFolder(StoreLayout.quarantine)
        try ObjectFolders(root: root).makeShards()
    }

    /// Those that are missing; durable on return.
    func makeShards() throws(StoreError) {
        for name in StoreLayout.shardNames { try objects.makeFolder(name) }
        try objects.synchronize()
    }

    static func shardName(of id: ObjectID) -> String {
        Hexadecimal.encode([UInt8(truncatingIfNeeded: id.high >> 56)])
    }

    func shard(of id: ObjectID) throws(StoreError) -> Folder {
        try objects.folder(Self.shardName(of: id))
    }

    /// A random id that lies in the given shard.
    static func drawID(inShard shard: UInt8) -> ObjectID {
        let drawn = ObjectID.random()
        return ObjectID(high: drawn.high & (.max >> 8) | UInt64(shard) << 56, low: drawn.low)
    }

    /// Sets the time of the last change to the one that all objects have.
    static func hideTime(of file: OpenFile) throws(StoreError) {
        let times = [constantTime, constantTime]
        guard futimens(file.descriptor, times) == 0 else { throw .failure("futimens") }
    }

    /// Moves a file away under the day's folder; both folders still have to be synced. Returns the day's folder.
    func moveToQuarantine(_ name: String, from shard: Folder, day: UInt32) throws(StoreError) -> Folder {
        try quarantine.makeFolder(String(day))
        let target = try quarantine.folder(String(day))
        var newName = name
        for attempt in 1... {
            if try shard.renameWithoutReplacing(name, to: newName, in: target) { break }
            newName = "\(name).\(attempt)"
        }
        return target
    }

    /// Newest first; names that are no day are not ours.
    func quarantineDays() throws(StoreError) -> [UInt32] {
        try quarantine.names()
            .compactMap { name in UInt32(name).flatMap { String($0) == name && quarantine.isFolder(name) ? $0 : nil } }
            .sorted(by: >)
    }
}
