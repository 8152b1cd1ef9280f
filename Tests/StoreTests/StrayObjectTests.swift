import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("Objects in the bucket that nothing lists")
struct StrayObjectTests {
    let bucket = SampleBucket()

    private func begin(
        _ intent: TierConfiguration.Intent = .goOn, _ sample: SampleStore? = nil, mayLoseUnlisted: Bool = false
    ) throws -> SampleStore {
        let sample = try sample ?? SampleStore()
        sample.tier = TierConfiguration(bucket, intent: intent)
        sample.tier?.mayLoseUnlisted = mayLoseUnlisted
        try sample.open()
        try sample.finishComparison()
        return sample
    }

    private func strand() throws -> ObjectID {
        let id = ObjectID.random()
        try bucket.put(LogNames.object(id), [1, 2, 3])
        return id
    }

    private func isThere(_ id: ObjectID) -> Bool { bucket.names.contains(LogNames.object(id)) }

    /// As the daemon does daily.
    private func pass(days: Int, _ sample: SampleStore) throws {
        for _ in 0..<days {
            sample.clock.advance(days: 1, running: .seconds(86_400))
            _ = try sample.store.expire()
            try sample.store.compareWithBucket()
        }
    }

    @Test("go 30 days after they were found, once the log says so; what is listed stays")
    func expire() throws {
        let sample = try begin()
        let listed = try sample.store.add([1])
        let stray = try strand()
        try sample.store.compareWithBucket()
        try pass(days: 30, sample)
        #expect(isThere(stray))
        // Looking concerns this host alone, and needs no entry.
        let before = bucket.puts.count
        try sample.store.compareWithBucket()
        #expect(bucket.puts.count == before)
        try pass(days: 1, sample)
        #expect(!isThere(stray) && isThere(listed))
        #expect(sample.notes.value.contains { $0.hasPrefix("1 objects in the bucket") })
        try sample.close()
    }

    @Test("are no longer looked for at the end of a store, of which nobody hears as of a fault; nor is a snapshot put")
    func ending() throws {
        let sample = try begin()
        let store = try sample.store
        _ = try strand()
        let tier = try #require(store.tier)
        tier.end()
        tier.compareSoon(store)
        // Behind what it waits for.
        tier.end()
        #expect(sample.notes.value == [])
        try store.put(.random(), 1)
        #expect(throws: ObjectTier.Unwanted.self) { try store.renewSnapshot() }
        try sample.close()
    }

    @Test("that a take-over finds stay until somebody decides: the last entry of the log may be lost")
    func lostLastEntry() throws {
        let sample = try begin()
        let (kept, lost) = (try sample.store.add([1]), try sample.store.add([2]))
        sample.crash()
        _ = try bucket.remove(
            try #require(bucket.names(LogNames.log).last { !$0.hasSuffix("end") && !$0.hasSuffix("origin") }))

        let other = try SampleStore()
        other.clock.stand(on: sample.clock.today)
        try TierRestoration(from: bucket, to: other.path).run { _, _ in }
        _ = try begin(.takeOver, other)
        #expect(other.notes.value.contains { $0.hasPrefix("1 objects in the bucket are in no list") })
        try pass(days: 100, other)
        #expect(isThere(kept) && isThere(lost))
        #expect { try sample.open() } throws: { error in
            guard case StoreError.unusable(let reason) = error else { return false }
            return reason.contains("on this disk alone")
        }
        try other.close()

        _ = try begin(.takeOver, other, mayLoseUnlisted: true)
        try pass(days: 31, other)
        #expect(isThere(kept) && !isThere(lost))
        try other.close()
    }

    @Test("none goes that is listed again meanwhile, or is on its way")
    func named() throws {
        let sample = try begin()
        let store = try sample.store
        let (listed, sent) = (try store.add([1]), try store.add([2]))
        for id in [listed, sent] { try store.forget(id) }
        try store.ledger.sendBlocking(sent)
        try store.compareWithBucket()
        try pass(days: 20, sample)
        try store.change { try $0.addObject(listed) }
        try pass(days: 20, sample)
        #expect(isThere(listed) && isThere(sent))
        try store.change { try $0.addObject(sent) }
        #expect(try store.content(of: sent) == [2])
        try sample.close()
    }

    @Test("who was taken over removes none, and who comes back begins an upload anew whose object was doomed")
    func takenOver() throws {
        let sample = try begin()
        let (part, upload) = (try sample.store.add([7, 7]), RowID.random())
        try sample.store.change { transaction in
            try transaction.forgetObject(part)
            try transaction.putUpload(upload, body: [1], part: part, expiresDay: SampleStore.day + 1000)
        }
        let stray = try strand()
        try sample.store.compareWithBucket()
        try pass(days: 30, sample)

        let other = try SampleStore()
        other.clock.stand(on: sample.clock.today)
        try TierRestoration(from: bucket, to: other.path).run { _, _ in }
        _ = try begin(.takeOver, other, mayLoseUnlisted: true)
        sample.clock.advance(days: 1, running: .seconds(86_400))
        #expect(throws: StoreError.superseded) { try sample.store.compareWithBucket() }
        #expect(isThere(stray) && isThere(part))
        try other.store.compareWithBucket()
        try pass(days: 31, other)
        #expect(!isThere(stray) && !isThere(part))
        try other.close()

        sample.crash()
        _ = try begin(.takeOver, sample)
        #expect(try !sample.store.ledger.readBlocking { try $0.containsUpload(upload) })
        try sample.close()
    }
}
