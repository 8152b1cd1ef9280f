internal import GRDB
import Glibc
import Synchronization

/// The file `ledger.log-in-use`: stands while the ledger is open and its log holds what is not merged yet, and holds the
/// token of the last commit. Where it stands at a start and there is no log, that is compared with the token in the ledger:
/// only where they differ something is lost that was saved last.
///
/// A token is random, so that it tells nothing of how much was changed.
final class LedgerLogMark: Sendable {
    /// How long health tells of it: as long as files that no row names lie in quarantine.
    static let toldDays: UInt32 = 30
    private static let tokenByteCount = 16

    private struct State {
        /// Nil while it does not stand.
        var file: OpenFile?
        /// Of the last commit that is known of; nil where the ledger has to be asked.
        var token: [UInt8]?
        /// Whether the token on the disk may be that of a commit which the ledger has without its log.
        var isBehindMerge = true
    }

    private let root: Folder
    private let path: String
    private let state = Mutex(State())

    init(root: Folder, path: String) {
        self.root = root
        self.path = path
    }

    /// Whether the run before was cut off.
    var isSet: Bool { root.contains(StoreLayout.ledgerLogInUse) }

    /// Before the ledger is opened, which makes a log. A ledger that is missing, too, is told of as that.
    func isLogLost() throws(StoreError) -> Bool {
        guard isSet, !root.contains(StoreLayout.ledgerWriteAheadLog),
            try root.byteCount(of: StoreLayout.ledger) ?? 0 > 0
        else { return false }
        let token = try root.open(StoreLayout.ledgerLogInUse, O_RDONLY).bytes(at: 0, count: Self.tokenByteCount)
        let ledger = try? ImmutableLedger.open(path: path + "/" + StoreLayout.ledger)
        guard token.count == Self.tokenByteCount, let ledger else { return true }
        // The last commit, or the one before it: its end may have come before the mark knew of it.
        let known = (try? ledger.metaValue(LedgerSchema.MetaKey.lastCommits)) ?? nil
        return !Self.tokens(known).contains(token)
    }

    /// Once the log is there: after a crash in between nobody misses one that was never made.
    func set(_ database: Database) throws {
        guard root.contains(StoreLayout.ledgerWriteAheadLog) else { return }
        let token = Self.tokens(try Self.lastCommits(database))[0]
        let file = try root.open(StoreLayout.ledgerLogInUse, O_RDWR | O_CREAT)
        try file.write(token, at: 0)
        try file.synchronize()
        try root.synchronize()
        state.withLock { $0 = State(file: file, token: token) }
    }

    // MARK: With each commit

    /// Draws the token of a transaction; part of that.
    func drawToken(_ database: Database) throws -> [UInt8] {
        let token = try randomBytes(Self.tokenByteCount)
        let former = try state.withLock(\.token) ?? Self.tokens(try Self.lastCommits(database))[0]
        try database.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [.text(LedgerSchema.MetaKey.lastCommits), .blob(token + former)])
        return token
    }

    /// The transaction is in the log, and nobody was told of it yet. What cannot be noted lets more be missed than was lost,
    /// and no less.
    func note(_ token: [UInt8]) {
        state.withLock { state in
            state.token = token
            guard let file = state.file, (try? file.write(token, at: 0)) != nil, state.isBehindMerge else { return }
            // From here on an older token on the disk, as a power cut may leave one, is none of those that the ledger has
            // without its log.
            state.isBehindMerge = (try? file.synchronizeData()) == nil
        }
    }

    /// The ledger has everything without its log.
    func noteMerge() { state.withLock { $0.isBehindMerge = true } }

    // MARK: The end

    /// Before the log goes: after a crash in between one is there that nobody asks for.
    func clear() throws(StoreError) {
        state.withLock { $0.file = nil }
        if try root.unlink(StoreLayout.ledgerLogInUse) { try root.synchronize() }
    }

    /// The log went with the ledger's end, although it could not be emptied before.
    func clearIfLogIsGone() throws(StoreError) {
        if !root.contains(StoreLayout.ledgerWriteAheadLog) { try clear() }
    }

    private static func lastCommits(_ database: Database) throws -> [UInt8]? {
        try database.blob("SELECT value FROM meta WHERE key = ?", [.text(LedgerSchema.MetaKey.lastCommits)])
    }

    /// Of the last commit and of the one before it; zeros where there was none.
    private static func tokens(_ bytes: [UInt8]?) -> [[UInt8]] {
        let known = bytes ?? []
        let whole = known.count == 2 * tokenByteCount ? known : [UInt8](repeating: 0, count: 2 * tokenByteCount)
        return [Array(whole.prefix(tokenByteCount)), Array(whole.suffix(tokenByteCount))]
    }
}
