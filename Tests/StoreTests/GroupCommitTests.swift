import Dispatch
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A group of changes")
struct GroupCommitTests {
    /// Holds the writer until `changes` wait behind it, so that they become one group; returns what became of each.
    private func commitTogether(_ changes: [LedgerChange], in store: Store) async throws -> [Result<Void, any Error>] {
        let begun = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let first = Task {
            try await store.ledger.commit(
                LedgerChange { _, _ in
                    begun.signal()
                    mayGoOn.wait()
                })
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        return try await withThrowingTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
            for (index, change) in changes.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await store.ledger.commit(change)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while store.ledger.pendingCount < changes.count { await Task.yield() }
            mayGoOn.signal()
            var results = [Result<Void, any Error>](repeating: .success(()), count: changes.count)
            for try await (index, result) in group { results[index] = result }
            try await first.value
            return results
        }
    }

    private func upload(
        _ bytes: [UInt8], to store: Store, _ participant: SampleParticipant, published: Box<[ObjectID]>,
        failing: Bool = false
    ) throws -> LedgerChange {
        LedgerChange(object: ArrivingObject(try store.stage(bytes)), participants: [participant]) { transaction, id in
            guard let id else { throw SampleError.refused }
            published.value.append(id)
            try transaction.addObject(id)
            if failing { throw SampleError.refused }
        }
    }

    private func files(_ sample: SampleStore) throws -> Int {
        try TemporaryFolder.tree(sample.file("objects").path).values.count { $0 != Data("folder".utf8) }
    }

