import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("What is kept here of objects that the bucket has")
struct TierCacheTests {
    let bucket = SampleBucket()

    private func cache(of limit: UInt64, _ sample: SampleStore) throws -> ObjectCache {
        ObjectCache(
            limit: limit, folders: try ObjectFolders(root: Folder.open(path: sample.path)),
            objects: try #require(try sample.store.tier?.writing.objects))
    }

    private func isHere(_ id: ObjectID, _ sample: SampleStore) -> Bool {
        FileManager.default.fileExists(atPath: sample.file(LogNames.object(id)).path)
    }

    @Test("what was used longest ago goes first, comes back when it is asked for, and is checked then")
    func leastRecentlyUsed() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let content = [UInt8](repeating: 3, count: 30_000)
        let ids = try (0..<3).map { _ in try store.add(content) }
        let last = try store.add(content)
        let cache = try cache(of: 100_000, sample)
        for id in [ids[1], ids[2], ids[0], last] { cache.noteUse(of: id) }
        #expect(try cache.trim(store.ledger) == (removed: 1, mended: 0))
        #expect(!isHere(ids[1], sample))
        #expect(isHere(ids[0], sample) && isHere(ids[2], sample) && isHere(last, sample))

        #expect(try store.content(of: ids[1]) == content)
        #expect(isHere(ids[1], sample))
        try FileManager.default.removeItem(at: sample.file(LogNames.object(ids[2])))
        // Larger than what is brought here: read where it lies.
        let reader = try #require(try store.tier?.writing.objects.open(ids[2]))
        var bytes = [UInt8](repeating: 0, count: 100)
        try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try reader.read(into: buffer, at: 29_900) { _ in }
        }
        #expect(bytes == [UInt8](repeating: 3, count: 100))
        #expect(!isHere(ids[2], sample))
        try sample.close()
    }

    @Test("the last one there is never goes, nor what is not finished")
    func lastOne() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let lost = try store.add([1, 2, 3, 4])
        let kept = try store.add([5, 6, 7, 8])
        _ = try bucket.remove(LogNames.object(lost))
        let part = try store.add([9, 9, 9, 9])
        try store.change { transaction in
            try transaction.forgetObject(part)
            try transaction.putUpload(.random(), body: [1], part: part, expiresDay: SampleStore.day + 7)
        }
        #expect(try cache(of: 1, sample).trim(store.ledger) == (removed: 1, mended: 1))
        #expect(isHere(lost, sample) && bucket.names.contains(LogNames.object(lost)))
        #expect(isHere(part, sample))
        #expect(!isHere(kept, sample))
        try sample.close()
    }
}

/// Of the two, that one is right which was put.
extension TierCacheTests {
    @Test("nothing goes any more once the store ends, which does not wait for all of it to be read there")
    func ending() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let id = try store.add([1, 2, 3, 4])
        #expect(throws: ObjectTier.Unwanted.self) {
            try cache(of: 1, sample).trim(store.ledger) { throw ObjectTier.Unwanted() }
        }
        #expect(isHere(id, sample))
        try sample.close()
    }

    @Test("what has changed in the bucket is put again; what has changed here is neither put nor given up")
    func changed() throws {
        let sample = try bucket.begin()
        let store = try sample.store
        let (there, here) = (try store.add([1, 2, 3, 4]), try store.add([5, 6, 7, 8]))
        bucket.rot(LogNames.object(there))
        try Data([5, 6, 7, 9]).write(to: sample.file(LogNames.object(here)))
        #expect(try cache(of: 1, sample).trim(store.ledger) == (removed: 0, mended: 1))
        #expect(try bucket.read(LogNames.object(there)) == [1, 2, 3, 4])
        #expect(try bucket.read(LogNames.object(here)) == [5, 6, 7, 8])
        #expect(isHere(there, sample) && isHere(here, sample))
        try sample.close()
    }
}

@Suite("A backup of a data directory that goes along to a bucket")
struct TierBackupTests {
    let bucket = SampleBucket()

    private func object(_ byte: UInt8) -> [UInt8] {
        Array("SLO1".utf8) + [1, 14, 0, 0] + [UInt8](repeating: byte, count: 4088)
    }

    @Test("has what this disk has no more, and says what is in neither", arguments: [false, true])
    func whole(elsewhere: Bool) throws {
        let sample = try SampleStore()
        sample.tier = TierConfiguration(bucket)
        try sample.open()
        let ids = try (1...3).map { try sample.store.add(object($0)) }
        for id in ids[1...] { try FileManager.default.removeItem(at: sample.file(LogNames.object(id))) }
        let copy = SampleBucket()
        let folder = sample.folder.path + "/backup"
        let place: BackupPlace = elsewhere ? .elsewhere(copy) : .folder(folder)
        func back(at time: UInt64) throws -> BackupReport {
            try Backup(from: sample.path, with: bucket, to: place, now: { time })
                .run(verifies: false, keeping: 2) { _, _ in }
        }
        let report = try back(at: 1000)
        #expect(report.isWhole && report.objectCount == 3 && report.copiedObjectCount == 3)
        let restored = sample.folder.path + "/restored"
        let restoration = try Restoration(from: place, to: restored).run { _, _ in }
        #expect(restoration.damaged == [] && restoration.objectCount == 3)
        let path = restored + "/" + LogNames.object(ids[2])
        let content = FileManager.default.contents(atPath: path)
        #expect(content.map { [UInt8]($0) == object(3) } == true)

        let again = try back(at: 2000)
        #expect(again.isWhole && again.copiedObjectCount == 0)
        let lost = try sample.store.add(object(4))
        try FileManager.default.removeItem(at: sample.file(LogNames.object(lost)))
        _ = try bucket.remove(LogNames.object(lost))
        #expect(try back(at: 3000).missingObjectCount == 1)
        // Another bucket than the one that it goes along to has nothing to do with it.
        let other = SampleBucket()
        try other.put(LogNames.origin, [UInt8](repeating: 1, count: 40))
        #expect(throws: StoreError.self) {
            _ = try Backup(from: sample.path, with: other, to: place)
                .run(verifies: false, keeping: 2) { _, _ in }
        }
        try sample.close()
    }
}

