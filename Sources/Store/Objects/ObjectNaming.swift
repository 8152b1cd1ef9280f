import Bytes
import Synchronization

/// Makes the files of new objects and gives them their names. Those written at the same time get theirs in one folder,
/// so that one sync of it covers a whole group.
final class ObjectNaming: Sendable {
    private struct Shard {
        let number: UInt8
        let folder: Folder
    }

    /// The disk tells for ever when a file was made. So many are made at one moment, and taken in any order, for whoever
    /// comes: of all of them it tells the same.
    private static let madeAtOnce = 128

    let times: ObjectTimes
    private let folders: ObjectFolders
    private let shard = Mutex<Shard?>(nil)
    private let made = Mutex<[OpenFile]>([])

    init(_ folders: ObjectFolders) {
        self.folders = folders
        times = ObjectTimes(folders)
    }

    /// A file without a name, which vanishes with its last descriptor.
    func makeFile() throws(StoreError) -> OpenFile {
        try made.withLock { made throws(StoreError) in
            if made.isEmpty {
                made = [try folders.objects.openTemporary()]
                // Where no more are to be had one is enough.
                while made.count < Self.madeAtOnce, let file = try? folders.objects.openTemporary() {
                    made.append(file)
                }
                made.shuffle()
            }
            return made.removeLast()
        }
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
