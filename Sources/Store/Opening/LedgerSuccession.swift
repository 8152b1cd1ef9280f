internal import GRDB

/// An older ledger on its way into the place of the ledger, as `ledger.new`.
enum LedgerSuccession {
    /// Before it takes the ledger's place: after a power cut in between, nobody would know that it was a copy.
    static func renewSessionMark(in root: Folder, path: String) throws {
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path + "/" + StoreLayout.newLedger)
            try pool.write { try LedgerTransaction($0, failures: .init()).renewSessionMark() }
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
        for suffix in ["-wal", "-shm"] { try root.unlink(StoreLayout.newLedger + suffix) }
    }
}
