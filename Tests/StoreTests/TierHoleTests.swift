import Bytes
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A log in the bucket from which something is gone")
struct TierHoleTests {
    let bucket = SampleBucket()

    private func entries(_ epoch: UInt64) -> [String] {
        bucket.names(LogNames.epoch(epoch)).filter { !$0.hasSuffix("end") }
    }

    private func refusal(_ body: () throws -> some Any) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    /// A host that has written rows, and has ended without a word; its epoch.
    private func crashed(_ rows: Int = 6) throws -> (sample: SampleStore, epoch: UInt64) {
        let sample = try bucket.begin()
        let epoch = try #require(sample.store.tier).writing.log.mark.position.epoch
        for _ in 0..<rows { try sample.store.put(.random(), 1) }
        sample.crash()
        return (sample, epoch)
    }

    private func rowCount(_ sample: SampleStore) throws -> Int {
        try sample.store.ledger.readBlocking { try $0.rowCount() }
    }

    @Test("a take-over refuses, names what is missing and seals nothing; the host that wrote there goes on")
    func inTheMiddle() throws {
        let (sample, epoch) = try crashed()
        let missing = entries(epoch)[2]
        _ = try bucket.remove(missing)
        let before = bucket.names
        let said = refusal { try bucket.takeOver() }
        #expect(said.contains(missing) && said.contains("--without-lost"), "\(said)")
        #expect(bucket.names == before)

        sample.tier = TierConfiguration(bucket)
        try sample.open()
        let all = try rowCount(sample)
        // Its snapshot takes the place of what is missing.
        try sample.store.tier?.takeInNewEpoch(sample.store.ledger, sample.store.header)
        sample.crash()
        let other = try bucket.takeOver()
        #expect(try rowCount(other) == all)
        try other.close()
    }

    @Test("is found although the entries behind it were not given at the first time")
    func missedOnce() throws {
        let (_, epoch) = try crashed()
        let missing = entries(epoch)[2]
        _ = try bucket.remove(missing)
        bucket.missOnce(entries(epoch).filter { $0 > missing })
        #expect(refusal { try bucket.takeOver() }.contains(missing))
    }

    @Test("once the object is back, a take-over has everything")
    func broughtBack() throws {
        let (_, epoch) = try crashed()
        let missing = entries(epoch)[2]
        let bytes = try #require(try bucket.readWhole(missing, atMost: 1 << 20))
        _ = try bucket.remove(missing)
        let other = try SampleStore()
        #expect(throws: StoreError.self) { try bucket.takeOver(other) }
        try bucket.put(missing, bytes)
        _ = try bucket.takeOver(other)
        #expect(try rowCount(other) == 70 + 6)
        try other.close()
    }

    @Test("a take-over goes on without what is lost where that is asked for, and then everybody agrees")
    func withoutLost() throws {
        let (sample, epoch) = try crashed()
        _ = try bucket.remove(entries(epoch)[2])
        let other = try SampleStore()
        #expect(throws: StoreError.self) { try bucket.takeOver(other) }
        other.tier = TierConfiguration(bucket, intent: .takeOver)
        other.tier?.mayLose = true
        try other.open()
        #expect(try rowCount(other) == 70 + 1)
        try other.store.put(.random(), 2)
        other.crash()
        sample.tier = TierConfiguration(bucket)
        #expect(throws: StoreError.self) { try sample.open() }
        let third = try bucket.takeOver()
        #expect(try rowCount(third) == 70 + 2)
        try third.close()
    }

