import Glibc

/// Everything that can go wrong with the data directory. The texts are for the person who runs the host.
package enum StoreError: Error, Equatable {
    /// The directory cannot be used as it is; the text says what is wrong and what to do. Exit code 78.
    case unusable(String)
    /// Nothing is there, and no new store may be begun; the text says why. It may be there another time.
    case absent(String)
    /// Another process holds the lock. The pid is what that process wrote beside it, for information only.
    case inUse(pid: Int32?)
    /// Written by a later version. Nothing was changed.
    case newerFormat(found: UInt32, supported: UInt32)
    /// The directory belongs to another user, or group or others may enter it.
    case insecurePermissions(path: String)
    /// The file system of the directory was mounted so, or the kernel has made it so after an error.
    case readOnlyDisk(path: String)
    /// Nothing was stored: the file system is full, or would be.
    case diskFull
    /// A sync failed. What it covered is dropped and the store is degraded; a sync is never repeated.
    case syncFailed
    /// The file system is read-only, or a sync failed; nothing is accepted until a probe on a new file passes.
    case degraded
    case objectMissing(ObjectID)
    /// The file is shorter than it must be, or the disk cannot read it.
    case objectUnreadable
    case ledgerDamaged(String)
    /// The database holds what this program never writes: triggers, views, further tables, or its own tables with another
    /// definition; their names. Nothing of it was run.
    case foreignLedger(String)
    case ioFailed(operation: String, errno: Int32)
    /// The bucket that everything goes along to does not answer, or refuses; what it says. Nothing was saved, as far as
    /// anybody knows.
    case bucketUnreachable(String)
    /// Another host has taken over and writes to the bucket. This one saves nothing any more.
    case superseded

    /// The disk is full, or does not do what it is told; the same may go well another time.
    package var isOfDisk: Bool {
        switch self {
        case .readOnlyDisk, .diskFull, .syncFailed, .degraded, .ioFailed: true
        default: false
        }
    }

    /// This process, or the whole system, has as many files and connections open as it may: it says nothing of the disk.
    package var isShortOfFiles: Bool {
        switch self {
        case .ioFailed(_, EMFILE), .ioFailed(_, ENFILE): true
        default: false
        }
    }

    /// Of those of a disk, what somebody has to change: files that belong to another user, as after a copy made by root.
    package var isOfRights: Bool {
        switch self {
        case .ioFailed(_, EACCES), .ioFailed(_, EPERM): true
        default: false
        }
    }

    /// Of those, what ends once somebody makes room.
    package var isOfFullDisk: Bool {
        switch self {
        case .diskFull, .ioFailed(_, ENOSPC), .ioFailed(_, EDQUOT): true
        default: false
        }
    }

    var isForeignLedger: Bool {
        if case .foreignLedger = self { true } else { false }
    }

    /// A full disk, too; but the next start may find the change stored.
    package static let uncertainOnFullDisk = StoreError.ioFailed(operation: "committing on a full disk", errno: ENOSPC)

    /// The disk has failed to give a page, which says nothing against the ledger: it may come the next time.
    static let ledgerUnreadable = StoreError.ioFailed(operation: "reading the ledger", errno: EIO)

    /// The error for a system call that has just failed with `code`.
    package static func failure(_ operation: String, _ code: Int32) -> StoreError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .degraded
        default: .ioFailed(operation: operation, errno: code)
        }
    }

    /// The same by `errno`.
    static func failure(_ operation: String) -> StoreError { failure(operation, errno) }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unusable(let reason), .absent(let reason): reason
        case .inUse(let pid?): "The data directory is in use by process \(pid). Stop it first."
        case .inUse(nil): "The data directory is in use by another process. Stop it first."
        case .newerFormat(let found, let supported) where found == supported:
            "The data directory has something that came with a later version, and that this one cannot read. "
                + "Nothing was changed. Install the version that wrote it, or a later one."
        case .newerFormat(let found, let supported):
            "The data directory has format \(found); this version reads up to \(supported). "
                + "Nothing was changed. Install the version that wrote it, or a later one."
        case .insecurePermissions(let path):
            "\(path) must belong to the user that runs the daemon and be closed to others (chmod 700)."
        case .readOnlyDisk(let path):
            "The disk of \(path) can only be read, so nothing can be served from it or changed. Nothing is lost: "
                + "safelight export, check and backup read it. If it should take writes, look at journalctl -k."
        case .diskFull: "The disk is full. Nothing was stored."
        case .syncFailed: "The disk did not confirm a write. What it covered was dropped."
        case .degraded:
            "The disk is read-only or failed to confirm a write; nothing is accepted until it passes a check."
        case .objectMissing: "An object's file is missing."
        case .objectUnreadable: "An object's file cannot be read whole."
        case .ledgerDamaged(let reason): "The ledger is damaged: \(reason)"
        case .foreignLedger(let entries):
            "The ledger holds what Safelight never writes (\(entries)). Nothing of that was run, and nothing was changed. "
                + "Somebody was able to write here. Put \(StoreLayout.ledger) back from a backup; or move it and "
                + "\(StoreLayout.ledgerWriteAheadLog) away, then the next start uses a copy of it, if one is sound."
        case .bucketUnreachable(let reason): "The bucket does not take what was to be saved. \(reason)"
        case .superseded:
            "Another host has taken over this data directory's bucket, so nothing is saved here any more. Use that host, or "
                + "stop it and run safelight take-over on this one."
        case .ledgerUnreadable:
            "The disk does not give the ledger (Input/output error). Nothing was changed: it may give it the next time. If it "
                + "does not, copy the data directory to another disk, as docs/operations.md has it (When the disk is dying)."
        case .ioFailed(let operation, let code): "\(operation) failed: \(String(cString: strerror(code)))"
        }
    }
}
