import Bytes
import Glibc
import Synchronization

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
