import Sealing
import Store

/// Why the daemon cannot start with this data directory; the text is for the person who starts it.
package struct StartFailure: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// With its full stop, for who goes on behind it.
    package var sentence: String { description.hasSuffix(".") ? description : description + "." }
    /// The disk is full, or does not do what it is told, or this host has too few descriptors or too little memory for it.
    package private(set) var isOfDisk = false
    /// Of these: there is no room.
    package private(set) var isOfFullDisk = false

    /// Nothing is there, and no new data directory may be begun: its disk may be mounted yet.
    package private(set) var isAbsence = false
    /// Another process works on the data directory.
    package private(set) var isInUse = false
    /// The bucket does not do what it is asked: its store, the way to it, this host's clock, or keys that are not valid (any
    /// more, or yet). All of that passes without this program.
    package private(set) var isOfBucket = false

    package init(description: String, isOfDisk: Bool = false, isOfBucket: Bool = false) {
        self.description = description
        self.isOfDisk = isOfDisk
        self.isOfBucket = isOfBucket
    }

    package static func of(_ error: any Error) -> StartFailure { StartFailure(error) }

    package init(_ error: any Error) {
        switch error {
        case let failure as StartFailure: self = failure
        case let error as StoreError:
            description = error.description
            (isOfDisk, isOfFullDisk) = (error.isOfDisk && !error.isOfRights, error.isOfFullDisk)
            if case .absent = error { isAbsence = true }
            if case .inUse = error { isInUse = true }
            if case .bucketUnreachable = error { (isOfDisk, isOfBucket) = (true, true) }
        case let error as VerifiedCopy.Mismatch:
            description = error.description
            isOfDisk = true
        case SealingError.memoryNotLockable:
            description =
                "Memory for keys cannot be locked, so it could be written to the swap file. Nothing was changed. Give the "
                + "process more of it: LimitMEMLOCK in a systemd unit, --ulimit memlock=-1 for a container, ulimit -l in "
                + "a shell."
        case VaultError.internalFailure(let text): description = text
        case VaultError.diskFull: self = StartFailure(StoreError.diskFull)
        case VaultError.degraded: self = StartFailure(StoreError.degraded)
        default: description = String(describing: error)
        }
    }
}
