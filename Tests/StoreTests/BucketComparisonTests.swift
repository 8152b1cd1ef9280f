import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("What the bucket has lost")
struct BucketComparisonTests {
    let bucket = SampleBucket()
    private static let content = [UInt8](repeating: 3, count: 30_000)

    private func name(_ id: ObjectID) -> String { LogNames.object(id) }

    @Test("is put again while this disk has it, and told where neither has")
    func lost() throws {
        let sample = try bucket.begin()
        let ids = try (0..<4).map { _ in try sample.store.add(Self.content) }
        try sample.store.compareWithBucket()
        #expect(try #require(sample.store.bucketLosses) == (0, 0))
        for id in ids.dropFirst() { _ = try bucket.remove(name(id)) }
        try FileManager.default.removeItem(at: sample.file(name(ids[3])))
        try sample.store.compareWithBucket()
        #expect(try #require(sample.store.bucketLosses) == (3, 2))
        #expect(ids.map { bucket.names.contains(name($0)) } == [true, true, true, false])
        #expect(sample.notes.value.contains { $0.hasPrefix("The bucket had lost 3 objects") })
        // What was put again is no news the next day.
        try sample.store.compareWithBucket()
        #expect(try #require(sample.store.bucketLosses) == (1, 0))
        try sample.close()
    }

    @Test("in part is put again whole, by the digest with which it was put")
    func cutOff() throws {
        let sample = try bucket.begin()
        let id = try sample.store.add(Self.content)
        bucket.cut(name(id))
        try sample.store.compareWithBucket()
        #expect(try #require(sample.store.bucketLosses) == (1, 1))
        #expect(try bucket.read(name(id)) == Self.content)
        try sample.close()
    }

    @Test("is put again where somebody else answers the look at it")
    func pageForPeople() throws {
        let sample = try bucket.begin()
        let id = try sample.store.add(Self.content)
        _ = try bucket.remove(name(id))
        bucket.showPageOnce([name(id)])
        try sample.store.compareWithBucket()
        #expect(try #require(sample.store.bucketLosses) == (1, 1))
        #expect(try bucket.read(name(id)) == Self.content)
        try sample.close()
    }

    @Test("is found at the start, too")
    func atStart() throws {
        let sample = try bucket.begin()
        let id = try sample.store.add(Self.content)
        try sample.close()
        _ = try bucket.remove(name(id))
        try sample.open()
        try sample.finishComparison()
        #expect(bucket.names.contains(name(id)))
        try sample.close()
    }

    @Test("is found behind one change, or two or four more, where the bucket gave no list")
    func withoutList() throws {
        let sample = try bucket.begin()
        let id = try sample.store.add(Self.content)
        try sample.close()
        _ = try bucket.remove(name(id))
        bucket.failLists(3)
        try sample.open()
        try sample.finishComparison()
        for isThere in [false, false, false, false, false, false, true] {
            _ = try sample.store.add(Self.content)
            try sample.finishComparison()
            #expect(bucket.names.contains(name(id)) == isThere)
        }
        try sample.close()
    }

    @Test("is nothing where a list is behind, or where somebody deletes meanwhile")
    func listsBehind() throws {
        let sample = try bucket.begin()
        let (listed, deleted) = (try sample.store.add(Self.content), try sample.store.add(Self.content))
        let hidden = Set([listed, deleted].map(name))
        bucket.hide { hidden.contains($0) }
        try sample.store.change { try $0.doomObject(deleted) }
        try sample.store.reapDoomed()
        let puts = bucket.puts.count
        try sample.store.compareWithBucket()
        #expect(bucket.puts.count == puts)
        #expect(try #require(sample.store.bucketLosses) == (0, 0))
        try sample.close()
    }
}
