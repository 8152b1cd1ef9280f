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
        #expect(try join(former, to: other))
        try expectAllHereAndOnTheNextHost(former, other)
    }

    @Test("lets nothing come over it that another host changes before the take-over, and nobody is shut out")
    func overtaken() throws {
        let former = try former(losesObject: false)
        let hasty = try bucket.takeOver()
        try hasty.close()
        let other = try SampleStore()
        #expect(try join(former, to: other))
        hasty.tier = TierConfiguration(bucket)
        try hasty.open()
        try hasty.store.put(RowID.random(), 5)
        try hasty.close()
        let names = bucket.names
        #expect {
            _ = try bucket.takeOver(other)
        } throws: {
            "\($0)".contains("has changed something since")
        }
        #expect {
            let follower = try TierFollower(path: other.path, remote: bucket)
            defer { try? follower.end() }
            try follower.follow()
        } throws: {
            "\($0)".contains("has changed something since")
        }
        #expect(bucket.names == names)
        try hasty.open()
        try hasty.close()
    }

    @Test("is joined where an entry is missing in an epoch before the last one")
    func earlierEpoch() throws {
        let sample = try bucket.begin()
        let before = Set(bucket.names(LogNames.log))
        let lost = try sample.store.add([1] + Self.content)
        let missing = bucket.names(LogNames.log).filter { !before.contains($0) }
        try sample.close()
        sample.tier = TierConfiguration(bucket)
        try sample.open()
        try sample.finishComparison()
        let former = Former(sample: sample, kept: try sample.store.add(Self.content), lost: lost)
        try sample.store.put(former.row, 8)
        sample.crash()
        for name in missing { _ = try bucket.remove(name) }
        let other = try SampleStore()
        #expect(try join(former, to: other))
        try expectAllHereAndOnTheNextHost(former, other)
    }

    @Test("goes without a photo that neither the disk nor the bucket gives only where that is allowed")
    func unreadable() throws {
        let former = try former()
        try FileManager.default.removeItem(at: former.sample.file(LogNames.object(former.lost)))
        let other = try SampleStore()
        #expect {
            _ = try join(former, to: other)
        } throws: {
            "\($0)".contains("does not give 1 of 2")
        }
        let target = try SampleStore()
        #expect(
            try FormerDisk(former.sample.path, remote: bucket).join(to: target.path, mayLose: true) { _, _ in })
        _ = try bucket.takeOver(target)
        #expect(try target.store.content(of: former.kept) == Self.content)
        #expect(try target.store.ledger.readBlocking { try $0.row(former.row) }?.first == 8)
        try target.close()
    }

    @Test("is joined once: the same command again goes on with what it made, also behind a seal that nothing followed")
    func again() throws {
        let former = try former()
        let other = try SampleStore()
        #expect(try join(former, to: other))
        #expect(try join(former, to: other))
        bucket.setFault { $0.hasPrefix(LogNames.snapshots) ? .lost : nil }
        #expect(throws: (any Error).self) { _ = try bucket.takeOver(other) }
        bucket.setFault(nil)
        #expect(try join(former, to: other))
        try expectAllHereAndOnTheNextHost(former, other)
    }
}
