import Glibc

/// Where a backup lies, as it was named.
package enum BackupPlace: Sendable {
    /// The path of a folder.
    case folder(String)
    case elsewhere(any RemoteObjects)

    var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }

    /// Makes it where there is none. Throws `unusable` for one that holds something else, while another run uses it, and where
    /// its disk is missing.
    /// - Parameters:
    ///   - remembered: the last state that was completed there from here, if that is known
    ///   - known: folders of backups on disks of their own
    func openOrMake(remembered: UInt64?, known: KnownPlaces) throws -> any BackupDestination {
        switch self {
        case .folder(let path):
            try Self.requireDisk(of: path, known)
            return try BackupFolder.openOrMake(path)
        case .elsewhere(let remote):
            let backup = try RemoteBackup(remote, remembered: remembered)
            try backup.openOrMake()
            return backup
        }
    }

    /// A backup that is begun on another disk, in the place of the one that is not plugged in, fills that disk and is taken for
    /// a copy.
    private static func requireDisk(of path: String, _ known: KnownPlaces) throws(StoreError) {
        guard (try? Folder.open(path: path))?.contains(BackupLayout.marker) != true,
            let mounts = MountTable.current()
        else { return }
        if let missing = FileSystemTable.missingMountPoint(above: path, in: mounts) {
            throw .unusable("The disk of \(missing) (/etc/fstab) is not mounted. Nothing was begun in its place.")
        }
        guard known.isAwaited(path, in: mounts, orOther: false) else { return }
        throw .unusable(
            "The backup at \(path) is on a disk that is not there now. Plug it in, or mount it. No other backup was begun in "
                + "its place.")
    }

    /// For reading.
    func openExisting() throws -> any BackupSource {
        switch self {
        case .folder(let path): return try BackupFolder.openExisting(path)
        case .elsewhere(let remote):
            let backup = try RemoteBackup(remote)
            try backup.requireOurs()
            return backup
        }
    }
}

/// Held by the run that copies to a place elsewhere, where no lock can lie.
final class BackupLock: Sendable {
    private let folder: Folder

    /// - Parameters:
    ///   - objects: the folder of the data directory's objects, opened anew for this
    ///   - path: of the data directory, for the refusal
    init(_ objects: Folder, path: String) throws {
        folder = objects
        guard flock(objects.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreError.failure("flock") }
            throw StoreError.unusable("Another off-site copy of \(path) is under way. Wait for it to end.")
        }
    }
}
