import Foundation
import Glibc
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Copies of the ledger")
struct LedgerCopyTests {
    private static let page = 4096

    /// A file without a name, of so many bytes at random.
    private func file(_ content: [UInt8], in root: Folder) throws -> OpenFile {
        let file = try root.openTemporary()
        try file.write(content, at: 0)
        return file
    }

    private func content(of file: OpenFile) throws -> [UInt8] {
        try file.bytes(at: 0, count: Int(file.byteCount()))
    }

    private func update(_ file: OpenFile, to wanted: [UInt8], cutAt end: UInt64 = .max) throws -> UInt64 {
        try file.update(to: UInt64(wanted.count)) { buffer, offset in
            guard offset + UInt64(buffer.count) <= end else { throw StoreError.syncFailed }
            buffer.copyBytes(from: wanted[Int(offset)..<Int(offset) + buffer.count])
            return buffer.count
        }
    }

    @Test("become what the ledger is by the pages that changed, whatever they were", arguments: 0..<40)
    func pages(seed: Int) throws {
        let folder = try TemporaryFolder()
        let root = try Folder.open(path: folder.path)
        var random = SeededGenerator(seed: UInt64(seed))
        let pageCount = Int.random(in: 1...200, using: &random)
        let former = (0..<pageCount * Self.page).map { _ in UInt8.random(in: 0...255, using: &random) }
        let file = try file(former, in: root)
        var wanted = former
        var changed: Set<Int> = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            changed.insert(Int.random(in: 0..<pageCount, using: &random))
        }
        for page in changed { wanted[page * Self.page + Int.random(in: 0..<Self.page, using: &random)] ^= 1 }
        // It has grown, or shrunk, or neither.
        let more = [-1, 0, 0, 3].randomElement(using: &random) ?? 0
        if more > 0 { wanted += [UInt8](repeating: 7, count: more * Self.page) }
        if more < 0, pageCount > 1 { wanted.removeLast(Self.page) }
        let written = try update(file, to: wanted)
        #expect(try content(of: file) == wanted)
        let most = changed.isEmpty && wanted.count == former.count ? 0 : (changed.count + max(more, 0) + 1) * Self.page
        #expect(written <= most)
        #expect(try update(file, to: wanted) == 0)
    }

    @Test("are no database while one is written, and whatever a cut leaves of it becomes whole", arguments: 0..<20)
    func cut(seed: Int) throws {
        let folder = try TemporaryFolder()
        let root = try Folder.open(path: folder.path)
        var random = SeededGenerator(seed: UInt64(seed))
        let former = (0..<100 * Self.page).map { _ in UInt8.random(in: 1...255, using: &random) }
        let file = try file(former, in: root)
        var wanted = former
        for page in 1..<100 where Bool.random(using: &random) { wanted[page * Self.page] ^= 0xFF }
        #expect(throws: StoreError.self) {
            try update(file, to: wanted, cutAt: UInt64(Int.random(in: 66...99, using: &random) * Self.page))
        }
        #expect(try file.bytes(at: 0, count: Self.page).allSatisfy { $0 == 0 })
        _ = try update(file, to: wanted)
        #expect(try content(of: file) == wanted)
    }

    /// A store with rows, of which the copies know the first value of one and the ledger the second.
    private func prepared() throws -> (sample: SampleStore, row: RowID) {
        let sample = try SampleStore()
        try sample.open()
        let row = RowID.random()
        try sample.store.put(row, 1)
        try sample.store.change { transaction in
            for _ in 0..<2000 { try transaction.putRow(.random(), [UInt8](repeating: 2, count: 512)) }
        }
        try sample.store.quiesce()
        try sample.store.put(row, 2)
        return (sample, row)
    }

    @Test("stand for a ledger that is lost after a cut in their renewal, by the whole one", arguments: 0...1)
    func cutOffCopy(index: Int) throws {
        let (sample, row) = try prepared()
        try sample.store.ledger.checkpoint()
        let killed = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: killed.path)
        try sample.close()
        let root = try Folder.open(path: killed.path)
        let copy = try root.open(StoreLayout.ledgerCopies[index], O_RDWR)
        let ledger = try root.open(StoreLayout.ledger, O_RDONLY)
        #expect(throws: StoreError.self) {
            try copy.update(to: ledger.byteCount()) { buffer, offset in
                guard offset < 700_000 else { throw StoreError.syncFailed }
                return try ledger.read(into: buffer, at: offset)
            }
        }
        let copies = LedgerCopies(root: root, path: killed.path, today: { 20_000 })
        #expect(copies.versions().map(\.name) == [StoreLayout.ledgerCopies[1 - index]])
        try root.unlink(StoreLayout.ledger)
        try root.unlink(StoreLayout.ledgerWriteAheadLog)
        let report = try killed.open()
        #expect(report.ledgerRestoredFromCopy != nil)
        #expect(try killed.store.ledger.readBlocking { try $0.row(row)?.first } == 1)
        try killed.close()
        #expect(copies.versions().count == 2)
    }

    @Test("are renewed as a whole while somebody reads, who needs the log")
    func beside() throws {
        let (sample, row) = try prepared()
        let store = try sample.store
        try store.ledger.readBlocking { reader in
            let value = try reader.row(row)?.first
            #expect(value == 2)
            // Not on this thread, which reads.
            let isOver = DispatchSemaphore(value: 0)
            let renewed = Mutex(false)
            Thread.detachNewThread {
                let isRenewed = (try? store.ledger.renewCopies()) != nil
                renewed.withLock { $0 = isRenewed }
                isOver.signal()
            }
            isOver.wait()
            #expect(renewed.withLock { $0 })
        }
        #expect(try store.ledger.rowsInCopies(row).map(\.first) == [2, 2])
        try sample.close()
    }
}
