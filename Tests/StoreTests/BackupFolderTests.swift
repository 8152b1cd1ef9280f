import Foundation
import Glibc
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A backup in a folder")
struct BackupFolderTests {
    private static let object = Array("SLO1".utf8) + [1, 14, 0, 0] + [UInt8](repeating: 0, count: 4088)

    private let sample: SampleStore
    private let target: TemporaryFolder

    init() throws {
        sample = try SampleStore()
        target = try TemporaryFolder()
    }

    private var backupPath: String { target.path + "/backup" }
    private var restoredPath: String { target.path + "/restored" }

    @discardableResult
    private func back(at time: UInt64 = 1000, verifies: Bool = false, keeping kept: Int = 2) throws -> BackupReport {
        try Backup(from: sample.path, to: backupPath, now: { time }).run(verifies: verifies, keeping: kept) { _, _ in }
    }

    private func restore() throws -> RestorationReport {
        try Restoration(from: backupPath, to: restoredPath).run { _, _ in }
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test("keeps the objects of an older state whose list is lost: its ledger names them, and without it nothing goes")
    func lostList() throws {
        try sample.open()
        let gone = try sample.store.add(Self.object)
        let file = backupPath + "/objects/\(gone.hex.prefix(2))/\(gone.hex)"
        try back(at: 1000)
        try sample.store.change { try $0.doomObject(gone) }
        try sample.store.reapDoomed()
        try FileManager.default.removeItem(atPath: backupPath + "/state-1000/SHA256SUMS")
        let second = try back(at: 2000, keeping: 3)
        #expect(second.removedObjectCount == 0 && second.unreadableStates == [])
        #expect(FileManager.default.fileExists(atPath: file))

        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: backupPath + "/state-1000/ledger.sqlite"))
        let third = try back(at: 3000, keeping: 3)
        #expect(third.removedObjectCount == 0 && third.unreadableStates == [1000])
        #expect(FileManager.default.fileExists(atPath: file))
        let fourth = try back(at: 4000, keeping: 3)
        #expect(fourth.removedObjectCount == 1 && fourth.unreadableStates == [])
        #expect(!FileManager.default.fileExists(atPath: file))
        try sample.close()
    }

    @Test("has no state that is not whole: one that could not be removed to its end is none, and goes later")
    func removalCutOff() throws {
        try sample.open()
        try back(at: 1000)
        // It keeps the removal from its end.
        let obstacle = backupPath + "/state-1000/obstacle"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try back(at: 2000, keeping: 1) }
        let whole = ["lock", "objects", "safelight-backup", "state-2000"]
        #expect(try names(backupPath).filter { $0.hasPrefix("state-") } == ["state-2000"])
        try FileManager.default.removeItem(atPath: backupPath + "/state.old/obstacle")
        try back(at: 3000)
        #expect(try names(backupPath) == whole + ["state-3000"])
        #expect(try restore().damaged == [])
        try sample.close()
    }

    @Test("goes on with what a run copied that was cut off, and ignores a line that it did not finish")
    func journal() throws {
        try sample.open()
        let first = try sample.store.add(Self.object)
        let second = try sample.store.add(Self.object)
        try back(at: 1000)
        // As if the first run had not come to its end.
        let state = backupPath + "/state-1000"
        let list = try String(contentsOfFile: state + "/SHA256SUMS", encoding: .utf8)
        let line = try #require(list.split(separator: "\n").first { $0.hasSuffix(first.hex) })
        try "\(line)\n\(String(repeating: "0", count: 64))  ../objects/".write(
            toFile: backupPath + "/copied", atomically: true, encoding: .utf8)
        try FileManager.default.moveItem(atPath: state, toPath: backupPath + "/state.new")
        #expect(try back(at: 2000).copiedObjectCount == 1, "only \(second.hex) is not in the journal")
        #expect(try restore().damaged == [])
        try sample.close()
    }
}

@Suite("A snapshot of a store in use")
struct StoreSnapshotTests {
    private let sample: SampleStore
    private let target: TemporaryFolder

    init() throws {
        sample = try SampleStore()
        target = try TemporaryFolder()
    }

    @Test("shows slots and ledger of one moment: when a slot was written in between, both are copied again")
    func slotsChange() throws {
        try sample.open()
        let store = try sample.store
        let row = RowID.random()
        var round: UInt8 = 0
        var snapshot = StoreSnapshot(source: try Folder.open(path: sample.path), sourcePath: sample.path)
        snapshot.ledgerWasCopied = {
            round += 1
            guard round < 4 else { return }
            try store.put(row, round)
            try store.slots.write([(7, [UInt8](repeating: round, count: 256))])
        }
        _ = try snapshot.take(into: Folder.open(path: target.path), path: target.path)
        #expect(round == 4)
        #expect(try Data(contentsOf: target.file("slots"))[7 * 256] == 3)
        #expect(try ImmutableLedger.open(path: target.path + "/ledger.sqlite").row(row)?.first == 3)
        try sample.close()
    }

    @Test("is given up when slots are written all the time")
    func restlessSlots() throws {
        try sample.open()
        let store = try sample.store
        var snapshot = StoreSnapshot(source: try Folder.open(path: sample.path), sourcePath: sample.path)
        // Each reads all slots twice.
        snapshot.mostAttempts = 2
        snapshot.ledgerWasCopied = { try store.slots.write([(7, randomBytes(256))]) }
        #expect(throws: StoreError.self) {
            try snapshot.take(into: Folder.open(path: target.path), path: target.path)
        }
        try sample.close()
    }
}

@Suite("A verified copy")
struct VerifiedCopyTests {
    @Test("that cannot be read back is the fault of the disk it was written to, and not of its source")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let root = try Folder.open(path: folder.path)
        // It cannot be read.
        let file = try root.open("file", O_WRONLY | O_CREAT)
        let copier = VerifiedCopy(root: root)
        #expect(throws: VerifiedCopy.Mismatch.self) { _ = try copier.readBack(file) }
        #expect(throws: VerifiedCopy.SourceUnreadable.self) { _ = try copier.copy(file, to: "copy", in: root) }
        #expect(throws: Never.self) {
            _ = try copier.copy(root.open("file", O_RDONLY), to: "copy", in: root)
        }
    }
}

@Suite("A list of digests")
struct DigestListTests {
    @Test("is read as it was written, and by its paths")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let root = try Folder.open(path: folder.path)
        var list = DigestList()
        let id = ObjectID.random()
        let digest = try #require(FileDigest(bytes: (0..<32).map { UInt8($0) * 8 + 7 }))
        list[id] = digest
        list["slots"] = digest
        try list.write(to: root.open("list", O_RDWR | O_CREAT))
        let read = try DigestList(root.open("list", O_RDONLY))
        #expect(read.objects == [id: digest] && read.others == ["slots": digest])
        let text = try String(contentsOfFile: folder.path + "/list", encoding: .utf8)
        #expect(text == "\(digest.hex)  slots\n\(digest.hex)  ../objects/\(id.hex.prefix(2))/\(id.hex)\n")
    }

    @Test(
        "takes no line that is none",
        arguments: ["", "\n", "zz  slots\n", "\(String(repeating: "A", count: 64))  slots\n", "../objects/00/x\n"])
    func foreign(text: String) throws {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.path + "/list", atomically: true, encoding: .utf8)
        let list = try DigestList(Folder.open(path: folder.path).open("list", O_RDONLY))
        #expect(list.objects.isEmpty && list.others.isEmpty)
    }
}
