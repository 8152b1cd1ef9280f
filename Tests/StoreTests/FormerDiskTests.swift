import Foundation
import StoreSupport
import Testing

@testable import Store

@Suite("The disk of a host whose last entries the bucket has lost")
struct FormerDiskTests {
    let bucket = SampleBucket()
    private static let content = [UInt8](repeating: 3, count: 30_000)

    /// What the former host has saved: one photo and row that the bucket has, and others that it lost.
    private struct Former {
        let sample: SampleStore
        let kept: ObjectID
        let lost: ObjectID
        let row = RowID.random()
    }

    /// - Parameter losesObject: also the photo, not only the entry that lists it
    private func former(losesObject: Bool = true) throws -> Former {
        let sample = try bucket.begin()
        let kept = try sample.store.add(Self.content)
        let before = Set(bucket.names(LogNames.log))
        let lost = try sample.store.add([1] + Self.content)
        let former = Former(sample: sample, kept: kept, lost: lost)
        try sample.store.put(former.row, 8)
        sample.crash()
        for name in bucket.names(LogNames.log) where !before.contains(name) { _ = try bucket.remove(name) }
        if losesObject { _ = try bucket.remove(LogNames.object(lost)) }
        return former
    }

    private func join(_ former: Former, to target: SampleStore) throws -> Bool {
        try FormerDisk(former.sample.path, remote: bucket).join(to: target.path) { _, _ in }
    }

    private func expectAll(of former: Former, in sample: SampleStore) throws {
        #expect(try sample.store.content(of: former.kept) == Self.content)
        #expect(try sample.store.content(of: former.lost) == [1] + Self.content)
        #expect(try sample.store.ledger.readBlocking { try $0.row(former.row) }?.first == 8)
        #expect(bucket.names(StoreLayout.objects + "/").count == 2)
    }

    /// Also once both disks are gone.
    private func expectAllHereAndOnTheNextHost(_ former: Former, _ other: SampleStore) throws {
        _ = try bucket.takeOver(other)
        try expectAll(of: former, in: other)
        try other.close()
        try FileManager.default.removeItem(atPath: former.sample.path)
        try FileManager.default.removeItem(atPath: other.path)
        let third = try bucket.takeOver()
        try expectAll(of: former, in: third)
        try third.close()
    }

    @Test("is joined by who takes over: everything is there, once, and the next host finds it without that disk")
    func joined() throws {
        let former = try former()
        let other = try SampleStore()
        #expect(try join(former, to: other))
        try expectAllHereAndOnTheNextHost(former, other)
    }

    @Test("is joined, too, behind a take-over that went without it, as long as that host has changed nothing")
    func behindTakeOver() throws {
        let former = try former(losesObject: false)
        let hasty = try bucket.takeOver()
        #expect(hasty.notes.value.contains { $0.contains("in no list") })
        try hasty.close()
        let other = try SampleStore()
        #expect(try join(former, to: other))
        _ = try bucket.takeOver(other)
        try expectAll(of: former, in: other)
        try other.close()
        // The hasty one knows its place.
        #expect(throws: StoreError.self) {
            hasty.tier = TierConfiguration(bucket)
            try hasty.open()
        }
    }

    @Test("is refused once that host has changed something, and nothing is changed by that")
    func refused() throws {
        let former = try former()
        let hasty = try bucket.takeOver()
        try hasty.store.put(RowID.random(), 5)
        try hasty.close()
        let names = bucket.names
        let other = try SampleStore()
        #expect {
            _ = try join(former, to: other)
        } throws: {
            "\($0)".contains("has changed something since")
        }
        #expect(bucket.names == names && !FileManager.default.fileExists(atPath: other.path))
    }

    @Test("makes nothing where the bucket has all that it knows")
    func knownThere() throws {
        let sample = try bucket.begin()
        _ = try sample.store.add(Self.content)
        try sample.close()
        let other = try SampleStore()
        #expect(try !FormerDisk(sample.path, remote: bucket).join(to: other.path) { _, _ in })
        // Nor where another host has gone on from there.
        let next = try bucket.takeOver()
        _ = try next.store.add([2] + Self.content)
        try next.close()
        #expect(try !FormerDisk(sample.path, remote: bucket).join(to: other.path) { _, _ in })
        #expect(!FileManager.default.fileExists(atPath: other.path))
    }

    @Test(
        "loses nothing when it is cut off, wherever: the next try ends it",
        arguments: ["objects/", "snapshot/", "log/"])
    func cutOff(at prefix: String) throws {
        let former = try former()
        let other = try SampleStore()
        bucket.setFault { $0.hasPrefix(prefix) ? .lost : nil }
        #expect(throws: (any Error).self) {
            _ = try join(former, to: other)
            _ = try bucket.takeOver(other)
        }
        bucket.setFault(nil)
        if try TierRestoration.isNeeded(at: other.path) { #expect(try join(former, to: other)) }
        try expectAllHereAndOnTheNextHost(former, other)
    }
}