extension TierBackupTests {
    @Test("asks its bucket again for what comes with other bytes, or not at all, once", arguments: [false, true])
    func askedAgain(elsewhere: Bool) throws {
        let sample = try bucket.begin()
        let ids = try (1...4).map { try sample.store.add(object($0)) }
        for id in ids { try FileManager.default.removeItem(at: sample.file(LogNames.object(id))) }
        let place: BackupPlace = elsewhere ? .elsewhere(SampleBucket()) : .folder(sample.folder.path + "/backup")
        bucket.answerWronglyOnce()
        bucket.missOnce(ids[2...].map { LogNames.object($0) })
        let report = try Backup(from: sample.path, with: bucket, to: place).run(verifies: false, keeping: 2) { _, _ in }
        #expect(report.isWhole && report.copiedObjectCount == 4)
        try sample.close()
    }
}

@Suite("A data directory that stands by")
struct TierFollowerTests {
    let bucket = SampleBucket()

    @Test("follows another host, and takes over where that ended")
    func follows() throws {
        let sample = try SampleStore()
        sample.tier = TierConfiguration(bucket)
        try sample.open()
        let (first, second) = (RowID.random(), RowID.random())
        try sample.store.put(first, 1)

        let other = try SampleStore()
        try TierRestoration(from: bucket, to: other.path).run { _, _ in }
        let follower = try TierFollower(path: other.path, remote: bucket)
        try follower.follow()
        let puts = bucket.puts.count
        try sample.store.put(second, 2)
        try follower.follow()
        #expect(bucket.puts.count == puts + 1)
        #expect(!follower.isWriter && !follower.isToTakeOver)
        #expect(try TierFollower.askToTakeOver(at: other.path))
        #expect(follower.isToTakeOver)
        try follower.end()
        #expect(try !TierFollower.askToTakeOver(at: other.path))

        other.tier = TierConfiguration(bucket, intent: .takeOver)
        try other.open()
        for (id, byte) in [(first, 1), (second, 2)] {
            #expect(try other.store.ledger.readBlocking { try $0.row(id) }?.first == UInt8(byte))
        }
        #expect(throws: StoreError.superseded) { try sample.store.put(first, 9) }
        try other.close()
        let again = try TierFollower(path: other.path, remote: bucket)
        try again.follow()
        #expect(again.isWriter)
        try again.end()
    }

    @Test("a host to which nothing comes learns that another has taken over, and takes nothing of its own for that")
    func successor() throws {
        let sample = try bucket.begin()
        func look() throws -> LogStanding? {
            try sample.store.ledger.lookForSuccessor()
            return try sample.store.logStanding
        }
        try sample.store.put(.random(), 1)
        #expect(try look() == .sound)
        try sample.store.tier?.takeInNewEpoch(sample.store.ledger, sample.store.header)
        #expect(try look() == .sound)
        // An entry whose answer was lost stands where the next one is looked for.
        bucket.setFault { $0.hasPrefix(LogNames.log) ? .answerLost : nil }
        #expect(throws: StoreError.self) { try sample.store.put(.random(), 1) }
        #expect(try look() != .superseded)
        bucket.setFault(nil)
        try sample.store.put(.random(), 1)
        #expect(try look() == .sound)

        let other = try bucket.takeOver()
        #expect(try look() == .superseded)
        try other.store.put(.random(), 1)
        try other.close()
        sample.crash()
    }

    @Test("silence counts by this host's running time, from the last change on, and not while the bucket is away")
    func silence() {
        var silence = TierSilence(patience: .seconds(30))
        let start = ContinuousClock.now
        let steps: [(sign: [UInt8]?, seconds: Int, isOver: Bool)] = [
            (nil, 0, false), (nil, 100, false), ([1], 100, false), ([1], 129, false), ([2], 131, false),
            ([2], 160, false),
        ]
        for step in steps {
            let isOver = silence.isOver(step.sign, at: start + .seconds(step.seconds))
            #expect(isOver == step.isOver)
        }
        silence.wasDeaf()
        for (seconds, expected) in [(300, false), (329, false), (330, true)] {
            let isOver = silence.isOver([2], at: start + .seconds(seconds))
            #expect(isOver == expected)
        }
    }
}
