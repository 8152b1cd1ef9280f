import Foundation
import StoreSupport
import Testing

@testable import Store

@Suite("A damaged ledger")
struct RecoveryTests {
    enum Damage: CaseIterable {
        case deleted, emptied, firstPage, anotherPage, cut
    }

    private func damage(_ url: URL, _ kind: Damage) throws {
        var content = try Data(contentsOf: url)
        switch kind {
        case .deleted: return try FileManager.default.removeItem(at: url)
        case .emptied: content = Data()
        case .firstPage: content.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
        case .anotherPage: content.replaceSubrange(8192..<12_288, with: Data(repeating: 0xA5, count: 4096))
        case .cut: content = content.prefix(6000)
        }
        try content.write(to: url)
    }

    /// A store with a row and an object in the copies, and one object more that they do not know.
    private func prepared() throws -> (sample: SampleStore, row: RowID, old: ObjectID, new: ObjectID) {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let row = RowID.random()
        try store.put(row, 1)
        let old = try store.add([1])
        try store.ledger.renewCopies()
        let new = try store.add([2])
        try store.put(row, 2)
        // Killed: without the renewal of `close`.
        let killed = try SampleStore()
        try store.ledger.checkpoint()
        try FileManager.default.copyItem(atPath: sample.path, toPath: killed.path)
        try sample.close()
        return (killed, row, old, new)
    }

