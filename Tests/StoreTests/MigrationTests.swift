import Bytes
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// What a store is, to this program and to a later one, that the later one has begun to take over.
@Suite("A migration by a later version")
struct MigrationTests {
    private struct Cut: Error {}

    /// With objects and rows, and an end that was none: its ledger's log is there.
    private func prepared(_ folder: TemporaryFolder? = nil, objects: Int = 7) throws -> SampleStore {
        let sample = try SampleStore(folder)
        try sample.open()
        for number in 0..<objects {
            _ = try sample.store.add([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100 + number))
        }
        return sample
    }

    private func objects(_ sample: SampleStore) throws -> Set<ObjectID> {
        var ids: Set<ObjectID> = []
        try sample.store.ledger.readBlocking { try $0.forEachObject { ids.insert($0) } }
        return ids
    }

    /// - Returns: copies of the store as it was at each step of the migration, as a kill leaves it.
    private func killed(_ sample: SampleStore) throws -> [SampleStore] {
        var copies: [SampleStore] = []
        try ToyVersion2(path: sample.path).migrate {
            let copy = try SampleStore()
            try FileManager.default.copyItem(atPath: sample.path, toPath: copy.path)
            copies.append(copy)
        }
        return copies
    }

    private func expectRefused(_ sample: SampleStore) throws {
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        func isRefusal(_ error: any Error) -> Bool {
            if case .newerFormat? = error as? StoreError { true } else { false }
        }
        #expect { try sample.open() } throws: { isRefusal($0) }
        #expect { try StoreCheck.run(path: sample.path) { _, _ in } } throws: { isRefusal($0) }
        #expect {
            try Backup(from: sample.path, to: sample.folder.path + "/backup").run(verifies: false, keeping: 1) { _, _ in
            }
        } throws: {
            isRefusal($0)
        }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
    }

    /// The later version goes on where it was, and everything is there.
    private func expectDone(_ sample: SampleStore, _ objects: Set<ObjectID>) throws {
        let toy = ToyVersion2(path: sample.path)
        try toy.migrate {}
        let copies = try toy.copies()
        #expect(copies.allSatisfy { $0 == copies[0] && $0?.version == 2 && $0?.incompatible == 0 && $0?.writer == 2 })
        #expect(Set(try toy.sizes().keys) == objects)
        for (id, size) in try toy.sizes() {
            let file = sample.file("objects/\(id.hex.prefix(2))/\(id.hex)")
            #expect(UInt64(try Data(contentsOf: file).count) == size)
        }
    }

    @Test("that is killed between any two steps is refused here without a change, and gone on with there")
    func kills() throws {
        let sample = try prepared()
        let all = try objects(sample)
        try sample.close()
        let copies = try killed(sample)
        // Three copies of the header, twice; three transactions; the ledger's copies.
        #expect(copies.count == 3 + 3 + 1 + 3)
        for copy in copies {
            try expectRefused(copy)
            try expectDone(copy, all)
            try expectRefused(copy)
        }
        try expectDone(sample, all)
    }

    @Test("of a store that was itself killed loses nothing that was acknowledged there")
    func killedBefore() throws {
        let running = try prepared()
        let all = try objects(running)
        let sample = try SampleStore()
        try FileManager.default.copyItem(atPath: running.path, toPath: sample.path)
        try running.close()
        for copy in try killed(sample) {
            try expectRefused(copy)
            try expectDone(copy, all)
        }
    }

    @Test(
        "that a power cut ends within a copy of the header is what the other copies say", arguments: [512, 2048, 4064])
    func cuts(byteCount: Int) throws {
        let sample = try prepared()
        let all = try objects(sample)
        try sample.close()
        let untouched = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: untouched.path)
        var before = untouched
        for (step, after) in try killed(sample).enumerated() {
            defer { before = after }
            var header = try Data(contentsOf: before.file("store.header"))
            let written = try Data(contentsOf: after.file("store.header"))
            guard let first = (0..<header.count).first(where: { header[$0] != written[$0] }) else { continue }
            // Of the copy that this step wrote only so much has reached the disk.
            let start = first / HeaderCopy.byteCount * HeaderCopy.byteCount
            header.replaceSubrange(start..<start + byteCount, with: written[start..<start + byteCount])
            let cut = try SampleStore()
            try FileManager.default.copyItem(atPath: before.path, toPath: cut.path)
            try header.write(to: cut.file("store.header"))
            if step == 0 {
                // Nothing has begun: it is a store of this version, whose damaged copy of the header heals.
                #expect(try cut.open().healedHeaderCopies == 1)
                #expect(try objects(cut) == all)
                try cut.close()
            } else {
                try expectRefused(cut)
            }
            try expectDone(cut, all)
        }
    }

    @Test(
        "that meets a full disk waits, refused here, until there is room",
        .enabled(if: SmallDisk.isAvailable, "needs root, to mount a small file system"))
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 48)
        let sample = try prepared(disk.folder, objects: 300)
        let all = try objects(sample)
        try sample.close()
        try disk.fill(leaving: 0)
        #expect { try ToyVersion2(path: sample.path).migrate {} } throws: { error in
            StoreError.translating(error) as? StoreError == .diskFull
        }
        try expectRefused(sample)
        try disk.empty()
        try expectDone(sample, all)
    }
}
