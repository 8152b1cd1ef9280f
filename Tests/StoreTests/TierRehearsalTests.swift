import Foundation
import StoreSupport
import Testing

@testable import Store

@Suite("A rehearsal of the bucket that everything goes along to")
struct TierRehearsalTests {
    let bucket = SampleBucket()
    private static let content = [UInt8](repeating: 3, count: 30_000)

    private func rehearse(part: Double = 1) throws -> RehearsalReport {
        let rehearsal = try TierRehearsal(of: bucket) { _, _ in }
        defer { rehearsal.remove() }
        return try rehearsal.run(part: part) { _, _ in }
    }

    @Test("reads back what is behind the snapshot, too, and changes nothing, while a host writes there")
    func sound() throws {
        let sample = try bucket.begin()
        for _ in 0..<4 { _ = try sample.store.add(Self.content) }
        let (names, puts) = (bucket.names, bucket.puts)
        let report = try rehearse()
        #expect(report.objectCount == 4 && report.fetchedObjectCount == 4 && report.damaged == [])
        #expect(report.byteCount == 4 * 30_000)
        #expect(try rehearse(part: 0.01).fetchedObjectCount == 1)
        #expect(bucket.names == names && bucket.puts == puts)
        _ = try sample.store.add(Self.content)
        try sample.close()
    }

    @Test("names what has changed there, what is missing, and what nobody says the digest of")
    func damaged() throws {
        let sample = try bucket.begin()
        let ids = try (0..<4).map { _ in try sample.store.add(Self.content) }
        try sample.close()
        let names = ids.map { LogNames.object($0) }
        bucket.rot(names[0])
        _ = try bucket.remove(names[1])
        bucket.replace(names[2], with: Self.content)
        #expect(try rehearse().damaged.sorted() == names[..<3].sorted())
    }

    @Test("asks again for what comes short, with other bytes, or not at all, once")
    func once() throws {
        let sample = try bucket.begin()
        for _ in 0..<2 { _ = try sample.store.add(Self.content) }
        try sample.close()
        for fault in [bucket.answerShortOnce, bucket.answerWronglyOnce] {
            fault()
            #expect(try rehearse().damaged == [])
        }
        let rehearsal = try TierRehearsal(of: bucket) { _, _ in }
        defer { rehearsal.remove() }
        bucket.missOnce(bucket.names(StoreLayout.objects + "/"))
        #expect(try rehearsal.run(part: 1) { _, _ in }.damaged == [])
    }

    @Test("says that no host could take over, where an entry or a piece of the snapshot is missing")
    func hole() throws {
        let sample = try bucket.begin()
        for _ in 0..<3 { _ = try sample.store.add(Self.content) }
        try sample.close()
        let entry = try #require(
            bucket.names(LogNames.log).filter { $0.split(separator: "/").count == 3 }.dropLast().last)
        let bytes = try #require(try bucket.read(entry, 0..<(1 << 30)))
        _ = try bucket.remove(entry)
        #expect(throws: StoreError.self) { try rehearse() }
        _ = try bucket.put(entry, bytes)
        #expect(try rehearse().damaged == [])
        let block = try #require(bucket.names(LogNames.slotBlocks).first)
        bucket.rot(block)
        #expect(throws: StoreError.self) { try rehearse() }
    }
}
