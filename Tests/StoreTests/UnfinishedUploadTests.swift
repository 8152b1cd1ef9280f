import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("Unfinished uploads in the store")
struct UnfinishedUploadTests {
    /// Publishes `bytes` as the part of a new upload.
    private func begin(_ bytes: [UInt8], in store: Store, expiresDay: UInt32 = .max) throws -> (
        row: RowID, part: ObjectID
    ) {
        let row = RowID.random()
        let part = Box<ObjectID?>(nil)
        try store.ledger.commitBlocking(
            LedgerChange(object: ArrivingObject(try store.stage(bytes))) { transaction, object in
                try transaction.putUpload(row, body: [1, 2, 3], part: object, expiresDay: expiresDay)
                part.value = object
            })
        return (row, try #require(part.value))
    }

    private func write(_ bytes: [UInt8], to staged: StagedObject) throws {
        try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in try staged.write(buffer) }
    }

    @Test("their rows come back as they were put, and another put replaces one")
    func rows() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (row, part) = try begin([1, 2], in: store, expiresDay: 7)
        func found() throws -> [String] {
            var found: [String] = []
            try store.ledger.readBlocking { reader in
                try reader.forEachUpload { id, body, part, day in
                    #expect(id == row)
                    found = ["\(body)", part?.hex ?? "none", "\(day)"]
                }
            }
            return found
        }
        #expect(try found() == ["[1, 2, 3]", part.hex, "7"])
        try store.change { try $0.putUpload(row, body: [4], part: nil, expiresDay: 8) }
        #expect(try found() == ["[4]", "none", "8"])
        #expect(try store.ledger.readBlocking { try $0.containsUpload(row) })
        try store.change { try $0.deleteUpload(row) }
        #expect(try !store.ledger.readBlocking { try $0.containsUpload(row) })
        try sample.close()
    }

    @Test("a part is gone on with behind what is listed; the rest of the file is cut off")
    func resume() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (_, part) = try begin([1, 2, 3, 4], in: store)
        let staged = try store.objects.resume(part, at: 2)
        #expect(staged.isPublished && staged.byteCount == 2)
        try write([9, 9, 9], to: staged)
        try staged.synchronize()
        #expect(try store.content(of: part) == [1, 2, 9, 9, 9])
        staged.markListed()
        try write([8], to: staged)
        staged.discard()
        #expect(try store.content(of: part) == [1, 2, 9, 9, 9])
        #expect(throws: StoreError.self) { try write([8], to: staged) }
        let path = sample.file("objects/\(part.hex.prefix(2))/\(part.hex)").path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 946_684_800))
        try sample.close()
    }

    @Test("what a crash left behind the listed bytes is cut off before anything is written, however much it was")
    func tail() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (_, part) = try begin([1, 2] + [UInt8](repeating: 7, count: 100_000), in: store)
        let staged = try store.objects.resume(part, at: 2)
        #expect(try store.content(of: part) == [1, 2])
        // Less than what was there: without the cut, the old bytes would go on behind the new ones.
        try write([9], to: staged)
        try staged.synchronize()
        staged.markListed()
        #expect(try store.content(of: part) == [1, 2, 9])
        #expect(try store.objects.byteCount(of: part) == 3)
        try sample.close()
    }

    @Test("what may be listed stays in the file when writing ends")
    func release() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (_, part) = try begin([1, 2], in: store)
        let staged = try store.objects.resume(part, at: 2)
        try write([3], to: staged)
        staged.release()
        #expect(try store.content(of: part) == [1, 2, 3])
        try sample.close()
    }

    @Test("a part that is gone, or shorter than listed, is refused")
    func lost() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (_, part) = try begin([1, 2], in: store)
        #expect(throws: StoreError.objectUnreadable) { try store.objects.resume(part, at: 3) }
        #expect(!store.condition.isDegraded)
        let unknown = ObjectID.random()
        #expect(throws: StoreError.objectMissing(unknown)) { try store.objects.resume(unknown, at: 0) }
        try sample.close()
    }

    @Test("a part is published once only")
    func publishedTwice() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (_, part) = try begin([1, 2], in: store)
        let staged = try store.objects.resume(part, at: 2)
        try write([3], to: staged)
        try staged.synchronize()
        #expect(throws: StoreError.self) {
            try store.ledger.commitBlocking(LedgerChange(object: ArrivingObject(staged)) { _, _ in })
        }
        try sample.close()
    }

    @Test("start-up leaves parts alone, and a removed upload's file goes")
    func sweep() throws {
        let sample = try SampleStore()
        try sample.open()
        let (row, part) = try begin([1, 2], in: sample.store)
        try sample.close()
        #expect(try sample.open() == StartupReport())
        #expect(try sample.store.content(of: part) == [1, 2])
        try sample.store.change { try $0.doomUpload(row) }
        try sample.close()
        #expect(try sample.open().unlinkedDoomed == 1)
        #expect(try sample.store.objects.byteCount(of: part) == nil)
        try sample.close()
    }
}
