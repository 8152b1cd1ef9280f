import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A full disk")
struct FullDiskTests {
    @Test(
        "lets deletes commit by giving up the reserve, and nothing else",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func reserve() throws {
        let disk = try SmallDisk(megabytes: 48)
        let sample = try SampleStore(disk.folder)
        try sample.open()
        let store = try sample.store
        let objects = try (0..<20).map { try store.add([UInt8($0)]) }
        #expect(store.reserve.isIntact)
        try disk.fill(leaving: 0)

        #expect(throws: StoreError.diskFull) { _ = try store.stage([UInt8](repeating: 1, count: 1 << 20)) }
        let rows = (0..<40).map { _ in RowID.random() }
        let write: @Sendable (LedgerTransaction, ObjectID?) throws -> Void = { transaction, _ in
            for row in rows { try transaction.putRow(row, [UInt8](repeating: 1, count: 512)) }
        }
        // The log may have some room left in its last page; it ends soon.
        #expect(throws: StoreError.diskFull) {
            for _ in 0..<200 { try store.ledger.commitBlocking(LedgerChange(apply: write)) }
        }
        #expect(store.reserve.isIntact)
        #expect(!store.condition.isDegraded)
        let participant = SampleParticipant()
        try store.ledger.commitBlocking(
            LedgerChange(participants: [participant], mayUseReserve: true) { transaction, id in
                try write(transaction, id)
                for object in objects { try transaction.doomObject(object) }
            })
        #expect(participant.calls.value.suffix(2) == ["will", "did"])
        #expect(participant.calls.value.contains("rolled back"))
        #expect(!store.reserve.isIntact)

        try disk.empty()
        #expect(try store.objects.reapDoomed() == 20)
        #expect(store.reserve.isIntact)
        try sample.close()
    }

    @Test(
        "is emptied by a removal even where no copy of the ledger fits any more",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func removal() throws {
        let disk = try SmallDisk(megabytes: 64)
        let sample = try SampleStore(disk.folder)
        try sample.open()
        let store = try sample.store
        let object = try store.add([UInt8](repeating: 1, count: 8 << 20))
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.doomObject(object) })
        try store.reserve.release()
        try disk.fill(leaving: 0)
        try store.finishRemoval()
        #expect(try store.objects.byteCount(of: object) == nil)
        try disk.empty()
        try sample.close()
    }

    @Test(
        "lets deletes commit when the reserve is spent too, as long as the log has been longer before",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func withoutReserve() throws {
        let disk = try SmallDisk(megabytes: 48)
        let sample = try SampleStore(disk.folder)
        try sample.open()
        let store = try sample.store
        let rows = (0..<40).map { _ in RowID.random() }
        let write: (UInt8) throws -> Void = { content in
            try store.ledger.commitBlocking(
                LedgerChange(mayUseReserve: true) { transaction, _ in
                    for row in rows { try transaction.putRow(row, [UInt8](repeating: content, count: 512)) }
                })
        }
        for content in UInt8(0)..<3 { try write(content) }
        try store.reserve.release()
        try disk.fill(leaving: 0)
        for content in UInt8(3)..<18 { try write(content) }
        try disk.empty()
        try sample.close()
    }

    @Test(
        "lets the store open by giving up the reserve, and deletes commit",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func opening() throws {
        let disk = try SmallDisk(megabytes: 48)
        let sample = try SampleStore(disk.folder)
        try sample.open()
        let object = try sample.store.add([1])
        try sample.close()
        try disk.fill(leaving: 0)
        #expect(try sample.open().missingObjects == 0)
        let store = try sample.store
        #expect(!store.reserve.isIntact)
        #expect(!store.condition.isDegraded)
        #expect(try store.content(of: object) == [1])
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.doomObject(object) })
        #expect(try store.objects.reapDoomed() == 1)
        try disk.empty()
        try sample.close()
    }

    @Test(
        "is no failing one: it stays sound, and is probed again when there is room",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func probe() throws {
        let disk = try SmallDisk(megabytes: 48)
        let sample = try SampleStore(disk.folder)
        try sample.open()
        let store = try sample.store
        try disk.fill(leaving: 0)
        #expect(throws: StoreError.diskFull) { try store.condition.probe() }
        #expect(!store.condition.isDegraded)
        // Also the way back from a failure needs a little room, which only what has to succeed may take.
        store.condition.markDegraded()
        #expect(throws: StoreError.diskFull) {
            try store.ledger.commitBlocking(LedgerChange { transaction, _ in try transaction.setMetaValue("a", [1]) })
        }
        #expect(store.reserve.isIntact)
        try store.ledger.commitBlocking(
            LedgerChange(mayUseReserve: true) { transaction, _ in try transaction.setMetaValue("a", [1]) })
        #expect(!store.condition.isDegraded)
        try disk.empty()
        try sample.close()
    }

    @Test("is foreseen: no room is promised below the floor and the reserve")
    func room() throws {
        let folder = try TemporaryFolder()
        let root = try Folder.open(path: folder.path)
        let free = try DiskReserve(in: root, byteCount: 0, floorByteCount: 0).freeByteCount()
        let missing = try DiskReserve(in: root, byteCount: free, floorByteCount: 0)
        #expect(!missing.isIntact)
        #expect(throws: StoreError.diskFull) { try missing.requireRoom(for: 1 << 30) }
        let floor = try DiskReserve(in: root, byteCount: 0, floorByteCount: free)
        #expect(throws: StoreError.diskFull) { try floor.requireRoom(for: 1 << 30) }
        #expect(throws: StoreError.diskFull) { try floor.requireRoom(for: .max) }
        let beyond = try DiskReserve(in: root, byteCount: 0, floorByteCount: free * 2)
        #expect(throws: StoreError.diskFull) { try beyond.requireRoom(for: 0) }
        try DiskReserve(in: root, byteCount: 0, floorByteCount: 0).requireRoom(for: free / 2)
    }

    @Test("keeps the reserve allocated, and makes it again when it was given up")
    func restoring() throws {
        let sample = try SampleStore()
        try sample.open()
        let reserve = try sample.store.reserve
        #expect(reserve.isIntact)
        try reserve.release()
        #expect(!reserve.isIntact)
        try reserve.restoreIfPossible()
        #expect(reserve.isIntact)
        try reserve.release()
        try sample.close()
        try sample.open()
        #expect(try sample.store.reserve.isIntact)
        try sample.close()
    }
}
