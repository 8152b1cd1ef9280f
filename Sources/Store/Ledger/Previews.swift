internal import GRDB
import Synchronization

/// Sealed previews, in a database of their own beside the ledger. All of them can be made again from the originals: what
/// a power cut or a damage takes is no loss, and a file that cannot be read gives way to a new one. All functions block.
package final class Previews: Sendable {
    private static let reapBatchCount = 1000
    /// A thumbnail and a preview, padded.
    private static let mostBytesOfOnePhoto: UInt64 = 4 << 20

    private let ledger: Ledger
    private let reserve: DiskReserve
    private let making = PreviewsInMaking()
    private let file: PreviewFile

    /// Opens the file, or begins a new one. Where neither is possible there are no previews for now.
    init(_ file: PreviewFile, ledger: Ledger, reserve: DiskReserve) {
        self.file = file
        self.ledger = ledger
        self.reserve = reserve
        file.openIfNeeded()
    }

    /// False while the file cannot be opened: then none can be read, and none is kept.
    package var isOpen: Bool { file.isOpen }

    /// Why it cannot be opened; nil while it is open.
    package var failure: (any Error)? { file.failure }

    /// Tries again to open a file that could not be opened.
    package func openIfNeeded() { file.openIfNeeded() }

    // MARK: Reading and writing

    /// The sealed body; nil when there is none, or none that can be read.
    package func body(_ id: PreviewID) throws -> [UInt8]? {
        do {
            return try file.use { pool in
                try pool.read { try $0.blob("SELECT body FROM preview WHERE id = ?", [PreviewDatabase.key(id)]) }
            }
        } catch is PreviewFile.BegunAnew, is PreviewFile.Unavailable {
            return nil
        }
    }

    /// Before anybody makes what could not be kept.
    /// - Throws: `diskFull`.
    package func requireRoom() throws { try reserve.requireRoom(for: Self.mostBytesOfOnePhoto) }

    /// In one transaction; each takes the place of one that was there.
    /// - Parameter replacing: false where one that is there stays.
    /// - Throws: `diskFull`, `unusable` while there is no file.
    package func put(_ bodies: [(id: PreviewID, body: [UInt8])], replacing: Bool = true) throws {
        try reserve.requireRoom(for: UInt64(bodies.reduce(0) { $0 + $1.body.count }))
        do {
            do {
                try write(bodies, replacing)
            } catch is PreviewFile.BegunAnew {
                try write(bodies, replacing)
            }
        } catch is PreviewFile.Unavailable {
            throw StoreError.unusable("The previews cannot be opened.")
        }
    }

    private func write(_ bodies: [(id: PreviewID, body: [UInt8])], _ replacing: Bool) throws {
        try file.use { pool in
            try pool.write { database in
                for (id, body) in bodies {
                    try database.run(
                        "INSERT OR \(replacing ? "REPLACE" : "IGNORE") INTO preview (id, body) VALUES (?, ?)",
                        [PreviewDatabase.key(id), .blob(body)])
                }
            }
        }
    }

    /// Runs `body`, in which previews with these ids may be put. A deletion that was committed before has to be looked
    /// for inside; one that comes later waits for the end.
    /// - Parameter afterDeletion: runs when there was one, after an error too; it is to call `reapDoomed`.
    package func making(
        _ ids: [PreviewID], _ body: () async throws -> Void, afterDeletion: () async -> Void
    ) async throws {
        making.begin(ids)
        do {
            try await body()
        } catch {
            if making.end(ids) { await afterDeletion() }
            throw error
        }
        if making.end(ids) { await afterDeletion() }
    }

    // MARK: Removing

    /// Takes out what the ledger lists as doomed, then clears the list. Never from within a change or a participant.
    package func reapDoomed() throws {
        // The list stays, for when the file can be opened again.
        guard isOpen else { return }
        var left: Set<PreviewID> = []
        while true {
            let batch = try ledger.readBlocking { try $0.doomedPreviews(limit: Self.reapBatchCount + left.count) }
                .filter { !left.contains($0) }
            guard !batch.isEmpty else { return }
            let postponed = Set(batch.filter(making.postpone))
            let reaped = batch.filter { !postponed.contains($0) }
            left.formUnion(postponed)
            guard !reaped.isEmpty else { continue }
            try remove(reaped)
            try ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    for id in reaped { try transaction.forgetDoomed(id) }
                })
        }
    }

    /// Takes these out. Those of photos that are deleted go by the ledger's list.
    /// - Throws: `Unavailable` while there is no file.
    package func remove(_ ids: [PreviewID]) throws {
        do {
            try file.use { pool in
                try pool.writeWithoutTransaction { try Self.remove(ids, $0) }
            }
        } catch is PreviewFile.BegunAnew {
            // They went with everything else.
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
        try file.use { pool in try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) } }
    }

    /// How many there are.
    package func count() throws -> Int {
        try file.use { pool in
            try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM preview") ?? 0 }
        }
    }

    func close() throws {
        try? checkpoint()
        try file.close()
    }
}

/// Previews that somebody is making: a deletion that comes in the meantime stays on the ledger's list until they are
/// put, so that none is left behind by a crash in between.
final class PreviewsInMaking: Sendable {
    private struct State {
        var counts: [PreviewID: Int] = [:]
        /// On the list while they are being made.
        var doomed: Set<PreviewID> = []
    }

    private let state = Mutex(State())

    func begin(_ ids: [PreviewID]) {
        state.withLock { state in for id in ids { state.counts[id, default: 0] += 1 } }
    }

    /// - Returns: whether one of them is to be removed now.
    func end(_ ids: [PreviewID]) -> Bool {
        state.withLock { state in
            var isDoomed = false
            for id in ids {
                let left = (state.counts[id] ?? 1) - 1
                state.counts[id] = left > 0 ? left : nil
                if left == 0, state.doomed.remove(id) != nil { isDoomed = true }
            }
            return isDoomed
        }
    }

    /// Whether it is being made; then `end` tells whoever does that it is to be removed.
    func postpone(_ id: PreviewID) -> Bool {
        state.withLock { state in
            guard state.counts[id] != nil else { return false }
            state.doomed.insert(id)
            return true
        }
    }
}
