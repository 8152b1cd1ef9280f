import Glibc
import Sealing
import Store

extension VaultError {
    /// The one place where errors of the targets below become errors of this one.
    package init(_ error: any Error) {
        switch error {
        case let error as VaultError: self = error
        case let error as StoreError: self.init(store: error)
        case SealingError.damaged, SealingError.wrongKey: self = .damaged
        case SealingError.hostExhausted, SealingError.memoryNotLockable: self = .busy(retryAfter: .seconds(5))
        case SealingError.passwordNotUTF8: self = .passwordNotUTF8
        case SealingError.passwordTooLong: self = .passwordTooLong
        case is CancellationError: self = .sessionEnded
        default: self = .internalFailure(String(reflecting: error))
        }
    }

    private init(store error: StoreError) {
        switch error {
        case .diskFull, .uncertainOnFullDisk: self = .diskFull
        // What the ledger has lost a start puts back; until then the disk is what has to be looked at.
        case .syncFailed, .degraded, .readOnlyDisk, .ledgerDamaged: self = .degraded
        case .bucketUnreachable: self = .bucketUnreachable
        case .superseded: self = .takenOver
        case .objectMissing, .objectUnreadable: self = .damaged
        case .ioFailed(_, let code) where Self.codesOfMistakes.contains(code):
            self = .internalFailure(String(describing: error))
        case .ioFailed(_, let code) where Self.codesOfHaste.contains(code): self = .busy(retryAfter: .seconds(5))
        // A disk that fails or is gone, and folders that were taken away or closed: nothing of the request is at fault,
        // and the same may go well later.
        case .ioFailed: self = .degraded
        // Of starts alone.
        case .unusable, .absent, .inUse, .foreignLedger, .newerFormat, .insecurePermissions:
            self = .internalFailure(String(describing: error))
        }
    }

    /// What a system call says only to a program that asks for what there cannot be.
    private static let codesOfMistakes: Set<Int32> = [
        EINVAL, EBADF, EFAULT, EDOM, ENOTSOCK, ENAMETOOLONG, EISDIR, EEXIST, ENOTEMPTY, ESPIPE, ENOTTY, ENOSYS,
    ]
    /// Somebody else is at it, or the host has run out of open files or memory for the moment, for which the disk is not to
    /// blame.
    private static let codesOfHaste: Set<Int32> = [EBUSY, EAGAIN, ETXTBSY, EINTR, EMFILE, ENFILE, ENOMEM, ENOBUFS]
}

/// Runs `body`, translating what targets below throw.
package func translating<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch { throw VaultError(error) }
}

/// Runs `body`, translating what targets below throw.
package func translated<R>(_ body: () throws -> R) throws(VaultError) -> R {
    do { return try body() } catch { throw VaultError(error) }
}
