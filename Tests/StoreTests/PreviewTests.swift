import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("Previews beside the ledger")
struct PreviewTests {
    private let ids = [PreviewID.random(), PreviewID.random()]

    private func body(_ byte: UInt8, _ count: Int = 16_455) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func opened() throws -> SampleStore {
        let sample = try SampleStore()
        try sample.open()
        return sample
    }

    @Test("what was put is there, after a restart too, and gives way to what is put in its place")
    func put() throws {
        let sample = try opened()
        try sample.store.previews.put([(ids[0], body(1)), (ids[1], body(2, 2_000_000))])
        try sample.store.previews.put([(ids[0], body(3))])
        try sample.close()
        try sample.open()
        #expect(try sample.store.previews.body(ids[0]) == body(3))
        #expect(try sample.store.previews.body(ids[1]) == body(2, 2_000_000))
        #expect(try sample.store.previews.body(.random()) == nil)
        try sample.close()
    }

    @Test("what is to replace nothing stays out where something is, and what is taken out is gone")
    func putBeside() throws {
        let sample = try opened()
        try sample.store.previews.put([(ids[0], body(1))], replacing: false)
        try sample.store.previews.put([(ids[0], body(2)), (ids[1], body(3))], replacing: false)
        #expect(try sample.store.previews.body(ids[0]) == body(1))
        #expect(try sample.store.previews.body(ids[1]) == body(3))
        try sample.store.previews.remove([ids[0]])
        #expect(try sample.store.previews.body(ids[0]) == nil)
        #expect(try sample.store.previews.count() == 1)
        try sample.close()
    }

