/// A data directory for a moment: a state of a backup, and the objects that are asked for. Below the folder for
/// temporary files; all of it is sealed, and goes with the command.
package final class RehearsalStore: Sendable {
    private let scratch: ScratchFolder
    private let backup: any BackupSource
    private let time: UInt64
    private let digests: DigestList

    /// Of the data directory.
    package let path: String

    /// Blocking.
    /// - Parameter state: nil for the newest.
    package init(from place: BackupPlace, state: UInt64?) throws {
        scratch = try ScratchFolder()
        path = scratch.path + "/data"
        do {
            backup = try place.openExisting()
            time = try backup.state(state)
            digests = try backup.digests(of: time)
            _ = try Restoration(from: place, to: path).run(state: time, withObjects: false) { _, _ in }
        } catch {
            scratch.remove()
            throw error
        }
    }

    package func remove() { scratch.remove() }

    /// Blocking. Puts an object where a daemon would look for it; one that is missing from the backup stays away.
    package func fetch(_ id: ObjectID) throws {
        let root = try Folder.open(path: path)
        let file = BackupFile(id: id, isPart: false, digest: digests[id])
        guard let source = try backup.open(file, of: time) else { return }
        let copier = VerifiedCopy(root: root, pieceByteCount: backup.pieceByteCount)
        let shard = try ObjectFolders(root: root).shard(of: id)
        do {
            _ = try copier.copy(source, expecting: file.digest, keepsOther: true, to: id.hex, in: shard)
        } catch is VerifiedCopy.SourceUnreadable {}
    }
}
