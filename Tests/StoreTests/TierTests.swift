import Bytes
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A store that goes along to a bucket")
struct TierTests {
    let bucket = SampleBucket()

    private func row(_ store: Store, _ id: RowID) throws -> UInt8? {
        try store.ledger.readBlocking { try $0.row(id) }?.first
    }

    @Test("every change is in the bucket before it counts, and another host goes on with all of it")
    func anotherHost() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let ids = (0..<20).map { _ in RowID.random() }
        for (number, id) in ids.enumerated() { try store.put(id, UInt8(number)) }
        try store.change { try $0.deleteRow(ids[3]) }
        let object = try store.add(Array("a sealed photo".utf8))
        let slot = [UInt8](repeating: 5, count: SlotTable.slotByteCount)
        try store.slots.write([(77, slot)])
        sample.crash()

        let other = try bucket.takeOver()
        let there = try other.store
        for (number, id) in ids.enumerated() { #expect(try row(there, id) == (number == 3 ? nil : UInt8(number))) }
        #expect(try there.slots.read(77) == slot)
        #expect(!FileManager.default.fileExists(atPath: other.file(LogNames.object(object)).path))
        #expect(try there.content(of: object) == Array("a sealed photo".utf8))
        #expect(try there.objects.byteCount(of: object) == 14)
        try other.close()
    }

