import Bytes
import Glibc
import Synchronization

/// A published object, open for reading at any offset from any thread: here, or in a bucket.
package final class ObjectFile: Sendable {
    private enum Place: Sendable {
        case here(OpenFile)
        case elsewhere(RemoteFile)
    }

    package let byteCount: UInt64
    private let place: Place

    init(file: OpenFile) throws(StoreError) {
        place = .here(file)
        byteCount = try file.byteCount()
    }

    init(in remote: any RemoteObjects, name: String, byteCount: UInt64) {
        place = .elsewhere(RemoteFile(remote: remote, name: name))
        self.byteCount = byteCount
    }

    /// Fills the buffer from `offset`, or throws `objectUnreadable`; `bucketUnreachable`, which says nothing against the
    /// object.
    /// - Parameter open: finds out whether these are the bytes that were put, and may change them. A bucket is asked again for
    ///   what does not open: between here and there is much that may have answered in its place.
    package func read<R>(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64,
        _ open: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> R {
        switch place {
        case .here(let file):
            let count: Int
            do {
                count = try file.read(into: buffer, at: offset)
            } catch {
                throw StoreError.objectUnreadable
            }
            guard count == buffer.count else { throw StoreError.objectUnreadable }
            return try open(buffer)
        case .elsewhere(let file): return try opened(file, into: buffer, at: offset, open).get()
        }
    }

    private func opened<R>(
        _ file: RemoteFile, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64,
        _ open: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> Result<R, any Error> {
        do {
            return try file.askingAgain { source in
                guard try source.read(into: buffer, at: offset) == buffer.count else {
                    return .failure(StoreError.objectUnreadable)
                }
                return Result { try open(buffer) }
            } until: {
                if case .success = $0 { true } else { false }
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError.bucketUnreachable(String(describing: error))
        }
    }

    /// Lets the kernel forget what it remembers of the file, so that the next read comes from the disk. Advice only.
    package func forgetCached() {
        if case .here(let file) = place { file.forgetCached() }
    }
}

/// Makes the files of new objects and gives them their names. Those written at the same time get theirs in one folder,
/// so that one sync of it covers a whole group.
final class ObjectNaming: Sendable {
    private struct Shard {
        let number: UInt8
        let folder: Folder
    }

    /// Of the files that the process may have open, those that wait take at most one in so many.
    private static let descriptorsForOne = 32

    let times: ObjectTimes
    private let folders: ObjectFolders
    private let shard = Mutex<Shard?>(nil)
    private let madeAtOnce: Int
    private let made = Mutex<[OpenFile]>([])

    /// - Parameter madeAtOnce: as `StoreConfiguration.filesMadeAtOnce`
    init(_ folders: ObjectFolders, madeAtOnce: Int) {
        self.folders = folders
        self.madeAtOnce = madeAtOnce
        times = ObjectTimes(folders)
    }

    /// A file without a name, which vanishes with its last descriptor.
    func makeFile() throws(StoreError) -> OpenFile {
        try made.withLock { made throws(StoreError) in
            if made.isEmpty {
                made = [try folders.objects.openTemporary()]
                let most = min(madeAtOnce, Self.mostDescriptors / Self.descriptorsForOne)
                // Where no more are to be had one is enough.
                while made.count < most, let file = try? folders.objects.openTemporary() { made.append(file) }
                made.shuffle()
            }
            return made.removeLast()
        }
    }

    private static var mostDescriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Lets go of files that nobody has taken.
    func dropFiles() { made.withLock { $0 = [] } }

    /// Draws a name, under which nothing lies yet.
    func drawName() throws(StoreError) -> UnlistedName {
        let shard = try currentShard()
        let id = ObjectFolders.drawID(inShard: shard.number)
        times.note(id)
        return UnlistedName(id: id, shard: shard.folder)
    }

    /// The next names go into another folder: one in which nothing is written any more is synced soonest.
    func moveOn() {
        shard.withLock { $0 = nil }
    }

    private func currentShard() throws(StoreError) -> Shard {
        try shard.withLock { shard throws(StoreError) in
            if let shard { return shard }
            let number = UInt8.random(in: .min ... .max)
            let drawn = Shard(number: number, folder: try folders.objects.folder(Hexadecimal.encode([number])))
            shard = drawn
            return drawn
        }
    }
}

/// The name of an object that no row lists yet.
struct UnlistedName: Sendable {
    let id: ObjectID
    let shard: Folder

    /// Links a file without a name. The folder still has to be synced.
    func give(to file: OpenFile) throws(StoreError) {
        try shard.link(file, as: id.hex)
    }

    /// What cannot be unlinked now is put aside by the next start's sweep.
    func drop() {
        _ = try? shard.unlink(id.hex)
    }
}

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
