import Bytes
import Foundation
internal import GRDB

/// Makes the layout of a new store. The header comes last: without it nothing counts as a store.
enum StoreCreation {
    static func run(
        in root: Folder, configuration: StoreConfiguration, makeHeader: () throws -> HostHeader
    ) throws {
        try root.open(StoreLayout.initialising, O_RDWR | O_CREAT).synchronize()
        try root.synchronize()
        try removeUnfinished(in: root)
        let header = try makeHeader()

        try ObjectFolders.create(in: root)
        try SlotTable.create(in: root, isFilled: configuration.fillsSlots)
        try DiskReserve(in: root, byteCount: configuration.reserveByteCount, floorByteCount: 0).allocate()
        try createLedger(in: root, configuration)
        try root.synchronize()

        try HeaderFile.create(header, in: root)
        try finish(in: root)
    }

    /// The header stands; the markers may go. With that of a restoration, the next one would put the older ledger over
    /// what has come to this store since.
    static func finish(in root: Folder) throws {
        let wasCreated = try root.unlink(StoreLayout.initialising)
        let wasRestored = try root.unlink(StoreLayout.restoring)
        if wasCreated || wasRestored { try root.synchronize() }
    }

    /// What an earlier attempt left. Only its own names, and folders only if they are empty, so that nothing anybody
    /// stored can be lost here.
    private static func removeUnfinished(in root: Folder) throws {
        for name in StoreLayout.filesOfCreation { try root.unlink(name) }
        for name in [StoreLayout.objects, StoreLayout.quarantine] where root.contains(name) {
            let folder = try root.folder(name)
            for entry in try folder.names() { try folder.removeFolder(entry) }
            try root.removeFolder(name)
        }
    }

    private static func createLedger(in root: Folder, _ configuration: StoreConfiguration) throws {
        let path = configuration.path + "/" + StoreLayout.ledger
        let file = try root.open(StoreLayout.ledger, O_RDWR | O_CREAT | O_EXCL)
        try translatingLedgerErrors {
            let pool = try LedgerConnection.open(path: path)
            try pool.write { database in
                try LedgerSchema.create(in: database)
                try addCoverRows(to: database, count: configuration.coverRowCount)
                let transaction = LedgerTransaction(database, failures: .init())
                let today = configuration.today()
                try transaction.addCoverSessions(configuration.coverSessionCountAtBirth(), today: today)
                try transaction.addCoverDoors(configuration.coverSessionCountAtBirth(), today: today)
                let day = today.bigEndianBytes
                try database.run(
                    "INSERT INTO meta (key, value) VALUES (?, ?)", [.text(LedgerSchema.MetaKey.lastDay), .blob(day)])
            }
            try makeCopies(of: pool, in: root, configuration)
            try pool.writeWithoutTransaction { try $0.checkpointIfOpen(.truncate) }
            pool.invalidateReadOnlyConnections()
            try pool.close()
        }
        try file.synchronize()
    }

    /// Random rows that no vault owns: without them the number of rows would tell the number of vaults. Their own
    /// number is recorded nowhere.
    private static func addCoverRows(to database: Database, count: Int) throws {
        for _ in 0..<count {
            try database.run(
                "INSERT INTO row (id, body) VALUES (?, ?)",
                [.id(RowID.random()), .blob(try randomBytes(LedgerSchema.rowByteCount))])
        }
    }

    private static func makeCopies(of pool: DatabasePool, in root: Folder, _ configuration: StoreConfiguration) throws {
        let copies = LedgerCopies(root: root, path: configuration.path, today: configuration.today)
        try copies.renew(from: pool) { change in
            try pool.write { database in
                try change.apply(LedgerTransaction(database, failures: .init()), nil)
            }
        }
    }
}
