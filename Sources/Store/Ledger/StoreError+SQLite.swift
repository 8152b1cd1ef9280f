internal import GRDB
import Glibc

extension StoreError {
    /// SQLite's failures in the store's terms; other errors pass unchanged.
    static func translating(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        switch error.resultCode {
        case .SQLITE_FULL: return StoreError.diskFull
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return StoreError.ledgerDamaged(error.message ?? "\(error.resultCode)")
        case .SQLITE_IOERR
        where error.extendedResultCode == .SQLITE_IOERR_FSYNC
            || error.extendedResultCode == .SQLITE_IOERR_DIR_FSYNC:
            return StoreError.syncFailed
        // The index of the log could not grow.
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: return StoreError.diskFull
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMMAP:
            return StoreError.ioFailed(operation: "opening the ledger, which another program has open,", errno: EBUSY)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            return StoreError.ioFailed(operation: "ledger", errno: EBUSY)
        case .SQLITE_NOMEM: return StoreError.ioFailed(operation: "ledger", errno: ENOMEM)
        case .SQLITE_READONLY: return StoreError.degraded
        case .SQLITE_MISUSE: return StoreError.ioFailed(operation: "using a closed ledger", errno: EBADF)
        // Its files could not be opened: too many others are, as a rule.
        case .SQLITE_CANTOPEN:
            let code = SQLiteSystemCalls.lastOpenFailure
            return StoreError.failure("opening the ledger", code == 0 ? EMFILE : code)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_NOMEM:
            return StoreError.ioFailed(operation: "ledger", errno: ENOMEM)
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_READ: return StoreError.ledgerUnreadable
        case .SQLITE_IOERR: return StoreError.ioFailed(operation: "ledger", errno: EIO)
        default: return StoreError.ioFailed(operation: "ledger: \(error.message ?? "\(error)")", errno: EINVAL)
        }
    }
}

/// Runs `body` and throws SQLite's failures in the store's terms.
func translatingLedgerErrors<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch {
        throw StoreError.translating(error)
    }
}
