import Dispatch
internal import GRDB
import Glibc
import Synchronization

/// Sealed previews, in a database of their own beside the ledger. All of them can be made again from the originals: what
/// a power cut or a damage takes is no loss, and a file that cannot be read is moved aside and begun anew. All functions
/// block.
package final class Previews: Sendable {
    private static let reapBatchCount = 1000

    private let root: Folder
    private let path: String
    private let today: @Sendable () -> UInt32
    private let ledger: Ledger
    private let reserve: DiskReserve
    private let making = PreviewsInMaking()
    /// Who uses the database runs on this queue; who replaces it is alone there.
    private let access = DispatchQueue(label: "previews", attributes: .concurrent)
    private let file = Mutex(File())

    private struct File {
        /// Nil once it is closed.
        var pool: DatabasePool?
        /// Grows with every replacement.
        var generation = 0
    }

    /// - Parameter report: gets a sentence when the file was replaced.
    init(
        root: Folder, path: String, today: @escaping @Sendable () -> UInt32, ledger: Ledger, reserve: DiskReserve,
        _ report: inout StartupReport
    ) throws {
        self.root = root
        self.path = path
        self.today = today
        self.ledger = ledger
        self.reserve = reserve
        do {
            try begin()
        } catch StoreError.ledgerDamaged(let reason) {
            report.movedAside.append(try moveAside())
            report.notes.append("The previews could not be read (\(reason)); they are made again.")
            try begin()
        }
    }

    private func begin() throws {
        let opened = try Self.open(root, path)
        file.withLock { file in
            file.pool = opened
            file.generation += 1
        }
    }

    // MARK: Reading and writing

    /// The sealed body; nil when there is none, or none that can be read.
    package func body(_ id: PreviewID) throws -> [UInt8]? {
        let generation = generation
        do {
            return try using { pool in
                try pool.read { try $0.blob("SELECT body FROM preview WHERE id = ?", [PreviewDatabase.key(id)]) }
            }
        } catch StoreError.ledgerDamaged {
            try replace(generation)
            return nil
        }
    }

    /// In one transaction; each takes the place of one that was there.
    /// - Throws: `diskFull`.
    package func put(_ bodies: [(id: PreviewID, body: [UInt8])]) throws {
        try reserve.requireRoom(for: UInt64(bodies.reduce(0) { $0 + $1.body.count }))
        let generation = generation
        do {
            try write(bodies)
        } catch StoreError.ledgerDamaged {
            try replace(generation)
            try write(bodies)
        }
    }

    private func write(_ bodies: [(id: PreviewID, body: [UInt8])]) throws {
        try using { pool in
            try pool.write { database in
                for (id, body) in bodies {
                    try database.run(
                        "INSERT OR REPLACE INTO preview (id, body) VALUES (?, ?)",
                        [PreviewDatabase.key(id), .blob(body)])
                }
            }
        }
    }

    /// Runs `body`, in which previews with these ids may be put. A deletion that was committed before has to be looked
    /// for inside; one that comes later waits for the end, and takes them out.
    package func making<R>(_ ids: [PreviewID], _ body: () async throws -> R) async rethrows -> R {
        making.begin(ids)
        defer { making.end(ids) }
        return try await body()
    }

    // MARK: Removing

    /// Takes out what the ledger lists as doomed, then clears the list. Never from within a change or a participant.
    package func reapDoomed() throws {
        var left: Set<PreviewID> = []
        while true {
            let batch = try ledger.readBlocking { try $0.doomedPreviews(limit: Self.reapBatchCount + left.count) }
                .filter { !left.contains($0) }
            guard !batch.isEmpty else { return }
            let reaped = batch.filter { !making.contains($0) }
            left.formUnion(batch.filter { making.contains($0) })
            guard !reaped.isEmpty else { continue }
            try remove(reaped)
            try ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    for id in reaped { try transaction.forgetDoomed(id) }
                })
        }
    }

    private func remove(_ ids: [PreviewID]) throws {
        let generation = generation
        do {
            try using { pool in
                try pool.writeWithoutTransaction { try Self.remove(ids, $0) }
            }
        } catch StoreError.ledgerDamaged {
            try replace(generation)
        }
    }

    private static func remove(_ ids: [PreviewID], _ database: Database) throws {
        // The ledger forgets them next, and it syncs every commit: what is gone must not come back.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
        try database.inTransaction {
            for id in ids { try database.run("DELETE FROM preview WHERE id = ?", [PreviewDatabase.key(id)]) }
            return .commit
        }
    }

    /// Empties the log, so that deleted content does not linger there.
    package func checkpoint() throws {
        try using { pool in _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
    }

    /// How many there are.
    package func count() throws -> Int {
        try using { pool in
            try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM preview") ?? 0 }
        }
    }

    // MARK: The file

    func close() throws {
        try? checkpoint()
        try access.sync(flags: .barrier) { try translatingLedgerErrors { try closeFile() } }
    }

    private var generation: Int { file.withLock { $0.generation } }

    private func using<R>(_ body: (DatabasePool) throws -> R) throws -> R {
        try access.sync {
            guard let pool = file.withLock({ $0.pool }) else {
                throw StoreError.failure("using closed previews", EBADF)
            }
            return try translatingLedgerErrors { try body(pool) }
        }
    }

    /// After a damage that shows while the daemon runs. Of several who met it, the first replaces the file.
    private func replace(_ damaged: Int) throws {
        try access.sync(flags: .barrier) {
            guard generation == damaged else { return }
            // Before anything is moved: closing removes the log by its name.
            try? closeFile()
            _ = try moveAside()
            try begin()
        }
    }

    private func closeFile() throws {
        let pool = file.withLock { file in
            defer { file.pool = nil }
            return file.pool
        }
        pool?.invalidateReadOnlyConnections()
        try pool?.close()
    }

    private static func open(_ root: Folder, _ path: String) throws -> DatabasePool {
        // Made here, because SQLite would make it readable for others.
        if try root.openIfPresent(StoreLayout.previews, O_RDONLY) == nil {
            _ = try root.open(StoreLayout.previews, O_RDWR | O_CREAT | O_EXCL)
        }
        return try translatingLedgerErrors { try PreviewDatabase.open(path: path + "/" + StoreLayout.previews) }
    }

    private func moveAside() throws -> String {
        try root.moveDamagedAside(StoreLayout.previewFiles, day: today())
    }
}
