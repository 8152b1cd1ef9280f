import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// What this program does with a store of a later version, wherever a command could write into one.
@Suite("A store of a later version")
struct LaterVersionTests {
    /// As a later program may leave it.
    enum Kind: CaseIterable {
        case laterFormat, incompatible, onlyRead
    }

    private let sample: SampleStore
    private let target: String

    init() throws {
        sample = try SampleStore()
        sample.fillsSlots = true
        target = sample.folder.path + "/backup"
        try sample.open()
        // A backup takes nothing else for an object.
        _ = try sample.store.add(Array("SLO1".utf8) + [1, 14, 0, 0] + [UInt8](repeating: 0, count: 4088))
    }

    /// Closes the store, makes it one of a later version, and gives everything in its folder.
    private func make(_ kind: Kind) throws -> [String: Data] {
        var header = try sample.store.header
        switch kind {
        case .laterFormat: break
        case .incompatible: header.features.incompatible = 1 << 7
        case .onlyRead: header.features.readOnly = 1
        }
        try sample.store.headerFile.replace(header)
        try sample.close()
        if kind == .laterFormat { try sample.setFormatVersion(2) }
        return try TemporaryFolder.tree(sample.path, contents: true)
    }

    private func expectUnchanged(_ before: [String: Data]) throws {
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
    }

    private func isRefusal(_ error: any Error) -> Bool {
        switch error as? StoreError {
        case .newerFormat: true
        case .unusable(let words): words.contains("later version")
        default: false
        }
    }

    @Test("a backup leaves it as it is, and copies what may be read", arguments: Kind.allCases)
    func backup(kind: Kind) throws {
        let before = try make(kind)
        let backup = Backup(from: sample.path, to: target, now: { 1000 })
        if kind == .onlyRead {
            let report = try backup.run(verifies: false, keeping: 2) { _, _ in }
            #expect(report.objectCount == 1 && report.isWhole, "\(report)")
        } else {
            #expect(throws: StoreError.self) { try backup.run(verifies: false, keeping: 2) { _, _ in } }
            #expect(!FileManager.default.fileExists(atPath: target))
        }
        try expectUnchanged(before)
    }

    @Test("a rehearsal notes nothing there", arguments: Kind.allCases, [false, true])
    func rehearsal(kind: Kind, isSound: Bool) throws {
        _ = try Backup(from: sample.path, to: target, now: { 1000 }).run(verifies: false, keeping: 2) { _, _ in }
        let before = try make(kind)
        let rehearsal = Rehearsal(from: .folder(target))
        let report = try rehearsal.run(part: 1) { _, _ in }
        try LastBackup.Record.rehearsal.note(isSound, of: report.hostSalt, in: sample.path)
        try expectUnchanged(before)
    }

    @Test(
        "a command that would put a file there is refused, and so is who follows another host", arguments: Kind.allCases
    )
    func files(kind: Kind) throws {
        _ = try make(kind)
        try FileManager.default.removeItem(at: sample.file("lock"))
        try Data().write(to: sample.file(StoreLayout.standsBy))
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect(throws: (any Error).self) { try DirectoryState.requireChangeable(sample.path) }
        for attempt in [
            { try DirectoryState.requireChangeable(sample.path) },
            { _ = try Quarantine.purge(path: sample.path) },
            { _ = try TierFollower.askToTakeOver(at: sample.path) },
            { _ = try TierFollower(path: sample.path, remote: SampleBucket()) },
        ] as [() throws -> Void] {
            #expect { try attempt() } throws: { isRefusal($0) }
        }
        try expectUnchanged(before)
    }

    @Test("nothing is restored over one that was restored to its end but for the mark")
    func restored() throws {
        _ = try Backup(from: sample.path, to: target, now: { 1000 }).run(verifies: false, keeping: 2) { _, _ in }
        _ = try make(.laterFormat)
        try Data("\n".utf8).write(to: sample.file(StoreLayout.restoring))
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect { try Restoration(from: target, to: sample.path).run { _, _ in } } throws: { isRefusal($0) }
        try expectUnchanged(before)
    }

    @Test("in a data directory of one no place of another store is remembered")
    func knownPlaces() throws {
        let before = try make(.laterFormat)
        let mounts = try #require(MountTable.current())
        try KnownPlaces(folder: sample.path + "/known-places").remember("/dev/shm", in: mounts)
        try expectUnchanged(before)
    }

    @Test("a backup that fails is noted in no folder that holds no store, and in one whose header is damaged")
    func noStore() throws {
        try sample.close()
        let other = sample.folder.path + "/letters"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        #expect(throws: StoreError.self) {
            try Backup(from: other, to: target, now: { 1000 }).run(verifies: false, keeping: 2) { _, _ in }
        }
        #expect(try TemporaryFolder.tree(other).isEmpty)
        // A daemon that runs goes on, and its health has to tell.
        try Data(count: 3 * HeaderCopy.byteCount).write(to: sample.file("store.header"))
        #expect(throws: StoreError.self) {
            try Backup(from: sample.path, to: target, now: { 1000 }).run(verifies: false, keeping: 2) { _, _ in }
        }
        #expect(LastBackup.failure(dataPath: sample.path) == 1000)
    }

    @Test("a rehearsal of another store's copy says nothing of this one")
    func anotherCopy() throws {
        _ = try Backup(from: sample.path, to: target, now: { 1000 }).run(verifies: false, keeping: 2) { _, _ in }
        let rehearsal = Rehearsal(from: .folder(target))
        let own = try rehearsal.run(part: 1) { _, _ in }.hostSalt
        let record = LastBackup.Record.rehearsal
        try record.note(true, of: own, in: sample.path, at: 5000)
        #expect(LastBackup(.rehearsal, dataPath: sample.path)?.time == 5000)
        let other = [UInt8](repeating: 8, count: HostHeader.hostSaltByteCount)
        try record.note(true, of: other, in: sample.path, at: 6000)
        try record.note(false, of: other, in: sample.path, at: 7000)
        #expect(LastBackup(.rehearsal, dataPath: sample.path)?.time == 5000)
        #expect(LastBackup.failure(.rehearsal, dataPath: sample.path) == nil)
        try sample.close()
    }
}

extension SampleStore {
    /// Makes a closed store one of another format, in some of the header's copies.
    func setFormatVersion(_ version: UInt8, copies: Range<Int> = 0..<HeaderCopy.count) throws {
        var header = try Data(contentsOf: file("store.header"))
        for copy in copies {
            let start = copy * HeaderCopy.byteCount
            header[start + 11] = version
            let digest = try sha256(header[start..<start + 4064])
            header.replaceSubrange(start + 4064..<start + 4096, with: digest)
        }
        try header.write(to: file("store.header"))
    }
}
