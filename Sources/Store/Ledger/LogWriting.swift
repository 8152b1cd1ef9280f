internal import GRDB
import Glibc
import Synchronization

/// What a group of changes does besides, where the ledger goes along with a log in a bucket: before the COMMIT its rows are
/// put there, as one entry.
struct LogWriting: Sendable {
    typealias SlotWrite = (position: UInt32, bytes: [UInt8])

    let log: LedgerLog
    let slots: SlotTable
    let objects: ObjectTier
    /// On whose file system a long entry may lie.
    let folder: Folder

    /// In the transaction, once everything of it is written. The slots are written here behind the entry: what is cut off
    /// between them is done by the next start.
    /// - Returns: whether there is an entry of it, or a seal: what concerns this host alone needs none.
    func write(_ database: Database, _ slotWrites: [SlotWrite], beginsEpoch: Bool) throws -> Bool {
        let wasUnsettled = log.isUnsettled
        let pending = Dictionary(slotWrites.map { ($0.position, $0.bytes) }) { _, last in last }
        for position in pending.keys {
            try ChangedRows.note(Self.row(ofSlot: position), database)
        }
        var hasEntry: Bool?
        while hasEntry == nil {
            do { hasEntry = try writeOnce(database, pending, beginsEpoch: beginsEpoch) } catch is LedgerLog.Moved {}
        }
        try slots.writeHere(slotWrites)
        if hasEntry == true, wasUnsettled { try forgetRefused(database) }
        try ChangedRows.clear(database)
        return hasEntry ?? false
    }

    // MARK: After a failure

    private static let refusedKey = SQLValue.text(LedgerSchema.MetaKey.logRefused)

    /// Blocking, on the ledger's writer thread. Takes back what stands in the bucket of changes that failed, and finds out
    /// what nobody knows: whoever goes on there must not find saved what somebody was told is not. Once the entry that does
    /// so stands it is settled, whatever becomes of the commit here: it says what is so here.
    func settle(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { database in
            try database.run("BEGIN IMMEDIATE")
            do {
                while log.isUnsettled {
                    do { try settleOnce(database) } catch is LedgerLog.Moved {}
                }
                try LogReplay.set(log.mark, database)
                try forgetRefused(database)
                try ChangedRows.clear(database)
                try database.run("COMMIT")
            } catch {
                if database.isInsideTransaction { try? database.rollback() }
                throw error
            }
        }
        log.didCommit()
    }

    private func settleOnce(_ database: Database) throws {
        try log.requireWriting()
        try takeBackUndone(database)
        // Without a row, where all that is known is that an entry may stand: then this one is in its place.
        guard let body = try entry(database, [:], mayBeEmpty: true) else { return }
        try log.append(body, changesNothing: true)
    }

    private func forgetRefused(_ database: Database) throws {
        try database.run("DELETE FROM meta WHERE key = ?", [Self.refusedKey])
    }

    /// For the next start, where this process ends before all is settled.
    func noteRefused(_ pool: DatabasePool) throws {
        try pool.write { database in
            try database.run(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [Self.refusedKey, .blob(RefusedEntry.bytes(of: log.refused))])
            try ChangedRows.clear(database)
        }
    }

    // MARK: An entry

    /// What concerns this host alone needs no bucket, whatever became of that.
    private func writeOnce(
        _ database: Database, _ pending: [UInt32: [UInt8]], beginsEpoch: Bool
    ) throws -> Bool {
        guard try beginsEpoch || ChangedRows.concernOthers(database) else { return false }
        try log.requireWriting()
        try takeBackUndone(database)
        let body = try entry(database, pending)
        if let body {
            try LogReplay.set(LogMark(body.position, log.mark.writer), database)
            try log.append(body, changesNothing: false)
        }
        if beginsEpoch {
            try log.seal()
            try LogReplay.set(log.mark, database)
        }
        return body != nil || beginsEpoch
    }

