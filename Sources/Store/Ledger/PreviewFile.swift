import Dispatch
internal import GRDB
import Glibc
import Synchronization

/// `previews.sqlite` while it is open, and its replacement by a new one: all of it can be made again, so nobody is kept
/// from the photos by a file that cannot be read. What cannot be opened for want of room or the like is left alone, and
/// tried again later. All functions block.
final class PreviewFile: Sendable {
    private struct State {
        /// Nil while it cannot be opened, and once it is closed.
        var pool: DatabasePool?
        /// Why it cannot be opened.
        var failure: (any Error)?
        var isClosed = false
    }

    /// There is none to be used at the moment.
    struct Unavailable: Error {}
    /// What was there could not be read; an empty one has taken its place.
    struct BegunAnew: Error {}
    /// Found in this one.
    private struct Damage: Error {
        let pool: DatabasePool
        let cause: any Error
    }

    private let root: Folder
    private let path: String
    private let today: @Sendable () -> UInt32
    private let note: @Sendable (String) -> Void
    /// Who uses the database runs on this queue; who replaces it is alone there.
    private let access = DispatchQueue(label: "previews", attributes: .concurrent)
    private let state = Mutex(State())

    /// - Parameter note: gets a sentence for the log.
    init(
        root: Folder, path: String, today: @escaping @Sendable () -> UInt32, note: @escaping @Sendable (String) -> Void
    ) {
        self.root = root
        self.path = path
        self.today = today
        self.note = note
    }

    /// Whether it can be used.
    var isOpen: Bool { state.withLock { $0.pool != nil } }

    /// Why it cannot be opened, in the store's terms; nil while it is open.
    var failure: (any Error)? { state.withLock { $0.pool == nil ? $0.failure.map(StoreError.translating) : nil } }

    /// Nothing if it is open; else tries again.
    func openIfNeeded() {
        guard !isOpen else { return }
        access.sync(flags: .barrier) {
            guard state.withLock({ $0.pool == nil && !$0.isClosed }) else { return }
            do {
                try openOrReplace()
            } catch {
                complain(error)
            }
        }
    }

    /// - Throws: `BegunAnew`, `Unavailable`, and `StoreError` for everything that may pass.
    func use<R>(_ body: (DatabasePool) throws -> R) throws -> R {
        do {
            return try access.sync { try attempt(body) }
        } catch let damage as Damage {
            try replace(damage)
            throw BegunAnew()
        }
    }

    private func attempt<R>(_ body: (DatabasePool) throws -> R) throws -> R {
        guard let pool = state.withLock({ $0.pool }) else { throw Unavailable() }
        do {
            return try body(pool)
        } catch {
            guard Self.isBeyondReading(error) else { throw StoreError.translating(error) }
            throw Damage(pool: pool, cause: error)
        }
    }

    func close() throws {
        try access.sync(flags: .barrier) {
            state.withLock { $0.isClosed = true }
            try translatingLedgerErrors { try closePool() }
        }
    }

    // MARK: Replacing

    /// Of several who met the damage, the first replaces the file.
    private func replace(_ damage: Damage) throws {
        try access.sync(flags: .barrier) {
            guard state.withLock({ $0.pool === damage.pool }) else { return }
            // Before anything is removed: closing removes the log by its name.
            try? closePool()
            do {
                try beginAnew(because: damage.cause)
            } catch {
                complain(error)
                throw Unavailable()
            }
        }
    }

    private func openOrReplace() throws {
        do {
            take(try open())
        } catch {
            guard Self.isBeyondReading(error) else { throw error }
            try beginAnew(because: error)
        }
    }

    private func beginAnew(because error: any Error) throws {
        let folder = try discard()
        take(try open())
        note(
            "The previews could not be read (\(Self.reason(error))); they are made again."
                + (folder.map { " What stood in their place is in \($0)." } ?? ""))
    }

    private func take(_ pool: DatabasePool) {
        state.withLock { state in
            state.pool = pool
            state.failure = nil
        }
    }

    /// Said once for each reason.
    private func complain(_ error: any Error) {
        let reason = Self.reason(error)
        let isNew = state.withLock { state in
            defer { state.failure = error }
            return state.failure.map(Self.reason) != reason
        }
        guard isNew else { return }
        note(
            "The previews cannot be opened (\(reason)). Photos are kept and shown without pictures; it is tried again "
                + "when a vault is opened.")
    }

