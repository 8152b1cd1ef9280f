import Sealing
import Store

/// Why the daemon cannot start with this data directory; the text is for the person who starts it.
package struct StartFailure: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// With its full stop, for who goes on behind it.
    package var sentence: String { description.hasSuffix(".") ? description : description + "." }
    /// The disk is full, or does not do what it is told.
    package private(set) var isOfDisk = false

    /// Nothing is there, and no new data directory may be begun: its disk may be mounted yet.
    package private(set) var isAbsence = false

    package init(description: String, isOfDisk: Bool = false) {
        self.description = description
        self.isOfDisk = isOfDisk
    }

    package static func of(_ error: any Error) -> StartFailure { StartFailure(error) }

    package init(_ error: any Error) {
        switch error {
        case let failure as StartFailure: self = failure
        case let error as StoreError:
            description = error.description
            isOfDisk = error.isOfDisk
            if case .absent = error { isAbsence = true }
            // It may answer another time.
            if case .bucketUnreachable = error { isOfDisk = true }
        case let error as VerifiedCopy.Mismatch:
            description = error.description
            isOfDisk = true
        case SealingError.memoryNotLockable:
            description =
                "Memory for keys cannot be locked, so it could be written to the swap file. Nothing was changed. Give the "
                + "process more of it: LimitMEMLOCK in a systemd unit, --ulimit memlock=-1 for a container, ulimit -l in "
                + "a shell."
        case VaultError.internalFailure(let text): description = text
        default: description = String(describing: error)
        }
    }
}