    /// Nil where nothing has changed that concerns others.
    private func entry(
        _ database: Database, _ pending: [UInt32: [UInt8]], mayBeEmpty: Bool = false
    ) throws -> LogEntryBody? {
        let writer = try LogEntryWriter(log.nextHeader, in: folder)
        var isEmpty = true
        var listed: [ObjectID] = []
        let slot: (UInt32) throws -> [UInt8] = { position in try pending[position] ?? slots.read(position) }
        try ChangedRows.forEach(database, slot: slot) { row in
            isEmpty = false
            if let id = row.listedObject { listed.append(id) }
            try writer.append(row)
        }
        guard !isEmpty || mayBeEmpty else { return nil }
        try log.atBucket { try objects.require(listed) }
        return try writer.finish()
    }

    private func takeBackUndone(_ database: Database) throws {
        for refused in log.undone { try log.atBucket { try takeBack(refused.position, database) } }
    }

    /// An entry that stands and is not in this ledger: its rows go along once more as they are here, and what it lists and
    /// nobody here does is to be removed.
    private func takeBack(_ position: LogPosition, _ database: Database) throws {
        try ObjectTier.reaching {
            guard let entry = try LogEntryReader.open(position, in: log.remote) else {
                throw StoreError.ledgerDamaged("an entry of its log in the bucket is gone")
            }
            try entry.forEachRow { row in
                try ChangedRows.note(row, database)
                guard let id = row.listedObject,
                    try !database.hasRow("SELECT 1 FROM object WHERE id = ?", [.id(id)]),
                    // It goes on: its last step was what failed.
                    try !database.hasRow("SELECT 1 FROM upload WHERE part = ?", [.id(id)])
                else { return }
                try database.run("INSERT OR IGNORE INTO doomed (id) VALUES (?)", [.id(id)])
            }
        }
    }

    static func row(ofSlot position: UInt32) -> LogRow {
        LogRow(table: LogTable.slots, key: .integer(Int64(position)), values: nil)
    }
}

extension LogRow {
    /// The object that this row puts on the list of those that live.
    fileprivate var listedObject: ObjectID? {
        guard table == LogTable.objects.number, values != nil, case .blob(let bytes) = key else { return nil }
        return ObjectID(bytes: bytes)
    }
}

/// Does to a ledger what an entry of the log says: all of it with the mark behind it, or nothing. Rows stand there whole,
/// so what was done already may be done again.
struct LogReplay {
    let pool: DatabasePool
    let slots: SlotTable

    func apply(_ entry: LogEntryReader, _ mark: LogMark) throws {
        try translatingLedgerErrors {
            try pool.write { database in
                var slots: [(position: UInt32, bytes: [UInt8])] = []
                let isClosed = try JoinedLedger.isClosed(to: entry.header.writer, database)
                try entry.forEachRow { row in
                    if isClosed, row.table != LogTable.meta.number { throw JoinedLedger.changed }
                    if row.table == LogTable.slots {
                        slots.append(try Self.slot(row))
                    } else {
                        try Self.apply(row, database)
                    }
                }
                // Before the mark: behind it nobody would write them any more.
                try self.slots.writeHere(slots)
                try Self.set(mark, database)
            }
        }
    }

    static func set(_ mark: LogMark, _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [.text(LedgerSchema.MetaKey.logPosition), .blob(mark.bytes)])
    }

    private static func slot(_ row: LogRow) throws -> (position: UInt32, bytes: [UInt8]) {
        guard case .integer(let number) = row.key, let position = UInt32(exactly: number),
            position < SlotTable.slotCount, case .blob(let bytes)? = row.values?.first,
            bytes.count == SlotTable.slotByteCount
        else { throw StoreError.ledgerDamaged("an entry of its log names a slot that is none") }
        return (position, bytes)
    }

    private static func apply(_ row: LogRow, _ database: Database) throws {
        guard !ChangedRows.isLocal(row), let table = LogTable.numbered(row.table) else { return }
        guard let values = row.values else {
            return try database.run("DELETE FROM \(table.name) WHERE \(table.key) = ?", [SQLValue(row.key)])
        }
        guard !table.tellsOnlyOfRemoval else { return }
        // Somebody may be removing it at this moment, however late: an upload of here that has it begins anew.
        if row.table == LogTable.doomed.number {
            try database.run("DELETE FROM upload WHERE part = ?", [SQLValue(row.key)])
        }
        let columns = [table.key] + table.columns
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        try database.run(
            "INSERT OR REPLACE INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(places))",
            [SQLValue(row.key)] + values.map { SQLValue($0) })
    }
}

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