    @Test(
        "that a full disk lets nobody begin are not called unreadable",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 1)
        try disk.fill(leaving: 0)
        let file = PreviewFile(
            root: try Folder.open(path: disk.folder.path), path: disk.folder.path, today: { SampleStore.day },
            note: { _ in })
        file.openIfNeeded()
        #expect(!file.isOpen)
        #expect(file.failure as? StoreError == .diskFull)
        try disk.empty()
        file.openIfNeeded()
        #expect(file.isOpen && file.failure == nil)
        try file.close()
    }

    @Test("only the owner may read the file")
    func mode() throws {
        let sample = try opened()
        try sample.store.previews.put([(ids[0], body(1))])
        for name in ["previews.sqlite", "previews.sqlite-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: sample.file(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try sample.close()
    }

    @Test("what the deleting transaction dooms goes with the next reaping, and its bytes with it")
    func doomed() throws {
        let sample = try opened()
        let (store, marked) = (try sample.store, body(0xA7))
        try store.previews.put([(ids[0], marked), (ids[1], body(2))])
        try store.change { [ids] in try $0.doomPreviews([ids[0]]) }
        #expect(try store.previews.body(ids[0]) == marked)
        try store.finishRemoval()
        #expect(try store.previews.body(ids[0]) == nil)
        #expect(try store.previews.body(ids[1]) == body(2))
        #expect(try store.ledger.readBlocking { try $0.doomedPreviews(limit: 9) } == [])
        try sample.close()
        let bytes = try Data(contentsOf: sample.file("previews.sqlite"))
        #expect(bytes.range(of: Data(marked.prefix(512))) == nil)
        #expect(bytes.range(of: Data(body(2).prefix(512))) != nil)
    }

    @Test("a crash between the deletion and the reaping leaves none behind")
    func crash() throws {
        let sample = try opened()
        try sample.store.previews.put([(ids[0], body(1))])
        try sample.store.change { [ids] in try $0.doomPreviews(ids) }
        sample.crash()
        try sample.open()
        #expect(try sample.store.previews.count() == 0)
        try sample.close()
    }

    @Test("a deletion while a preview is being made waits for it, and then takes it out")
    func making() async throws {
        let sample = try opened()
        let store = try sample.store
        try await store.previews.making(ids) {
            try store.change { [ids] in try $0.doomPreviews(ids) }
            try store.reapDoomed()
            #expect(try store.ledger.readBlocking { try $0.doomedPreviews(limit: 9) }.count == 2)
            try store.previews.put([(ids[0], body(1))])
        } afterDeletion: {
            #expect(throws: Never.self) { try store.reapDoomed() }
        }
        #expect(try store.previews.count() == 0)
        #expect(try store.ledger.readBlocking { try $0.doomedPreviews(limit: 9) } == [])
        try sample.close()
    }

    @Test("what a guest's row names goes with its last day")
    func guests() throws {
        let sample = try opened()
        let (store, home) = (try sample.store, RowHome.guest(expiresDay: SampleStore.day + 1))
        let (row, object) = (RowID.random(), try store.add([1]))
        try store.previews.put([(ids[0], body(1)), (ids[1], body(2))])
        let sealed = [UInt8](repeating: 1, count: 512)
        try store.change { [ids] in try $0.putRow(row, sealed, in: home, object: object, previews: ids) }
        sample.clock.advance(days: 2)
        _ = try store.expire()
        #expect(try store.previews.count() == 0)
        try sample.close()
    }

    /// What may stand where the previews were.
    enum Stranger: CaseIterable {
        case rubbish, short, otherTable, view, link, folderForLog

        func take(theirPlace file: URL) throws {
            try FileManager.default.removeItem(at: file)
            switch self {
            case .rubbish: try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }).write(to: file)
            case .short: try Data([1, 2, 3]).write(to: file)
            case .otherTable: try make("CREATE TABLE preview(name TEXT, body BLOB)", file)
            case .view: try make("CREATE VIEW preview AS SELECT 1 AS id, x'00' AS body", file)
            case .link: try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/null")
            case .folderForLog:
                let log = file.path + "-wal"
                try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
            }
        }

        private func make(_ sql: String, _ file: URL) throws {
            let queue = try DatabaseQueue(path: file.path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }
    }

    @Test("what is no database of previews gives way to a new one, and the log says so", arguments: Stranger.allCases)
    func damaged(_ stranger: Stranger) throws {
        let sample = try opened()
        try sample.store.previews.put([(ids[0], body(1))])
        try sample.close()
        try stranger.take(theirPlace: sample.file("previews.sqlite"))
        try sample.open()
        #expect(sample.notes.value.count == 1)
        #expect(try sample.store.previews.body(ids[0]) == nil)
        try sample.store.previews.put([(ids[0], body(2))])
        #expect(try sample.store.previews.body(ids[0]) == body(2))
        try sample.close()
    }

    @Test("a folder where the previews were is put aside with what is in it")
    func folder() throws {
        let sample = try opened()
        try sample.close()
        let place = sample.file("previews.sqlite")
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try Data([7]).write(to: place.appendingPathComponent("kept"))
        try sample.open()
        try sample.store.previews.put([(ids[0], body(1))])
        #expect(try Data(contentsOf: sample.file("damaged-20000-1/previews.sqlite/kept")) == Data([7]))
        try sample.close()
    }

    @Test(
        "where none can be made the store opens without, says so once, and has them again at the next try",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount something in their place"))
    func unavailable() throws {
        let sample = try opened()
        try sample.close()
        let place = sample.file("previews.sqlite").path
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        _ = try Program("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", place]).run()
        var isMounted = true
        defer { if isMounted { _ = try? Program("/bin/umount", [place]).run() } }
        try sample.open()
        let (store, previews) = (try sample.store, try sample.store.previews)
        #expect(!previews.isOpen)
        #expect(try previews.body(ids[0]) == nil)
        #expect(throws: StoreError.self) { try previews.put([(ids[0], body(1))]) }
        try store.change { [ids] in try $0.doomPreviews([ids[1]]) }
        try store.finishRemoval()
        previews.openIfNeeded()
        #expect(sample.notes.value.count == 1)
        _ = try Program("/bin/umount", [place]).run()
        isMounted = false
        previews.openIfNeeded()
        try previews.put([(ids[0], body(1)), (ids[1], body(2))])
        try store.reapDoomed()
        #expect(try previews.body(ids[0]) == body(1))
        #expect(try previews.body(ids[1]) == nil)
        try sample.close()
    }

    @Test("damage that shows while it is open costs the previews and nothing else")
    func damagedWhileOpen() throws {
        let sample = try opened()
        for _ in 0..<200 { try sample.store.previews.put([(.random(), body(1))]) }
        try sample.store.previews.put([(ids[0], body(1))])
        try sample.close()
        let file = sample.file("previews.sqlite")
        var bytes = try Data(contentsOf: file)
        // Behind the first page, which says what the file is.
        bytes.replaceSubrange(16_384..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - 16_384))
        try bytes.write(to: file)
        try sample.open()
        #expect(try sample.store.previews.body(ids[0]) == nil)
        try sample.store.previews.put([(ids[0], body(2))])
        #expect(try sample.store.previews.body(ids[0]) == body(2))
        #expect(sample.notes.value.count == 1)
        // It may have shown photos that are deleted later.
        #expect(!FileManager.default.fileExists(atPath: sample.file("damaged-20000-1").path))
        try sample.close()
    }

    @Test("a ledger of before there were previews opens, and so does a copy of it")
    func olderLedger() throws {
        let sample = try opened()
        try sample.close()
        for name in ["ledger.sqlite", "ledger.copy-0", "ledger.copy-1"] {
            let queue = try DatabaseQueue(path: sample.file(name).path)
            try queue.write { try $0.execute(sql: "DROP TABLE doomed_preview") }
            try queue.close()
        }
        #expect(try sample.open().ledgerRestoredFromCopy == nil)
        try sample.store.change { [ids] in try $0.doomPreviews(ids) }
        sample.crash()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: sample.file("ledger.sqlite\(suffix)"))
        }
        #expect(try sample.open().ledgerRestoredFromCopy != nil)
        try sample.store.change { [ids] in try $0.doomPreviews(ids) }
        try sample.store.reapDoomed()
        try sample.close()
    }
}
