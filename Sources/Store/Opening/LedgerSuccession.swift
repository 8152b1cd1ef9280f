internal import GRDB
import Glibc

/// An older ledger on its way into the place of the ledger, as `ledger.new`.
enum LedgerSuccession {
    /// What an attempt that was cut off has left. A log must never meet a ledger that it was not written for.
    static func clear(in root: Folder) throws {
        for suffix in ["", "-wal", "-shm"] { try root.unlink(StoreLayout.newLedger + suffix) }
    }

    /// Before anything of it is read or changed.
    /// - Parameter source: where it came from, for people
    /// - Returns: what is wrong with its pages; nil where they are sound.
    /// - Throws: `unusable` for one that holds what this program never writes
    static func complaint(path: String, from source: String) throws(StoreError) -> String? {
        do throws(StoreError) {
            return try ImmutableLedger.open(path: path + "/" + StoreLayout.newLedger).complaint(thorough: true)
        } catch {
            switch error {
            case .foreignLedger(let entries):
                throw .unusable(
                    "The ledger of \(source) holds what Safelight never writes (\(entries)). Nothing of that was run. "
                        + "Somebody was able to write there: try an older state (--state), or another backup.")
            case .ledgerDamaged(let reason): return reason
            default: throw error
            }
        }
    }

    /// Before it takes the ledger's place: after a power cut in between, nobody would know that it was a copy.
    /// - Parameter leavesLog: for a backup, which goes along to no bucket, whatever the data directory did that it is of
    static func renewSessionMark(in root: Folder, path: String, leavesLog: Bool = false) throws {
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.newLedger)
            try pool.write { database in
                try LedgerTransaction(database, failures: .init()).renewSessionMark()
                if leavesLog {
                    for key in LedgerSchema.MetaKey.ofBucket {
                        try database.run("DELETE FROM meta WHERE key = ?", [.text(key)])
                    }
                }
            }
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
        for suffix in ["-wal", "-shm"] { try root.unlink(StoreLayout.newLedger + suffix) }
    }

    /// Complete on disk first, then under the ledger's name.
    static func takePlace(in root: Folder) throws {
        try root.open(StoreLayout.newLedger, O_RDONLY).synchronize()
        try root.rename(StoreLayout.newLedger, to: StoreLayout.ledger)
        try root.synchronize()
    }
}
