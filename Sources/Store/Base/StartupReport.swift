import Synchronization

/// What opening a store found and did. Counts only: nothing in it names an object or a vault.
package struct StartupReport: Sendable, Equatable {
    /// The directory was empty and a new store was made.
    package var created = false
    /// Files unknown to the ledger, moved to quarantine.
    package var quarantined = 0
    package var unlinkedDoomed = 0
    /// Objects that the ledger lists and that have no file.
    package var missingObjects = 0
    package var expired = ExpiryReport()
    /// Header copies written again from a good one.
    package var healedHeaderCopies = 0
    /// The ledger was damaged or missing; the copy made on this day was put in its place.
    package var ledgerRestoredFromCopy: LedgerRestoration?
    /// The log that the ledger had when it was last open is gone, and with it what was saved last.
    package var isLedgerLogLost = false
    /// Folders, relative to the data directory, that hold what was moved aside.
    package var movedAside: [String] = []
    /// Slots of erased vaults that were still to be overwritten.
    package var wipedSlots = 0
    /// Sentences for the log.
    package var notes: [String] = []

    package init() {}
}

package struct LedgerRestoration: Sendable, Equatable {
    /// Days since 1970 of the copy; what was stored later than that is not in it.
    package var day: UInt32
}

/// What went because its day had passed.
package struct ExpiryReport: Sendable, Equatable {
    /// False while the clock is not trusted; nothing expired then.
    package var isClockTrusted = true
    package var guests = 0
    package var uploads = 0
    package var sessions = 0
    /// Files whose thirty days in quarantine were over.
    package var quarantinedFiles = 0
    /// The same of files of a damaged ledger.
    package var damagedFiles = 0
}

/// Remembers whether the last attempt at something went well, for those who look after the host.
final class LastOutcome: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    /// Nil when it went well, or nothing was attempted.
    var failure: (any Error)? { error.withLock(\.self) }

    func noting<R>(_ attempt: () throws -> R) throws -> R {
        do {
            let result = try attempt()
            error.withLock { $0 = nil }
            return result
        } catch {
            self.error.withLock { $0 = error }
            throw error
        }
    }
}
