import Glibc

/// The empty file `ledger.log-in-use`: stands while the ledger is open and its log holds what is not merged yet. Where it
/// stands at a start and there is no log, somebody has removed that, and with it what was saved last.
final class LedgerLogMark: Sendable {
    /// How long health tells of it: as long as files that no row names lie in quarantine.
    static let toldDays: UInt32 = 30

    private let root: Folder

    init(root: Folder) {
        self.root = root
    }

    /// Whether the run before was cut off.
    var isSet: Bool { root.contains(StoreLayout.ledgerLogInUse) }

    /// Before the ledger is opened, which makes a log. A ledger that is missing, too, is told of as that.
    func isLogLost() throws(StoreError) -> Bool {
        guard isSet, !root.contains(StoreLayout.ledgerWriteAheadLog) else {
            return false
        }
        return try root.byteCount(of: StoreLayout.ledger) ?? 0 > 0
    }

    /// Once the log is there: after a crash in between nobody misses one that was never made.
    func set() throws(StoreError) {
        guard root.contains(StoreLayout.ledgerWriteAheadLog), !isSet else { return }
        try root.open(StoreLayout.ledgerLogInUse, O_RDWR | O_CREAT).synchronize()
        try root.synchronize()
    }

    /// Before the log goes: after a crash in between one is there that nobody asks for.
    func clear() throws(StoreError) {
        if try root.unlink(StoreLayout.ledgerLogInUse) { try root.synchronize() }
    }

    /// The log went with the ledger's end, although it could not be emptied before.
    func clearIfLogIsGone() throws(StoreError) {
        if !root.contains(StoreLayout.ledgerWriteAheadLog) { try clear() }
    }
}
