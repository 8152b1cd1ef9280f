import Glibc

/// Where a backup lies, as it was named.
package enum BackupPlace: Sendable {
    /// The path of a folder.
    case folder(String)
    case elsewhere(any RemoteObjects)

    var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }

    /// Makes it where there is none. Throws `unusable` for one that holds something else, and while another run uses it.
    /// - Parameter remembered: the last state that was completed there from here, if that is known
    func openOrMake(remembered: UInt64?) throws -> any BackupDestination {
        switch self {
        case .folder(let path): return try BackupFolder.openOrMake(path)
        case .elsewhere(let remote):
            let backup = try RemoteBackup(remote, remembered: remembered)
            try backup.openOrMake()
            return backup
        }
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
