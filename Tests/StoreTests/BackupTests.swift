import Foundation
import Glibc
import TestSupport
import Testing

@testable import Store

@Suite("A backup")
struct BackupTests {
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

    @Test("of a store in use is restored as a sound store with every object and row")
    func restored() throws {
        try sample.open()
        let ids = try (0..<5).map { _ in try sample.store.add(Self.object) }
        let row = RowID.random()
        try sample.store.put(row, 9)
        #expect(try back().copiedObjectCount == 5)
        sample.crash()

        #expect(try restore().damaged == [])
        #expect(try StoreCheck.run(path: restoredPath) { _, _ in } == [])
        var configuration = sample.configuration
        configuration.path = restoredPath
        let (store, report) = try Store.open(configuration) { SampleStore.header() }
        #expect(report.quarantined == 0 && report.missingObjects == 0 && !report.created)
        for id in ids { #expect(try store.content(of: id) == Self.object) }
        #expect(try store.ledger.readBlocking { try $0.row(row) } == [UInt8](repeating: 9, count: 512))
        try store.close()
    }

    @Test("copies once what stays, and removes what no kept state lists")
    func incremental() throws {
        try sample.open()
        let gone = try sample.store.add(Self.object)
        try back(at: 1000)
        try sample.store.change { try $0.doomObject(gone) }
        try sample.store.reapDoomed()
        _ = try sample.store.add(Self.object)
        let second = try back(at: 2000)
        #expect(second.objectCount == 1 && second.copiedObjectCount == 1 && second.removedObjectCount == 0)
        let third = try back(at: 3000)
        #expect(third.copiedObjectCount == 0 && third.removedObjectCount == 1)
        #expect(try names(backupPath) == ["lock", "objects", "safelight-backup", "state-2000", "state-3000"])
        try sample.close()
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

    @Test("made while the clock was behind is the newest all the same")
    func clockBehind() throws {
        try sample.open()
        try back(at: 5000)
        #expect(try back(at: 1000).time == 1000)
        #expect(try names(backupPath).filter { $0.hasPrefix("state-") } == ["state-5000", "state-5001"])
        #expect(LastBackup(dataPath: sample.path) == LastBackup(time: 1000))
        let restored = try Restoration(from: backupPath, to: restoredPath, now: { 2000 }).run { _, _ in }
        #expect(restored.time == 5001)
        #expect(LastBackup(dataPath: restoredPath) == LastBackup(time: 2000))
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

    @Test("keeps its own copy of an object that became shorter in the data directory")
    func truncatedSource() throws {
        try sample.open()
        let id = try sample.store.add(Self.object)
        try back(at: 1000)
        let file = sample.file("objects/\(id.hex.prefix(2))/\(id.hex)")
        try Data(Self.object.dropLast()).write(to: file)
        let report = try back(at: 2000)
        #expect(report.rescuedObjectCount == 1 && report.copiedObjectCount == 0 && !report.isWhole)
        #expect(try restore().damaged == [])
        try sample.close()
    }

    @Test("is no store while it is restored, even over another of its states that lacked only the end")
    func restoredOver() throws {
        try sample.open()
        _ = try sample.store.add(Self.object)
        try back(at: 1000)
        let later = try sample.store.add(Self.object)
        try back(at: 2000)
        try sample.close()
        var configuration = sample.configuration
        configuration.path = restoredPath
        _ = try Restoration(from: backupPath, to: restoredPath).run(state: 1000) { _, _ in }
        let marker = restoredPath + "/restoring"
        try Data([10]).write(to: URL(fileURLWithPath: marker))
        // It keeps the second one from its end.
        let obstacle = restoredPath + "/objects/\(later.hex.prefix(2))/\(later.hex)"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try restore() }
        #expect(FileManager.default.fileExists(atPath: marker))
        #expect(throws: StoreError.self) { try Store.open(configuration) { SampleStore.header() } }

        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try restore().damaged == [])
        #expect(!FileManager.default.fileExists(atPath: marker))
        let (store, report) = try Store.open(configuration) { SampleStore.header() }
        #expect(report.missingObjects == 0)
        #expect(try store.content(of: later) == Self.object)
        try store.close()
    }

    @Test("is not mixed with that of another data directory")
    func otherStore() throws {
        try sample.open()
        try back(at: 1000)
        let other = try SampleStore()
        var header = SampleStore.header()
        header.hostSalt[0] ^= 1
        let (store, _) = try Store.open(other.configuration) { header }
        #expect(throws: StoreError.self) {
            try Backup(from: other.path, to: backupPath, now: { 2000 }).run(verifies: false, keeping: 2) { _, _ in }
        }
        #expect(try names(backupPath).contains("state-1000"))
        try store.close()
        try sample.close()
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

    @Test("ends with the parts of uploads as they are, apart from the objects")
    func parts() throws {
        try sample.open()
        let part = try sample.store.add(Self.object)
        try sample.store.change { transaction in
            try transaction.forgetObject(part)
            try transaction.putUpload(.random(), body: [1, 2, 3], part: part, expiresDay: SampleStore.day + 7)
        }
        #expect(try back(at: 1000).objectCount == 0)
        #expect(try names(backupPath + "/state-1000/parts") == [part.hex])
        #expect(try restore().damaged == [])
        #expect(try names(restoredPath + "/objects/\(part.hex.prefix(2))") == [part.hex])
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