    @Test("an object is in the bucket before the entry that lists it, and goes only after the one that forgets it")
    func orderOfObjects() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let before = bucket.puts.count
        let object = try store.add([1, 2, 3])
        let puts = bucket.puts[before...]
        #expect(puts.first == LogNames.object(object))
        #expect(puts.dropFirst().map { $0.hasPrefix("log/") } == [true])
        try store.change { try $0.doomObject(object) }
        #expect(bucket.names.contains(LogNames.object(object)))
        bucket.setFault { _ in .lost }
        #expect(throws: StoreError.self) { try store.put(.random(), 1) }
        bucket.setFault(nil)
        #expect(try store.objects.reapDoomed() == 1)
        #expect(!bucket.names.contains(LogNames.object(object)))
        try sample.close()
    }

    @Test("what failed leaves nothing in the bucket for ever")
    func strays() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let staged = try store.stage([9, 9])
        #expect(throws: SampleError.refused) {
            try store.ledger.commitBlocking(
                LedgerChange(object: ArrivingObject(staged)) { _, _ in throw SampleError.refused })
        }
        #expect(bucket.names("objects/").count == 1)
        let doomed = try store.add([1])
        try store.change { try $0.doomObject(doomed) }
        _ = try store.objects.reapDoomed()
        #expect(bucket.names("objects/") == [])
        try sample.close()
    }

    @Test("where the bucket does not answer nothing counts as saved, and what comes later is whole")
    func unreachable() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let (first, second) = (RowID.random(), RowID.random())
        bucket.setFault { $0.hasPrefix("log/") ? .lost : nil }
        #expect(throws: StoreError.bucketUnreachable("lost")) { try store.put(first, 1) }
        #expect(try row(store, first) == nil)
        #expect(store.logStanding == .unreachable("lost"))
        bucket.setFault(nil)
        try store.put(second, 2)
        #expect(store.logStanding == .sound)
        sample.crash()
        let other = try bucket.takeOver()
        #expect(try row(other.store, first) == nil)
        #expect(try row(other.store, second) == 2)
        try other.close()
    }

    @Test("an entry whose answer never came is taken back by the next one")
    func takenBack() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let (first, kept, third) = (RowID.random(), RowID.random(), RowID.random())
        try store.put(kept, 7)
        bucket.setFault { $0.hasPrefix("log/") ? .answerLost : nil }
        let staged = try store.stage([4, 4, 4, 4])
        #expect(throws: StoreError.bucketUnreachable("answerLost")) {
            try store.ledger.commitBlocking(
                LedgerChange(object: ArrivingObject(staged)) { transaction, id in
                    try transaction.addObject(id ?? .random())
                    try transaction.putRow(first, [UInt8](repeating: 1, count: 512))
                    try transaction.putRow(kept, [UInt8](repeating: 8, count: 512))
                })
        }
        bucket.setFault(nil)
        try store.put(third, 3)
        #expect(try row(store, kept) == 7)
        sample.crash()

        let other = try bucket.takeOver()
        let there = try other.store
        #expect(try row(there, first) == nil)
        #expect(try row(there, kept) == 7)
        #expect(try row(there, third) == 3)
        #expect(try there.ledger.readBlocking { try $0.rowCount() } == 70 + 2)
        // What it brought is removed, too.
        #expect(bucket.names("objects/") == [])
        try other.close()
    }

    @Test("a crash between the bucket and the commit here: the next start does what the entry says")
    func cutOff() throws {
        let sample = try bucket.begin()
        // Not kept here: it ends with the crash.
        let id = RowID.random()
        let cutOff = try SampleStore()
        // What a process leaves here that ends at that moment.
        bucket.setFault { [from = sample.path, to = cutOff.path] name in
            if name.hasPrefix("log/") { try? FileManager.default.copyItem(atPath: from, toPath: to) }
            return nil
        }
        let object = Box<ObjectID?>(nil)
        let staged = try sample.store.stage([5, 5, 5])
        try sample.store.ledger.commitBlocking(
            LedgerChange(object: ArrivingObject(staged)) { transaction, published in
                object.value = published
                try transaction.addObject(published ?? .random())
                try transaction.putRow(id, [UInt8](repeating: 1, count: 512))
            })
        bucket.setFault(nil)
        sample.crash()
        cutOff.tier = TierConfiguration(bucket)
        let report = try cutOff.open()
        #expect(try row(cutOff.store, id) == 1)
        #expect(report.quarantined == 0)
        #expect(try cutOff.store.content(of: #require(object.value)) == [5, 5, 5])
        try cutOff.close()
    }

    @Test("who was taken over saves nothing any more, at once and for ever, and does not start again by itself")
    func superseded() throws {
        let sample = try bucket.begin()
        // Not kept here: it ends with the crash.
        let (before, late) = (RowID.random(), RowID.random())
        try sample.store.put(before, 1)
        let other = try bucket.takeOver()
        #expect(throws: StoreError.superseded) { try sample.store.put(late, 2) }
        #expect(try sample.store.logStanding == .superseded)
        #expect(throws: StoreError.superseded) { try sample.store.add([1]) }
        #expect(throws: StoreError.superseded) {
            try sample.store.slots.write([(1, [UInt8](repeating: 1, count: SlotTable.slotByteCount))])
        }
        try other.store.put(late, 3)
        sample.crash()
        #expect(throws: StoreError.self) { try sample.open() }
        sample.tier = TierConfiguration(bucket, intent: .takeOver)
        try sample.open()
        #expect(try row(sample.store, late) == 3)
        #expect(throws: StoreError.superseded) { try other.store.put(late, 4) }
        try sample.close()
        // And by itself, for it was the last.
        sample.tier = TierConfiguration(bucket)
        try sample.open()
        try sample.close()
    }

    @Test("who sleeps through takeovers and snapshots still meets the seal, and a stale list misleads nobody")
    func slept() throws {
        let sample = try bucket.begin()
        // Not kept here: it ends with the crash.
        for _ in 0..<5 { try sample.store.put(.random(), 1) }
        let other = try bucket.takeOver()
        for _ in 0..<5 { try other.store.put(.random(), 2) }
        let before = bucket.names("snapshot/")
        let entries = bucket.names("log/")
        try other.store.tier?.takeInNewEpoch(other.store.ledger, other.store.header)
        #expect(bucket.names("snapshot/").count == before.count)
        #expect(Set(bucket.names("snapshot/")).isDisjoint(with: before))
        #expect(bucket.names("log/").count < entries.count)
        #expect(throws: StoreError.superseded) { try sample.store.put(.random(), 3) }
        sample.crash()
        // Its place in the log is gone: it must not be taken for the end.
        sample.tier = TierConfiguration(bucket, intent: .takeOver)
        #expect(throws: StoreError.self) { try sample.open() }
        try other.store.put(.random(), 4)

        // A list that does not know the newest snapshot yet.
        let newest = try #require(bucket.names("snapshot/").last)
        bucket.hide { $0.hasPrefix(newest.prefix(26)) }
        #expect(throws: StoreError.self) { try bucket.takeOver() }
        bucket.hide(nil)
        let third = try bucket.takeOver()
        #expect(try third.store.ledger.readBlocking { try $0.rowCount() } == 70 + 11)
        try third.close()
    }

    @Test("a take-over that broke off between its two seals is done by the next one")
    func brokenTakeOver() throws {
        let sample = try bucket.begin()
        let id = RowID.random()
        try sample.store.put(id, 1)
        sample.crash()
        // The one ahead comes to stand, and nothing behind it; the next one does not try for ever.
        for room in [1, 20] {
            let count = Box(0)
            bucket.setFault { name in
                guard name.hasPrefix("log/") else { return nil }
                count.change { $0 += 1 }
                return count.value > room ? .lost : nil
            }
            if room == 1 { #expect(throws: StoreError.self) { try bucket.takeOver() } }
        }
        let other = try bucket.takeOver()
        #expect(try row(other.store, id) == 1)
        bucket.setFault(nil)
        try other.close()
    }

    @Test("a snapshot is taken while the store is used, once the log is long")
    func snapshots() async throws {
        let sample = try bucket.begin(snapshotEntryCount: 10)
        let store = try sample.store
        let first = bucket.names("snapshot/").count
        for _ in 0..<30 { try store.put(.random(), 1) }
        while bucket.names("snapshot/0000000000000002/").count > 0 { await Task.yield() }
        try sample.close()
        #expect(bucket.names("snapshot/").count { $0.hasSuffix("complete") } >= first / 4)
        let other = try bucket.takeOver()
        #expect(try other.store.ledger.readBlocking { try $0.rowCount() } == 100)
        try other.close()
    }

    @Test("how far unfinished uploads are stays here")
    func uploads() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let entries = bucket.names("log/").count
        let id = RowID.random()
        try store.change { try $0.putUpload(id, body: [1, 2, 3], part: nil, expiresDay: SampleStore.day + 7) }
        #expect(bucket.names("log/").count == entries)
        try store.change { try $0.deleteUpload(id) }
        #expect(bucket.names("log/").count == entries + 1)
        try sample.close()
    }

    @Test("a data directory that goes along is not changed without its bucket, nor with another one's")
    func alone() throws {
        let sample = try bucket.begin()
        try sample.close()
        let tier = sample.tier
        sample.tier = nil
        #expect(throws: StoreError.self) { try sample.open() }
        sample.tier = TierConfiguration(SampleBucket())
        #expect(throws: StoreError.self) { try sample.open() }
        sample.tier = tier
        try sample.open()
        try sample.close()
        // Nor is a new one begun beside it.
        let other = try SampleStore()
        other.tier = tier
        #expect(throws: StoreError.self) { try other.open() }
        #expect(!FileManager.default.fileExists(atPath: other.file("store.header").path))
    }

    @Test("a store that has photos puts them there first")
    func photosFirst() throws {
        let sample = try SampleStore()
        try sample.open()
        let object = try sample.store.add([1, 2])
        try sample.close()
        sample.tier = TierConfiguration(bucket)
        #expect(throws: StoreError.self) { try sample.open() }
        #expect(bucket.names == [])
        sample.tier = TierConfiguration(bucket, intent: .takeOver)
        try sample.open()
        #expect(bucket.names("objects/") == [LogNames.object(object)])
        try sample.close()
        let other = try bucket.takeOver()
        #expect(try other.store.content(of: object) == [1, 2])
        try other.close()
    }

    @Test("an entry that was changed in the bucket is not believed")
    func damagedEntry() throws {
        let sample = try bucket.begin()
        try sample.store.put(.random(), 1)
        sample.crash()
        let name = try #require(bucket.names("log/").last { !$0.hasSuffix("end") && !$0.hasSuffix("origin") })
        var bytes = try #require(try bucket.readWhole(name, atMost: 1 << 20))
        bytes[bytes.count / 2] ^= 1
        try bucket.put(name, bytes)
        #expect(throws: StoreError.self) { try bucket.takeOver() }
    }
}