    @Test("shares one shard and one head, and a failing member harms no other")
    func failingMember() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let participant = SampleParticipant()
        let published = Box<[ObjectID]>([])
        let changes = try (0..<5).map {
            try upload([UInt8($0)], to: store, participant, published: published, failing: $0 == 2)
        }
        let results = try await commitTogether(changes, in: store)
        for (index, result) in results.enumerated() {
            #expect((try? result.get()) != nil || index == 2)
        }
        #expect(throws: SampleError.refused) { try results[2].get() }
        #expect(participant.calls.value == ["will", "did"])
        #expect(Set(published.value.map { $0.hex.prefix(2) }).count == 1)
        #expect(try files(sample) == 4)
        let listed = try store.ledger.readBlocking { reader in
            try published.value.filter { try reader.containsObject($0) }.count
        }
        #expect(listed == 4)
        try sample.close()
        #expect(try sample.open() == StartupReport())
        try sample.close()
    }

    @Test("fails as one when a participant throws, and leaves neither files nor rows")
    func failingParticipant() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let failing = SampleParticipant(failures: 1)
        let published = Box<[ObjectID]>([])
        let changes = try (0..<3).map { try upload([UInt8($0)], to: store, failing, published: published) }
        let results = try await commitTogether(changes, in: store)
        for result in results { #expect(throws: SampleError.refused) { try result.get() } }
        #expect(failing.calls.value == ["will", "rolled back"])
        #expect(try files(sample) == 0)
        #expect(try store.ledger.readBlocking { try $0.row(failing.head) } == nil)
        #expect(try store.ledger.readBlocking { try $0.containsObject(published.value[0]) } == false)
        // The next group is not touched by it.
        try await store.ledger.commit(try upload([9], to: store, failing, published: published))
        #expect(failing.calls.value == ["will", "rolled back", "will", "did"])
        #expect(try store.ledger.readBlocking { try $0.row(failing.head)?.first } == 1)
        try sample.close()
    }

    @Test("tells a participant whose every change failed that nothing was stored")
    func onlyFailures() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (unlucky, lucky) = (SampleParticipant(), SampleParticipant())
        let published = Box<[ObjectID]>([])
        let changes = [
            try upload([1], to: store, unlucky, published: published, failing: true),
            try upload([2], to: store, lucky, published: published),
        ]
        _ = try await commitTogether(changes, in: store)
        #expect(unlucky.calls.value == ["rolled back"])
        #expect(lucky.calls.value == ["will", "did"])
        #expect(try files(sample) == 1)
        try sample.close()
    }

    @Test("is undone for the member that fails after writing, and for no other")
    func savepoint() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (row, other) = (RowID.random(), RowID.random())
        try store.put(row, 1)
        let changes = [
            LedgerChange { transaction, _ in
                try transaction.putRow(row, [UInt8](repeating: 2, count: 512))
                throw SampleError.refused
            },
            LedgerChange { transaction, _ in try transaction.putRow(other, [UInt8](repeating: 3, count: 512)) },
        ]
        let results = try await commitTogether(changes, in: store)
        #expect(throws: SampleError.refused) { try results[0].get() }
        try results[1].get()
        #expect(try store.ledger.readBlocking { try $0.row(row)?.first } == 1)
        #expect(try store.ledger.readBlocking { try $0.row(other)?.first } == 3)
        try sample.close()
    }

    @Test("leaves a change alone that wants a transaction of its own, in its place in the order")
    func alone() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let participant = SampleParticipant()
        let groups = Box<[UInt8]>([])
        let changes = [false, false, true, true, false].map { runsAlone in
            LedgerChange(participants: [participant], runsAlone: runsAlone) { transaction, _ in
                groups.value.append(try transaction.row(participant.head)?.first ?? 0)
            }
        }
        for result in try await commitTogether(changes, in: store) { try result.get() }
        #expect(participant.calls.value.count { $0 == "did" } == Set(groups.value).count)
        #expect(groups.value == groups.value.sorted())
        // Whatever the order in which they came to wait: two are alone, and nobody is in their groups.
        let sizes = Dictionary(grouping: groups.value) { $0 }.mapValues(\.count)
        #expect(sizes.values.reduce(0, +) == 5 && sizes.count >= 3)
        try sample.close()
    }

    @Test("makes its rows while an object is on its way to the disk, and waits for it before they count")
    func lateObject() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let participant = SampleParticipant()
        let published = Box<[ObjectID]>([])
        let staged = try store.objects.stage()
        let (isAwaited, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let object = ArrivingObject(staged) {
            isAwaited.signal()
            mayGoOn.wait()
        }
        let change = LedgerChange(object: object, participants: [participant]) { transaction, id in
            guard let id else { throw SampleError.refused }
            published.value.append(id)
            try transaction.addObject(id)
        }
        async let result: Void = store.ledger.commit(change)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                #expect(isAwaited.wait(timeout: .now() + 600) == .success)
                continuation.resume()
            }
        }
        let id = try #require(published.value.first)
        #expect(participant.calls.value == ["will"])
        #expect(try store.objects.byteCount(of: id) == nil)
        #expect(try store.ledger.readBlocking { try $0.containsObject(id) } == false)
        try [UInt8]([7]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try staged.write(bytes) }
        try staged.synchronize()
        #expect(try store.ledger.readBlocking { try $0.containsObject(id) } == false)
        mayGoOn.signal()
        try await result
        #expect(participant.calls.value == ["will", "did"])
        #expect(published.value == [id])
        #expect(try store.content(of: id) == [7])
        #expect(try store.ledger.readBlocking { try $0.containsObject(id) })
        try sample.close()
    }

    @Test("goes on without a change whose object does not come, or was not synced")
    func missingObjects() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (participant, unlucky) = (SampleParticipant(), SampleParticipant())
        let published = Box<[ObjectID]>([])
        var changes = try (0..<3).map { try upload([UInt8($0)], to: store, participant, published: published) }
        changes[1].object = changes[1].object.map { object in
            ArrivingObject(object.staged) {
                store.condition.markDegraded()
                throw StoreError.syncFailed
            }
        }
        let unsynced = try store.objects.stage()
        try [UInt8]([9]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try unsynced.write(bytes) }
        changes.append(
            LedgerChange(object: ArrivingObject(unsynced), participants: [unlucky]) { transaction, id in
                guard let id else { throw SampleError.refused }
                try transaction.addObject(id)
            })
        let results = try await commitTogether(changes, in: store)
        try results[0].get()
        #expect(throws: StoreError.syncFailed) { try results[1].get() }
        try results[2].get()
        // The disk was asked for its word before the others were believed.
        #expect(!store.condition.isDegraded)
        #expect(throws: StoreError.self) { try results[3].get() }
        #expect(participant.calls.value == ["will", "rolled back", "will", "did"])
        #expect(unlucky.calls.value == ["will", "rolled back"])
        let listed = try store.ledger.readBlocking { reader in
            try Set(published.value).filter { try reader.containsObject($0) }
        }
        #expect(try Set(listed.map { try store.content(of: $0) }) == [[0], [2]])
        // The writer has let go of the group when it has come to the next.
        changes = []
        try await store.ledger.settle()
        #expect(try files(sample) == 2)
        try sample.close()
        #expect(try sample.open() == StartupReport())
        try sample.close()
    }

    @Test("loses nothing of many writers at once")
    func manyWriters() async throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let participant = SampleParticipant()
        let published = Box<[ObjectID]>([])
        let changes = try (0..<64).map { try upload([UInt8($0)], to: store, participant, published: published) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for change in changes { group.addTask { try await store.ledger.commit(change) } }
            try await group.waitForAll()
        }
        #expect(Set(published.value).count == 64)
        let contents = try Set(published.value.flatMap { try store.content(of: $0) })
        #expect(contents.count == 64)
        let groups = participant.calls.value.count { $0 == "did" }
        #expect(try store.ledger.readBlocking { try $0.row(participant.head)?.first } == UInt8(groups))
        try sample.close()
    }
}