    @Test("does not take the place of its good copies while the daemon runs")
    func renewal() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let row = RowID.random()
        try store.put(row, 1)
        // More than SQLite holds in memory, from which it would copy what the disk has lost.
        try store.change { transaction in
            for _ in 0..<12_000 { try transaction.putRow(.random(), [UInt8](repeating: 2, count: 512)) }
        }
        try store.ledger.renewCopies()
        try store.ledger.checkpoint()
        let copies = try StoreLayout.ledgerCopies.map { try Data(contentsOf: sample.file($0)) }
        let ledger = try FileHandle(forUpdating: sample.file("ledger.sqlite"))
        for page in UInt64(20)..<200 {
            try ledger.seek(toOffset: page * 4096)
            try ledger.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        }
        try ledger.close()
        #expect(throws: StoreError.self) { try store.ledger.renewCopies() }
        #expect(try StoreLayout.ledgerCopies.map { try Data(contentsOf: sample.file($0)) } == copies)
        #expect(throws: StoreError.self) { try sample.close() }
        let report = try sample.open()
        #expect(report.ledgerRestoredFromCopy != nil)
        #expect(try sample.store.ledger.readBlocking { try $0.row(row)?.first } == 1)
        try sample.close()
    }

    @Test("is moved aside and its copy used, and the report says so", arguments: Damage.allCases)
    func restore(kind: Damage) throws {
        let (sample, row, old, new) = try prepared()
        try damage(sample.file("ledger.sqlite"), kind)
        let report = try sample.open()
        #expect(report.ledgerRestoredFromCopy == LedgerRestoration(day: SampleStore.day))
        #expect(report.movedAside == ["damaged-20000-1"])
        #expect(report.quarantined == 1)
        #expect(report.notes.count == 1)
        let store = try sample.store
        #expect(try store.ledger.readBlocking { try $0.row(row)?.first } == 1)
        #expect(try store.content(of: old) == [1])
        #expect(try store.objects.byteCount(of: new) == nil)
        #expect(try store.objects.restoreFromQuarantine(new))
        #expect(try store.content(of: new) == [2])
        try store.put(row, 3)
        try sample.close()
        if kind != .deleted {
            #expect(FileManager.default.fileExists(atPath: sample.file("damaged-20000-1/ledger.sqlite").path))
        }
    }

    @Test("is known by a version number in its header that SQLite takes for something else", arguments: [18, 47])
    func header(offset: Int) throws {
        let (sample, row, _, _) = try prepared()
        var bytes = try Data(contentsOf: sample.file("ledger.sqlite"))
        bytes[offset] ^= 1
        try bytes.write(to: sample.file("ledger.sqlite"))
        let findings = try StoreCheck.run(path: sample.path) { _, _ in }
        #expect(findings.contains { $0.severity == .damage })
        #expect(try sample.open().ledgerRestoredFromCopy != nil)
        #expect(try sample.store.ledger.readBlocking { try $0.row(row)?.first } == 1)
        try sample.close()
    }

    @Test("is replaced by the other copy, of the same moment, when one is damaged too")
    func otherCopy() throws {
        let sample = try SampleStore()
        try sample.open()
        let row = RowID.random()
        try sample.store.put(row, 1)
        try sample.store.ledger.renewCopies()
        try sample.store.put(row, 2)
        sample.clock.advance(days: 1)
        try sample.store.ledger.renewCopies()
        #expect(try sample.store.ledger.rowsInCopies(row).map(\.first) == [2, 2])
        let copies = LedgerCopies(
            root: try Folder.open(path: sample.path), path: sample.path, today: { SampleStore.day })
        let newest = try #require(copies.newestGood())
        try sample.store.ledger.checkpoint()
        let killed = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: killed.path)
        try sample.close()

        try damage(killed.file("ledger.sqlite"), .firstPage)
        try damage(killed.file(newest.name), .anotherPage)
        #expect(try killed.open().ledgerRestoredFromCopy == LedgerRestoration(day: SampleStore.day + 1))
        #expect(try killed.store.ledger.readBlocking { try $0.row(row)?.first } == 2)
        try killed.close()
    }

    @Test("is refused, and nothing moved, when no copy is whole")
    func noCopy() throws {
        let (sample, _, _, _) = try prepared()
        for name in ["ledger.sqlite", "ledger.copy-0", "ledger.copy-1"] {
            try damage(sample.file(name), .firstPage)
        }
        let before = try Data(contentsOf: sample.file("ledger.sqlite"))
        #expect(throws: StoreError.self) { try sample.open() }
        #expect(try Data(contentsOf: sample.file("ledger.sqlite")) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.path)
        #expect(!names.contains { $0.hasPrefix("damaged") })
    }

    @Test("brings sessions back under another mark, so that whoever kept the old one sees that they may be over")
    func sessions() throws {
        let (sample, _, _, _) = try prepared()
        try sample.open()
        try sample.store.change { transaction in
            try transaction.setMetaValue("marker", [1])
            try transaction.addSampleSession(expiresDay: SampleStore.day + 10)
        }
        try sample.store.ledger.renewCopies()
        #expect(try sample.store.ledger.readBlocking { try $0.sessionCount() } == 1)
        let mark = try sample.store.ledger.readBlocking { try $0.sessionMark() }
        #expect(mark == [UInt8](repeating: 0, count: 16))
        try sample.close()
        try damage(sample.file("ledger.sqlite"), .deleted)
        try sample.open()
        #expect(try sample.store.ledger.readBlocking { try $0.metaValue("marker") } == [1])
        #expect(try sample.store.ledger.readBlocking { try $0.sessionCount() } == 1)
        let next = try sample.store.ledger.readBlocking { try $0.sessionMark() }
        #expect(next.count == 16 && next != mark)
        try sample.close()
        try sample.open()
        #expect(try sample.store.ledger.readBlocking { try $0.sessionMark() } == next)
        try sample.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.path)
        #expect(!names.contains { $0.hasPrefix("ledger.new") })
    }

    @Test("leaves nothing of a copy that was not finished")
    func unfinishedCopy() throws {
        let (sample, _, _, _) = try prepared()
        for name in ["ledger.copy-new", "ledger.copy-new-wal"] { try Data([1, 2]).write(to: sample.file(name)) }
        try sample.open()
        try sample.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.path)
        #expect(!names.contains { $0.hasPrefix("ledger.copy-new") })
    }
}