    @Test("an older data directory of the same host does not go on there either")
    func olderDisk() throws {
        let sample = try bucket.begin()
        let epoch = try #require(sample.store.tier).writing.log.mark.position.epoch
        try sample.store.put(.random(), 1)
        let older = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: older.path)
        for _ in 0..<4 { try sample.store.put(.random(), 1) }
        sample.crash()
        _ = try bucket.remove(entries(epoch)[2])
        let before = bucket.names
        older.tier = TierConfiguration(bucket)
        #expect(refusal { try older.open() }.contains("has a hole"))
        #expect(bucket.names == before)
    }

    @Test("a seal that is gone with its mark is missed where a later epoch is there, and is not passed over")
    func seal() throws {
        let (sample, epoch) = try crashed()
        sample.tier = TierConfiguration(bucket)
        try sample.open()
        try sample.store.put(.random(), 1)
        sample.crash()
        let seal = try #require(entries(epoch).last)
        _ = try bucket.remove(seal)
        _ = try bucket.remove(LogNames.end(of: epoch))
        let before = bucket.names
        let other = try SampleStore()
        #expect(refusal { try bucket.takeOver(other) }.contains(seal))
        other.tier = TierConfiguration(bucket, intent: .takeOver)
        other.tier?.mayLose = true
        #expect(refusal { try other.open() }.contains(seal))
        #expect(bucket.names == before)
    }

    // MARK: What is none

    @Test(
        "seals that take-overs left ahead of the end are none, nor what lists still name and what is none of the log's")
    func noHole() throws {
        let (_, epoch) = try crashed()
        let last = UInt64(entries(epoch).count)
        let writer = LogWriterID.random()
        for ahead in [40, 65] as [UInt64] {
            let seal = try LogEntryBody.seal(at: LogPosition(epoch: epoch, number: last + ahead), by: writer)
            _ = try bucket.putFirst(
                LogNames.entry(seal.position), byteCount: seal.byteCount, read: seal.read(into:at:))
        }
        try bucket.put(LogNames.entry(LogPosition(epoch: epoch, number: last + 3)), [1, 2, 3])
        bucket.setAlsoListed([LogNames.entry(LogPosition(epoch: epoch, number: last + 2))])
        let other = try bucket.takeOver()
        #expect(try rowCount(other) == 70 + 6)
        try other.close()
        other.tier = TierConfiguration(bucket)
        try other.open()
        try other.close()
    }

    @Test("what somebody writes between the list and the reading is none, and none of it is lost")
    func whileWriting() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        try store.put(.random(), 1)
        let acknowledged = Box(1)
        let epoch = try #require(store.tier).writing.log.mark.position.epoch
        let isWriting = Box(false)
        // Just as somebody asks for what is not there yet, it comes, and more behind it.
        bucket.whenMissing { name in
            guard name.hasPrefix(LogNames.epoch(epoch)), !name.hasSuffix("end"), !isWriting.value,
                acknowledged.value < 30
            else { return }
            isWriting.change { $0 = true }
            for _ in 0..<3 { if (try? store.put(.random(), 1)) != nil { acknowledged.change { $0 += 1 } } }
            isWriting.change { $0 = false }
        }
        let other = try bucket.takeOver()
        bucket.whenMissing(nil)
        #expect(acknowledged.value > 3)
        #expect(try rowCount(other) == 70 + acknowledged.value)
        #expect(throws: StoreError.superseded) { try store.put(.random(), 2) }
        try other.close()
        sample.crash()
    }

    @Test("what a snapshot took the place of while somebody asked is told as such, and not as a hole")
    func whileRemoving() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let older = try SampleStore()
        try TierRestoration(from: bucket, to: older.path).run { _, _ in }
        for _ in 0..<5 { try store.put(.random(), 1) }
        let isDone = Box(false)
        bucket.whenListed {
            guard !isDone.value else { return }
            isDone.change { $0 = true }
            do { try store.tier?.takeInNewEpoch(store.ledger, store.header) } catch { Issue.record(error) }
        }
        let said = refusal { try bucket.takeOver(older) }
        bucket.whenListed(nil)
        #expect(isDone.value)
        #expect(said.contains("older than what the bucket's log still tells"), "\(said)")
        try store.put(.random(), 1)
        let other = try bucket.takeOver()
        #expect(try rowCount(other) == 70 + 6)
        try other.close()
        sample.crash()
    }
}
