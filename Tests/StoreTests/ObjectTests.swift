import Foundation
import Glibc
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("Objects")
struct ObjectTests {
    @Test("are read at any offset, and never past their end")
    func ranges() throws {
        let sample = try SampleStore()
        try sample.open()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let id = try sample.store.add(bytes)
        let file = try sample.store.objects.open(id)
        #expect(file.byteCount == 100_000)
        var part = [UInt8](repeating: 0, count: 1000)
        try part.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try file.read(into: buffer, at: 99_000) { _ in }
        }
        #expect(part == Array(bytes[99_000...]))
        #expect(throws: StoreError.objectUnreadable) {
            try part.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                try file.read(into: buffer, at: 99_001) { _ in }
            }
        }
        try sample.close()
    }

    @Test("have a name in their shard, a constant time and nothing beside them")
    func publication() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add([1])
        let path = "objects/\(id.hex.prefix(2))/\(id.hex)"
        let attributes = try FileManager.default.attributesOfItem(atPath: sample.file(path).path)
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 946_684_800))
        let files = try TemporaryFolder.tree(sample.file("objects").path).filter { $0.value != Data("folder".utf8) }
        #expect(files.count == 1)
        #expect(try sample.store.objects.byteCount(of: id) == 1)
        #expect(try sample.store.objects.byteCount(of: .random()) == nil)
        #expect(throws: StoreError.self) { try sample.store.objects.open(.random()) }
        try sample.close()
    }

    @Test("that were never committed leave no name")
    func unpublished() throws {
        let sample = try SampleStore()
        try sample.open()
        let before = try TemporaryFolder.tree(sample.path)
        let staged = try sample.store.stage([1, 2, 3])
        #expect(staged.byteCount == 3)
        #expect(try TemporaryFolder.tree(sample.path) != before)
        staged.discard()
        #expect(try TemporaryFolder.tree(sample.path) == before)
        try sample.store.stage([1]).release()
        #expect(try TemporaryFolder.tree(sample.path) == before)
        _ = try sample.store.stage([2])
        #expect(try TemporaryFolder.tree(sample.path) == before)
        #expect(throws: SampleError.refused) {
            try sample.store.ledger.commitBlocking(
                LedgerChange(object: ArrivingObject(try sample.store.stage([3]))) { _, _ in throw SampleError.refused })
        }
        #expect(try TemporaryFolder.tree(sample.path) == before)
        #expect(throws: StoreError.self) { try staged.synchronize() }
        #expect(throws: StoreError.self) { try sample.store.publish(staged) }
        try sample.close()
    }

    @Test("written at the same time lie in one folder, those of the next group in another")
    func folders() throws {
        let sample = try SampleStore()
        try sample.open()
        var shards: [Set<String>] = []
        for _ in 0..<8 {
            let group = try (0..<3).map { try sample.store.stage([UInt8($0)]) }
            shards.append(Set(try group.map { String(try sample.store.publish($0).hex.prefix(2)) }))
        }
        #expect(shards.allSatisfy { $0.count == 1 })
        #expect(Set(shards).count > 1)
        try sample.close()
    }

    @Test("are refused when they were not synced, or were committed before")
    func commitRules() throws {
        let sample = try SampleStore()
        try sample.open()
        let unsynced = try sample.store.objects.stage()
        #expect(throws: StoreError.self) { try sample.store.publish(unsynced) }
        #expect(throws: StoreError.self) { try unsynced.synchronize() }
        let staged = try sample.store.stage([1])
        try sample.store.publish(staged)
        #expect(throws: StoreError.self) { try sample.store.publish(staged) }
        #expect(throws: StoreError.self) {
            try [UInt8]([1]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try staged.write(bytes) }
        }
        try sample.close()
    }

    @Test("of which many are doomed at once are unlinked side by side, all of them and no other")
    func reapingMany() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let ids = try (0..<150).map { try store.add([UInt8($0)]) }
        let kept = Set(ids.filter { $0.low.isMultiple(of: 8) })
        try store.change { transaction in
            for id in ids where !kept.contains(id) { try transaction.doomObject(id) }
        }
        #expect(try store.objects.reapDoomed() == ids.count - kept.count)
        for id in ids { #expect(try (store.objects.byteCount(of: id) != nil) == kept.contains(id)) }
        #expect(try store.objects.reapDoomed() == 0)
        try sample.close()
    }

    @Test("of which the ledger says doomed are unlinked, live ones never")
    func reaping() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let ids = try (0..<3).map { try store.add([UInt8($0)]) }
        try store.change { transaction in
            try transaction.doomObject(ids[0])
            try transaction.doomObject(ids[1])
            try transaction.addObject(ids[1])
            try transaction.doomObject(.random())
        }
        #expect(try store.objects.reapDoomed() == 1)
        #expect(try store.objects.byteCount(of: ids[0]) == nil)
        #expect(try store.content(of: ids[1]) == [1])
        #expect(try store.content(of: ids[2]) == [2])
        #expect(try store.objects.reapDoomed() == 0)
        try sample.close()
    }

    @Test("that are doomed when the process ends are unlinked at start")
    func reapingAtStart() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add([1])
        try sample.store.change { try $0.doomObject(id) }
        try sample.close()
        let report = try sample.open()
        #expect(report.unlinkedDoomed == 1 && report.quarantined == 0)
        #expect(try sample.store.objects.byteCount(of: id) == nil)
        try sample.close()
    }

    @Test("that are doomed do not keep a store from opening whose folder for them is gone")
    func reapingWithoutShard() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add([1])
        try sample.store.change { try $0.doomObject(id) }
        try sample.close()
        let shard = sample.file("objects/\(id.hex.prefix(2))")
        try FileManager.default.removeItem(at: shard)
        #expect(try sample.open() == StartupReport())
        #expect(FileManager.default.fileExists(atPath: shard.path))
        try sample.close()
    }

    @Test("among which lies a file whose name is not UTF-8 do not keep a store from opening; it stays there")
    func strangeName() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        let name =
            Array(sample.file("objects/00/stray").path.utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xFF), 0]
        let descriptor = Glibc.open(name, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        let report = try sample.open()
        #expect(report.quarantined == 0 && report.notes.count == 1)
        try sample.close()
        #expect(unlink(name) == 0)
    }

    @Test("unknown to the ledger go to quarantine and come back whole")
    func quarantine() throws {
        let sample = try SampleStore()
        try sample.open()
        let known = try sample.store.add([1])
        let lost = try sample.store.add([2])
        let part = ObjectID.random()
        try sample.store.change { transaction in
            try transaction.doomObject(lost)
            try transaction.forgetDoomed(lost)
        }
        try sample.close()
        try Data([3]).write(to: sample.file("objects/\(part.hex.prefix(2))/\(part.hex)"))
        try Data([4]).write(to: sample.file("objects/00/stray"))

        #expect(try sample.open().quarantined == 3)
        let store = try sample.store
        #expect(try store.content(of: known) == [1])
        #expect(try store.objects.byteCount(of: lost) == nil)
        #expect(try store.objects.restoreFromQuarantine(lost))
        #expect(try store.content(of: lost) == [2])
        #expect(try store.objects.restoreFromQuarantine(lost) == false)
        #expect(try store.objects.restoreFromQuarantine(.random()) == false)
        try store.change { try $0.addObject(lost) }
        try sample.close()
        #expect(try sample.open() == StartupReport())
        try sample.close()
    }

    @Test("without a file are counted at start")
    func missing() throws {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add([1])
        try sample.close()
        try FileManager.default.removeItem(at: sample.file("objects/\(id.hex.prefix(2))/\(id.hex)"))
        #expect(try sample.open().missingObjects == 1)
        #expect(throws: StoreError.objectMissing(id)) { try sample.store.objects.open(id) }
        try sample.close()
    }

    @Test("that a pipe took the place of does not hold up whoever opens it")
    func pipe() throws {
        let sample = try SampleStore()
        try sample.open()
        let object = try sample.store.add([1])
        let path = sample.file("objects/\(object.hex.prefix(2))/\(object.hex)").path
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(try sample.store.objects.open(object).byteCount == 0)
        try sample.close()
    }

    @Test("that are unknown can be put aside although the folder for them was removed")
    func quarantineRemoved() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try FileManager.default.removeItem(at: sample.file("quarantine"))
        try Data([4]).write(to: sample.file("objects/00/stray"))
        #expect(try sample.open().quarantined == 1)
        try sample.close()
    }
}