    private func closePool() throws {
        let pool = state.withLock { state in
            defer { state.pool = nil }
            return state.pool
        }
        pool?.invalidateReadOnlyConnections()
        try pool?.close()
    }

    private func open() throws -> DatabasePool {
        // Made here, because SQLite would make it readable for others.
        if try root.openIfPresent(StoreLayout.previews, O_RDWR) == nil {
            _ = try root.open(StoreLayout.previews, O_RDWR | O_CREAT | O_EXCL)
        }
        let pool = try PreviewDatabase.open(path: path + "/" + StoreLayout.previews)
        do {
            guard try pool.read(PreviewDatabase.isOurs) else { throw PreviewDatabase.Foreign() }
            return pool
        } catch {
            try? pool.close()
            throw error
        }
    }

    /// Files go: nothing can be won from them, and they may show photos that are deleted later. What is no file is
    /// nobody's work here, and is put aside.
    /// - Returns: where to.
    private func discard() throws -> String? {
        let others = try StoreLayout.previewFiles.filter { try !isGone($0) }
        var folder: String?
        if !others.isEmpty { folder = try root.moveDamagedAside(others, day: today()) }
        try root.synchronize()
        return folder
    }

    /// False where it is a folder.
    private func isGone(_ name: String) throws -> Bool {
        do {
            try root.unlink(name)
            return true
        } catch .ioFailed(_, EISDIR) {
            return false
        }
    }

    // MARK: Faults

    /// Whether only a new file helps. What may pass, such as a full disk, is no reason to throw anything away.
    private static func isBeyondReading(_ error: any Error) -> Bool {
        switch error {
        case is PreviewDatabase.Foreign: true
        case let error as DatabaseError: isBeyondReading(error)
        // By the folder's own answer: wrong rights, or no file at all.
        case StoreError.ioFailed(_, let code): [EACCES, EPERM, EISDIR, ELOOP, ENXIO, ENODEV, EIO].contains(code)
        default: false
        }
    }

    private static let passing: [ResultCode] = [
        .SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC, .SQLITE_IOERR_TRUNCATE,
        .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_NOMEM, .SQLITE_IOERR_LOCK, .SQLITE_IOERR_RDLOCK,
        .SQLITE_IOERR_UNLOCK, .SQLITE_IOERR_CHECKRESERVEDLOCK,
    ]

    private static func isBeyondReading(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        // What is asked for is right for our table: another one is there.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT: true
        // The file itself could be opened for writing: its log or index cannot.
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: true
        // What the disk does not take now it may take later.
        case .SQLITE_IOERR: !passing.contains(error.extendedResultCode)
        default: false
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case is PreviewDatabase.Foreign: "they are not of this program"
        case let error as DatabaseError: error.message ?? "\(error.resultCode)"
        default: "\(error)"
        }
    }
}

/// How `previews.sqlite` is opened, and what is in it.
///
/// The key of a row is the first half of its id, as an integer: so rows stand in no order that says when they came, and
/// a body is found without an index. A table without rowid, by the whole id, took twice the time for writing and twenty
/// times that for reading, for bodies of this size fill its inner pages.
enum PreviewDatabase {
    private static let pageByteCount = 16_384

    static func open(path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "previews"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try WrittenSchema.distrust(database.sqliteConnection)
            // Counts only before the first table is made.
            try database.execute(sql: "PRAGMA page_size = \(pageByteCount)")
            try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
        }
        try SQLiteSystemCalls.prepare()
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { database in
            // What a power cut takes is made again, so nobody waits for the disk.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try LedgerConnection.setGrowth(of: database)
            if try String.fetchAll(database, sql: WrittenSchema.query).isEmpty {
                try database.execute(sql: "CREATE TABLE \(table.name)\(table.definition)")
            }
        }
        return pool
    }

    private static let table = (
        name: "preview", definition: "(id INTEGER PRIMARY KEY NOT NULL, body BLOB NOT NULL) STRICT"
    )
    /// What `sqlite_schema` holds, word for word.
    static let written = WrittenSchema([(table.name, [table.definition])])

    /// What stands in the place of the previews is somebody else's.
    struct Foreign: Error {}

    /// Whether the table is the one that `open` makes, and all there is.
    static func isOurs(_ database: Database) throws -> Bool { try written.foreignEntries(in: database) == nil }

    static func key(_ id: PreviewID) -> SQLValue { .integer(Int64(bitPattern: id.high)) }
}
