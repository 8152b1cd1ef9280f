import Foundation
import StoreSupport
import TestSupport
import Testing
import Threads

@testable import Store

@Suite("What was said to have failed is not in the bucket", .timeLimit(.minutes(10)))
struct TierFailureTests {
    let bucket = SampleBucket()
    let first = RowID.random()
    let kept = RowID.random()

    private func begin() throws -> SampleStore {
        let sample = try bucket.begin()
        try sample.store.put(kept, 7)
        return sample
    }

    /// A change whose entry stands, and of which it is said that nothing was saved.
    private func fail(_ store: Store) throws {
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
    }

    private func expectNothing(of sample: SampleStore) throws {
        let store = try sample.store
        #expect(try store.ledger.readBlocking { try $0.row(first) } == nil)
        #expect(try store.ledger.readBlocking { try $0.row(kept) }?.first == 7)
        #expect(bucket.names("objects/") == [])
    }

    @Test("it is taken back at once, and needs no other change for that")
    func atOnce() async throws {
        let sample = try begin()
        try fail(sample.store)
        let log = try #require(try sample.store.ledger.log)
        #expect(log.isUnsettled)
        while log.isUnsettled { try await Task.sleep(for: .milliseconds(20)) }
        sample.crash()
        let other = try bucket.takeOver()
        try expectNothing(of: other)
        try other.close()
    }

    @Test("a process that ends before that has noted it: the next start takes it back before anything else")
    func nextStart() throws {
        let sample = try begin()
        try fail(sample.store)
        sample.crash()
        try sample.open()
        try expectNothing(of: sample)
        // And once only.
        sample.crash()
        try sample.open()
        sample.crash()
        let other = try bucket.takeOver()
        try expectNothing(of: other)
        try other.close()
    }

    @Test("where another host has taken over meanwhile, what that found saved stays")
    func foundSaved() throws {
        let sample = try begin()
        try fail(sample.store)
        sample.crash()
        let other = try bucket.takeOver()
        #expect(try other.store.ledger.readBlocking { try $0.row(first) } != nil)
        try other.close()
        #expect(throws: StoreError.self) { try sample.open() }
        _ = try bucket.takeOver(sample)
        #expect(try sample.store.ledger.readBlocking { try $0.row(first) } != nil)
        #expect(try sample.store.ledger.readBlocking { try $0.row(kept) }?.first == 8)
        #expect(bucket.names("objects/").count == 1)
        try sample.close()
    }

    @Test("an entry that took its place in the log is none that failed")
    func otherInItsPlace() throws {
        let sample = try begin()
        bucket.setFault { $0.hasPrefix("log/") ? .lost : nil }
        #expect(throws: StoreError.self) { try sample.store.put(first, 1) }
        bucket.setFault(nil)
        try sample.store.put(kept, 9)
        sample.crash()
        try sample.open()
        #expect(try sample.store.ledger.readBlocking { try $0.row(kept) }?.first == 9)
        #expect(try sample.store.ledger.readBlocking { try $0.row(first) } == nil)
        try sample.close()
    }

    @Test("what concerns this host alone settles nothing")
    func hostAlone() throws {
        let sample = try begin()
        try fail(sample.store)
        // The entry is found, and what takes it back does not come.
        let standing = bucket.puts.last { $0.hasPrefix("log/") }
        bucket.setFault { $0.hasPrefix("log/") && $0 != standing ? .lost : nil }
        #expect(throws: StoreError.self) { try sample.store.put(.random(), 2) }
        #expect(try sample.store.ledger.log?.undone.count == 1)
        let upload = RowID.random()
        try sample.store.change { try $0.putUpload(upload, body: [1], part: nil, expiresDay: SampleStore.day + 7) }
        bucket.setFault(nil)
        try sample.store.put(.random(), 3)
        sample.crash()
        let other = try bucket.takeOver()
        try expectNothing(of: other)
        try other.close()
    }

    @Test("whoever asks whether the ledger moves does not wait for the bucket")
    func touching() async throws {
        let sample = try begin()
        let store = try sample.store
        let (began, goOn) = (StartedWork<Void>(), DispatchSemaphore(value: 0))
        bucket.setFault { name in
            guard name.hasPrefix("log/") else { return nil }
            began.fulfil(.success(()))
            goOn.wait()
            return nil
        }
        let pool = BlockingPool(name: "test", threads: 1)
        let change = pool.start { [first] in try store.put(first, 1) }
        try await began.value()
        try store.ledger.touch(LedgerChange { _, _ in })
        #expect(store.ledger.isBusy)
        bucket.setFault(nil)
        goOn.signal()
        try await change.value()
        try store.ledger.touch(LedgerChange { _, _ in })
        try sample.close()
    }

    @Test("a photo that the disk does not give keeps no other one out of the bucket, which is not begun without it")
    func unreadable() throws {
        let sample = try SampleStore()
        try sample.open()
        let objects = try (0..<6).map { try sample.store.add([UInt8]("photo \($0)".utf8)) }
        try sample.close()
        // A folder can be opened, and not be read.
        let file = sample.file(LogNames.object(objects[2]))
        let kept = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect {
            _ = try bucket.takeOver(sample)
        } throws: {
            "\($0)".contains("does not give 1 of 6 photos")
        }
        #expect(Set(bucket.names) == Set((objects[..<2] + objects[3...]).map { LogNames.object($0) }))

        try FileManager.default.removeItem(at: file)
        try kept.write(to: file)
        _ = try bucket.takeOver(sample)
        #expect(objects.allSatisfy { bucket.names.contains(LogNames.object($0)) })
        try sample.close()
    }
}

/// What a store, or who stands between, does with one answer for each object.
enum BadAnswer: CaseIterable {
    case short, wrong

    func begin(in bucket: SampleBucket) {
        switch self {
        case .short: bucket.answerShortOnce()
        case .wrong: bucket.answerWronglyOnce()
        }
    }
}

@Suite("A bucket whose answers come short once, or with other bytes")
struct ShortAnswerTests {
    let bucket = SampleBucket()

    @Test("is taken over whole: snapshot, log and objects are asked for again", arguments: BadAnswer.allCases)
    func takenOver(answer: BadAnswer) throws {
        let sample = try bucket.begin()
        let (row, content) = (RowID.random(), [UInt8](repeating: 3, count: 30_000))
        let id = try sample.store.add(content)
        try sample.store.put(row, 8)
        sample.crash()
        answer.begin(in: bucket)
        let other = try bucket.takeOver()
        #expect(try other.store.ledger.readBlocking { try $0.row(row) }?.first == 8)
        #expect(try other.store.content(of: id) == content)
        try other.close()
    }

    @Test("gives what is read where it lies whole", arguments: BadAnswer.allCases)
    func readThere(answer: BadAnswer) throws {
        let sample = try bucket.begin()
        let id = try sample.store.add([UInt8](repeating: 3, count: 30_000))
        let reader = try #require(try sample.store.tier?.writing.objects.open(id))
        answer.begin(in: bucket)
        var bytes = [UInt8](repeating: 0, count: 1000)
        try bytes.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
            try reader.read(into: buffer, at: 29_000) { bytes in
                guard bytes.allSatisfy({ $0 == 3 }) else { throw StoreError.objectUnreadable }
            }
        }
        #expect(bytes == [UInt8](repeating: 3, count: 1000))
        try sample.close()
    }
}
