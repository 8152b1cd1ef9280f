import Foundation
import StoreSupport
import Testing

@testable import Store

@Suite("The slot table")
struct SlotTests {
    @Test("writes and reads single slots at both ends")
    func writeAndRead() throws {
        let sample = try SampleStore()
        try sample.open()
        let slots = try sample.store.slots
        let neighbour = try slots.read(1)
        try slots.write([(0, [UInt8](repeating: 1, count: 256)), (65_535, [UInt8](repeating: 2, count: 256))])
        #expect(try slots.read([0, 1, 65_535]).map(\.first) == [1, neighbour.first, 2])
        #expect(try slots.read(1) == neighbour)
        #expect(throws: StoreError.self) { try slots.write([(5, [1, 2, 3])]) }
        try sample.close()
    }

    @Test("fills with random bytes only what still has its hash")
    func filler() throws {
        let sample = try SampleStore()
        sample.fillsSlots = true
        try sample.open()
        let slots = try sample.store.slots
        let before = try slots.read([10, 11])
        let hash = try Array(sha256(before[0]).prefix(4))
        try slots.overwriteWithFiller([(position: 10, hash: hash), (position: 11, hash: hash)])
        #expect(try slots.read(10) != before[0])
        #expect(try slots.read(11) == before[1])
        try sample.close()
    }

    @Test("writes all that it is to fill, though it reads filler already: the disk may not have it")
    func fillerAgain() throws {
        let sample = try SampleStore()
        sample.fillsSlots = true
        try sample.open()
        let slots = try sample.store.slots
        let path = sample.file("slots").path
        let before = try slots.read(10)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        try slots.overwriteWithFiller([(position: 10, hash: [1, 2, 3, 4])])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970 > 1)
        #expect(try slots.read(10) == before)
        try sample.close()
    }

    @Test("finishes at start the wiping that a crash cut short")
    func wipe() throws {
        let sample = try SampleStore()
        try sample.open()
        let before = try sample.store.slots.read([20, 21])
        let hash = try Array(sha256(before[0]).prefix(4))
        try sample.store.change { transaction in
            try transaction.addWipe(position: 20, hash: hash)
            try transaction.addWipe(position: 21, hash: [0, 0, 0, 0, 0, 0, 0, 0])
        }
        try sample.close()
        #expect(try sample.open().wipedSlots == 2)
        #expect(try sample.store.slots.read(20) != before[0])
        #expect(try sample.store.slots.read(21) == before[1])
        try sample.close()
        #expect(try sample.open().wipedSlots == 0)
        try sample.close()
    }

    @Test("has slots that the disk cannot read: they are left alone, and only when none can be read it is an error")
    func unreadable() throws {
        let sample = try SampleStore()
        try sample.open()
        let slots = SlotTable(try .unreadable(), try sample.store.condition)
        #expect(try slots.readIfReadable(3) == nil)
        #expect(throws: StoreError.ioFailed(operation: "reading slots", errno: EIO)) { try slots.readReplicas([3, 7]) }
        let hash = [UInt8](repeating: 1, count: 4)
        #expect(try slots.overwriteWithFiller([(position: 3, hash: hash), (position: 7, hash: hash)]) == [3, 7])
        #expect(try !sample.store.condition.isDegraded)
        #expect(try sample.store.slots.readReplicas([3, 7]).allSatisfy { $0?.count == 256 })
        try sample.close()
    }

    @Test("is read whole for a backup, with random bytes for what cannot be read")
    func image() throws {
        let sample = try SampleStore()
        sample.fillsSlots = true
        try sample.open()
        let file = try Folder.open(path: sample.path).open("slots", O_RDONLY)
        let copy = try Folder.open(path: sample.path).openTemporary()
        let (whole, written) = try SlotImage.copying(file, to: copy)
        #expect(whole.unreadableSlotCount == 0)
        let content = try Data(contentsOf: sample.file("slots"))
        #expect(try Data(copy.bytes(at: 0, count: content.count + 1)) == content)
        #expect(try written == FileDigest(bytes: sha256(content)))
        #expect(try SlotImage(reading: copy) == whole)
        let lost = try SlotImage.copying(.unreadable(), to: copy).image
        #expect(lost.unreadableSlotCount > 0 && lost != whole)
        #expect(try copy.byteCount() == UInt64(SlotTable.fileByteCount))
        #expect(try copy.bytes(at: 0, count: 4096).contains { $0 != 0 })
        try sample.close()
    }

    @Test("keeps on the list what cannot be overwritten at start, and the report says so")
    func unreadableWipe() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        try store.change { try $0.addWipe(position: 20, hash: [1, 2, 3, 4]) }
        let sweep = Sweep(
            folders: try ObjectFolders(root: Folder.open(path: sample.path)), objects: store.objects,
            ledger: store.ledger, slots: SlotTable(try .unreadable(), store.condition), today: SampleStore.day)
        var report = StartupReport()
        try sweep.run(&report)
        #expect(report.wipedSlots == 0 && report.notes.count == 1)
        #expect(try store.ledger.readBlocking { try $0.wipes().map(\.position) } == [20])
        try sample.close()
        #expect(try sample.open().wipedSlots == 1)
        try sample.close()
    }

    @Test("is refused when it is missing or cut", arguments: [0, 100, 16 * 1_048_576 - 1])
    func wrongSize(byteCount: Int) throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        if byteCount == 0 {
            try FileManager.default.removeItem(at: sample.file("slots"))
        } else {
            #expect(truncate(sample.file("slots").path, byteCount) == 0)
        }
        #expect(throws: StoreError.self) { try sample.open() }
        _ = try? sample.opened?.close()
    }

    @Test("some are written again with the bytes they have, so that the time of the file tells nothing")
    func rewriting() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let file = try Folder.open(path: sample.path).open("slots", O_RDONLY)
        func time() throws -> [Int] { try { [$0.tv_sec, $0.tv_nsec] }(file.status().st_mtim) }
        let (before, content) = (try time(), try SlotImage(reading: file))
        repeat { try store.slots.rewriteSome() } while try time() == before
        #expect(try SlotImage(reading: file) == content)
        try sample.close()
    }

    @Test("one of before the first release is refused with a word of its own, and stays as it is")
    func formerFormat() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        #expect(truncate(sample.file("slots").path, 16 << 20) == 0)
        let refusal = #expect(throws: StoreError.self) { try sample.open() }
        #expect("\(String(describing: refusal))".contains("before the first release"))
    }

    @Test("is random all over when made")
    func random() throws {
        let sample = try SampleStore()
        sample.fillsSlots = true
        try sample.open()
        try sample.close()
        let content = try Data(contentsOf: sample.file("slots"))
        var counts = [Int](repeating: 0, count: 256)
        // A part of every 256th slot: counting all bytes takes seconds in a debug build.
        for start in stride(from: 0, to: content.count, by: 65_536) {
            for byte in content[start..<start + 1024] { counts[Int(byte)] += 1 }
        }
        #expect(counts.allSatisfy { (3700...4500).contains($0) })
    }
}
