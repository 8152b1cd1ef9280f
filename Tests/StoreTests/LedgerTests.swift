import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("The ledger")
struct LedgerTests {
    @Test("a commit is only known to have failed when the log had no room for it")
    func uncertainCommits() {
        #expect(!GroupCommit.leavesCommitUncertain(DatabaseError(resultCode: .SQLITE_FULL)))
        // SQLite syncs the log before its index grows.
        #expect(GroupCommit.leavesCommitUncertain(DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)))
        #expect(GroupCommit.leavesCommitUncertain(DatabaseError(resultCode: .SQLITE_IOERR_FSYNC)))
    }

    @Test("syncs every commit, although GRDB would not")
    func synchronous() throws {
        let folder = try TemporaryFolder()
        let pool = try LedgerConnection.open(path: folder.path + "/ledger.sqlite")
        let setting = try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(setting == 2)
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            #expect(throws: StoreError.self) { try LedgerConnection.requireDurability(of: database) }
        }
        let secure = try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA secure_delete") }
        #expect(secure == 1)
        try pool.close()
    }

    @Test("takes rows of 512 bytes only, and only the wrong one is refused")
    func rowSize() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = RowID.random()
        for count in [0, 511, 513] {
            #expect(throws: StoreError.self) {
                try sample.store.change { try $0.putRow(id, [UInt8](repeating: 0, count: count)) }
            }
        }
        try sample.store.put(id, 1)
        try sample.store.put(id, 2)
        #expect(try sample.store.ledger.readBlocking { try $0.row(id)?.first } == 2)
        try sample.store.change { try $0.deleteRow(id) }
        #expect(try sample.store.ledger.readBlocking { try $0.row(id) } == nil)
        try sample.close()
    }

    @Test("begins with the cover rows, and lists every row once")
    func scan() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let mine = RowID.random()
        try store.put(mine, 42)
        #expect(try await store.ledger.read { try $0.rowCount() } == 71)
        let found = try store.ledger.readBlocking { reader in
            var found: [RowID: [UInt8]] = [:]
            try reader.forEachRow { id, body in found[id] = [UInt8](body) }
            return found
        }
        #expect(found.count == 71 && found[mine] == [UInt8](repeating: 42, count: 512))
        #expect(found.values.allSatisfy { $0.count == 512 })
        try sample.close()
    }

    @Test("closed, it is asked for nothing any more: what comes late gets an error or finds nothing to do")
    func closed() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        try store.put(.random(), 1)
        try store.close()
        try store.quiesce()
        #expect(throws: StoreError.self) { try store.ledger.checkpoint() }
        #expect(throws: StoreError.self) { try store.ledger.renewCopies() }
        #expect(throws: StoreError.self) { try store.ledger.readBlocking { try $0.metaValue("a") } }
        #expect(throws: (any Error).self) { try store.previews.checkpoint() }
    }

    @Test("once it is quiet, both copies are what it is, over what they were, and its log is empty")
    func oneMoment() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let row = RowID.random()
        try store.put(row, 1)
        try store.quiesce()
        let root = try Folder.open(path: sample.path)
        let former = try StoreLayout.ledgerCopies.map { try root.open($0, O_RDONLY) }
        try store.put(row, 2)
        try store.quiesce()
        #expect(try store.ledger.rowsInCopies(row).map(\.first) == [2, 2])
        let ledger = try root.open(StoreLayout.ledger, O_RDONLY)
        for name in StoreLayout.ledgerCopies {
            let copy = try root.open(name, O_RDONLY)
            let size = Int(try ledger.byteCount())
            #expect(try copy.bytes(at: 0, count: size + 1) == ledger.bytes(at: 0, count: size))
        }
        for (file, name) in zip(former, StoreLayout.ledgerCopies) {
            #expect(try file.status().st_ino == root.open(name, O_RDONLY).status().st_ino)
        }
        #expect(try root.byteCount(of: StoreLayout.ledgerWriteAheadLog) == 0)
        try sample.close()
    }

    @Test("no number in clear tells how often it was made quiet", arguments: [1, 7])
    func uncounted(times: Int) throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let row = RowID.random()
        try store.put(row, 1)
        try store.quiesce()
        let before = try counts(of: sample)
        for _ in 0..<times { try store.ledger.renewCopies() }
        try store.quiesce()
        #expect(try counts(of: sample) == before)
        try sample.close()
    }

    /// All values of `meta` but random ones, and what SQLite counts in the first page of each file.
    private func counts(of sample: SampleStore) throws -> [String: [UInt8]] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: sample.file(StoreLayout.ledger).path, configuration: configuration)
        var found = try queue.read { database in
            Dictionary(
                uniqueKeysWithValues: try Row.fetchAll(database, sql: "SELECT key, value FROM meta").map {
                    ($0["key"] as String, [UInt8]($0["value"] as Data))
                })
        }
        try queue.close()
        found[LedgerSchema.MetaKey.lastCommits] = nil
        let root = try Folder.open(path: sample.path)
        for name in [StoreLayout.ledger] + StoreLayout.ledgerCopies {
            let header = try root.open(name, O_RDONLY).bytes(at: 0, count: 100)
            found[name] = Array(header[24..<28] + header[92..<96])
        }
        return found
    }

    @Test("what is overwritten is zeros to its end, and as it was before that")
    func truncation() throws {
        let sample = try SampleStore()
        try sample.open()
        let root = try Folder.open(path: sample.path)
        let file = try root.openTemporary()
        try file.write([UInt8](repeating: 7, count: 3 << 20), at: 0)
        #expect(overwriteWithZeros(file.descriptor, from: 5))
        let content = try file.bytes(at: 0, count: 4 << 20)
        #expect(content.count == 3 << 20 && content.prefix(5).allSatisfy { $0 == 7 })
        #expect(content.dropFirst(5).allSatisfy { $0 == 0 })
        try sample.close()
    }

    @Test("draws so widely how many cover rows there are that a vault more or less is lost in it")
    func coverRows() {
        let counts = (0..<4000).map { _ in StoreConfiguration(path: "/").coverRowCount }.sorted()
        #expect(counts[0] >= 256 && counts[3999] <= 8192)
        // Of two stores, how often does the one with two vaults more have more rows? Half of the time would be chance.
        let more = (0..<4000).count { _ in counts.randomElement() ?? 0 < (counts.randomElement() ?? 0) + 34 }
        #expect(more < 2200)
    }

    @Test("keeps small values and throttle entries by key")
    func smallValues() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.store.change { transaction in
            try transaction.setMetaValue("a", [1, 2])
            try transaction.setMetaValue("b", [3])
            try transaction.setMetaValue("b", nil)
            try transaction.setThrottleEntry([1], [9])
            try transaction.setThrottleEntry([2], [8])
            try transaction.setThrottleEntry([2], [7])
            #expect(try transaction.throttleEntries().count == 2)
            #expect(try transaction.throttleEntry([2]) == [7])
        }
        try sample.store.ledger.readBlocking { (reader) throws -> Void in
            #expect(try reader.metaValue("a") == [1, 2])
            #expect(try reader.metaValue("b") == nil)
            #expect(try reader.throttleEntry([1]) == [9])
            #expect(try reader.throttleEntries().map(\.value) == [[9], [7]])
        }
        try sample.close()
    }

    @Test("does not keep deleted rows in its files after a checkpoint and both copies")
    func secureDelete() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = RowID.random()
        let body = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
        try sample.store.change { try $0.putRow(id, body) }
        try sample.store.ledger.renewCopies()
        try sample.store.ledger.checkpoint()
        let names = ["ledger.sqlite", "ledger.sqlite-wal", "ledger.copy-0", "ledger.copy-1"]
        #expect(try filesContaining(body, names, sample) == ["ledger.sqlite", "ledger.copy-0", "ledger.copy-1"])
        try sample.store.change { try $0.deleteRow(id) }
        try sample.store.ledger.renewCopies()
        try sample.store.ledger.checkpoint()
        #expect(try filesContaining(body, names, sample) == [])
        try sample.close()
    }

    private func filesContaining(_ body: [UInt8], _ names: [String], _ sample: SampleStore) throws -> [String] {
        try names.filter { try Data(contentsOf: sample.file($0)).range(of: Data(body)) != nil }
    }
}
