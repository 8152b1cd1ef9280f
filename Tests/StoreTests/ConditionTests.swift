import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A disk that does not keep its word")
struct ConditionTests {
    /// The kernel refuses to sync this device, as a failing disk does.
    private func unsyncable() throws -> OpenFile {
        try Folder.open(path: "/dev").open("null", O_RDWR)
    }

    @Test("fails the object once and for all, and turns the store degraded")
    func failedSync() throws {
        let folder = try TemporaryFolder()
        let condition = StoreCondition(folder: try Folder.open(path: folder.path))
        let staged = StagedObject(file: try unsyncable(), condition: condition, listedByteCount: 0)
        try [UInt8]([1, 2]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try staged.write(bytes) }
        #expect(!condition.isDegraded)
        #expect(throws: StoreError.syncFailed) { try staged.synchronize() }
        #expect(condition.isDegraded)
        #expect(throws: StoreError.syncFailed) { try staged.synchronize() }
        #expect(throws: StoreError.syncFailed) { _ = try staged.takeForPublishing() }
    }

    @Test("is believed again after a probe of a new file")
    func probe() throws {
        let sample = try SampleStore()
        try sample.open()
        let condition = try sample.store.condition
        condition.markDegraded()
        #expect(condition.isDegraded)
        _ = try sample.store.add([1])
        #expect(!condition.isDegraded)
        try sample.close()
    }

    @Test("is not believed while the probe fails, and nothing is accepted")
    func failedProbe() throws {
        // A file system in which nothing can be created.
        let condition = StoreCondition(folder: try Folder.open(path: "/proc"))
        try condition.requireSound()
        condition.markDegraded()
        #expect(throws: StoreError.degraded) { try condition.requireSound() }
        #expect(throws: StoreError.self) { try condition.probe() }
        #expect(condition.isDegraded)
    }

    @Test("a read-only file system counts as degraded, a full one does not")
    func errors() throws {
        let folder = try TemporaryFolder()
        let condition = StoreCondition(folder: try Folder.open(path: folder.path))
        condition.noteWriteFailure(StoreError.failure("write", ENOSPC))
        #expect(!condition.isDegraded)
        #expect(StoreError.failure("write", EDQUOT) == .diskFull)
        condition.noteWriteFailure(StoreError.failure("write", EROFS))
        #expect(condition.isDegraded)
    }
}
