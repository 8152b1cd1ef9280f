import Bytes
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("Opening a store")
struct OpeningTests {
    /// Whoever waited for the lock would wait for ever: it is held here.
    @Test("is refused at once while another holds the lock, naming its pid")
    func secondOpening() throws {
        let sample = try SampleStore()
        try sample.open()
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect(throws: StoreError.inUse(pid: getpid())) { try SampleStore(sample.folder).open() }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
        try sample.close()
        try sample.open()
        try sample.close()
    }

    @Test("is refused when group or others may enter", arguments: [0o750, 0o701, 0o704, 0o777])
    func permissions(mode: Int) throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sample.path)
        #expect(throws: StoreError.insecurePermissions(path: sample.path)) { try sample.open() }
    }

    @Test(
        "closes an empty folder of its own into which others may look, as a container's volume is",
        arguments: [0o755, 0o777])
    func emptyVolume(mode: Int) throws {
        let sample = try SampleStore()
        try FileManager.default.createDirectory(
            atPath: sample.path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sample.path)
        try sample.open()
        try sample.close()
        #expect(FileStatus(at: sample.path)?.mode == S_IFDIR | 0o700)
    }

    @Test("is refused in words where the folder with the photos is gone, and changes nothing")
    func withoutObjects() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try FileManager.default.removeItem(at: sample.file("objects"))
        let before = try TemporaryFolder.tree(sample.path)
        #expect {
            try sample.open()
        } throws: { error in
            guard case .unusable(let words)? = error as? StoreError else { return false }
            return words.contains("backup")
        }
        #expect(try TemporaryFolder.tree(sample.path) == before)
    }

    @Test("gives the folder mode 0700 and files mode 0600")
    func modes() throws {
        let sample = try SampleStore()
        try sample.open()
        _ = try sample.store.add([1, 2, 3])
        let root = try FileManager.default.attributesOfItem(atPath: sample.path)
        #expect(root[.posixPermissions] as? Int == 0o700)
        for name in try FileManager.default.subpathsOfDirectory(atPath: sample.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: sample.file(name).path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
        }
        try sample.close()
    }

    @Test("refuses a newer format and changes not a byte", arguments: [1, 3], [true, false])
    func newerFormat(copies: Int, keepsLock: Bool) throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try sample.setFormatVersion(2, copies: 0..<copies)
        if !keepsLock { try FileManager.default.removeItem(at: sample.file("lock")) }
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect(throws: StoreError.newerFormat(found: 2, supported: 1)) { try sample.open() }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
    }

    /// Words of the header in which a later program may set a bit.
    enum Feature: Int, CaseIterable {
        case compatible, readOnly, incompatible
    }

    @Test("does with a feature of a later version what its word in the header says", arguments: Feature.allCases)
    func features(_ feature: Feature) throws {
        let sample = try SampleStore()
        try sample.open()
        let id = try sample.store.add([1])
        var header = try sample.store.header
        switch feature {
        case .compatible: header.features.compatible = 1 << 31
        case .readOnly: header.features.readOnly = 1
        case .incompatible: header.features.incompatible = 1 << 7
        }
        try sample.store.headerFile.replace(header)
        try sample.close()
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        switch feature {
        case .compatible:
            try sample.open()
            #expect(try sample.store.content(of: id) == [1])
            try sample.store.headerFile.replace(try sample.store.header)
            #expect(try sample.store.header.features.compatible == 1 << 31)
            try sample.close()
        case .readOnly:
            #expect { try sample.open() } throws: { "\($0)".contains("export and backup work") }
            #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
            #expect(try HeaderFile.inspect(in: .open(path: sample.path))?.features.readOnly == 1)
        case .incompatible:
            #expect(throws: StoreError.newerFormat(found: 1, supported: 1)) { try sample.open() }
            #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
            #expect(throws: StoreError.newerFormat(found: 1, supported: 1)) {
                try StoreCheck.run(path: sample.path) { _, _ in }
            }
        }
    }

    @Test("never makes a store of a folder that holds something else")
    func foreignFolder() throws {
        let sample = try SampleStore()
        try FileManager.default.createDirectory(
            atPath: sample.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try Data("mine".utf8).write(to: sample.file("letter.txt"))
        #expect(throws: StoreError.self) { try sample.open() }
        #expect(try TemporaryFolder.tree(sample.path) == ["letter.txt": Data("4".utf8)])
    }

    @Test("never begins a store anew whose header was lost")
    func lostHeader() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        try FileManager.default.removeItem(at: sample.file("store.header"))
        let before = try TemporaryFolder.tree(sample.path, contents: true)
        #expect(throws: StoreError.self) { try sample.open() }
        #expect(try TemporaryFolder.tree(sample.path, contents: true) == before)
    }

    @Test("takes a fresh file system's root for an empty folder")
    func freshFileSystem() throws {
        let sample = try SampleStore()
        for name in ["", "lost+found"] {
            try FileManager.default.createDirectory(
                atPath: sample.path + "/" + name, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        #expect(try sample.open().created)
        try sample.close()
    }

    /// What creation leaves when it ends after each of its steps, in their order.
    static let unfinishedLayouts: [[String]] = [
        [], ["objects"], ["objects", "quarantine"], ["objects", "quarantine", "slots"],
        ["objects", "quarantine", "slots", "reserve"],
        ["objects", "quarantine", "slots", "reserve", "ledger.sqlite"],
        ["objects", "quarantine", "slots", "reserve", "ledger.sqlite", "ledger.copy-0", "ledger.copy-1"],
        [
            "objects", "quarantine", "slots", "reserve", "ledger.sqlite", "ledger.copy-0", "ledger.copy-1",
            "store.header.new",
        ],
    ]

    @Test("begins a creation anew that was cut short", arguments: unfinishedLayouts)
    func unfinishedCreation(names: [String]) throws {
        let whole = try SampleStore()
        whole.fillsSlots = true
        try whole.open()
        try whole.close()
        let sample = try SampleStore()
        sample.fillsSlots = true
        try FileManager.default.createDirectory(
            atPath: sample.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try Data().write(to: sample.file("initialising"))
        for name in names where name != "store.header.new" {
            try FileManager.default.copyItem(at: whole.file(name), to: sample.file(name))
        }
        if names.contains("store.header.new") { try Data([1]).write(to: sample.file("store.header.new")) }
        if names.last == "slots" { try Data(count: 100).write(to: sample.file("slots")) }
        #expect(try sample.open().created)
        try sample.close()
        #expect(try TemporaryFolder.tree(sample.path) == TemporaryFolder.tree(whole.path))
        #expect(try Data(contentsOf: sample.file("slots")) != Data(contentsOf: whole.file("slots")))
    }

    @Test("keeps a store whose creation ended just before the marker went")
    func markerLeft() throws {
        let sample = try SampleStore()
        try sample.open()
        let row = RowID.random()
        try sample.store.put(row, 1)
        try sample.close()
        try Data().write(to: sample.file("initialising"))
        #expect(try sample.open() == StartupReport())
        #expect(try sample.store.ledger.readBlocking { try $0.row(row) } != nil)
        #expect(!FileManager.default.fileExists(atPath: sample.file("initialising").path))
        try sample.close()
    }

    @Test("leaves nothing behind that counts when making the header fails")
    func headerFails() throws {
        let sample = try SampleStore()
        #expect(throws: SampleError.refused) {
            try Store.open(sample.configuration) { throw SampleError.refused }
        }
        #expect(try sample.open().created)
        try sample.close()
    }

    @Test("finds every acknowledged change after the process was killed")
    func killed() throws {
        let sample = try SampleStore()
        try sample.open()
        let row = RowID.random()
        let object = try sample.store.add([4, 5, 6])
        try sample.store.put(row, 9)
        let copy = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: copy.path)
        #expect(try copy.open() == StartupReport())
        #expect(try copy.store.content(of: object) == [4, 5, 6])
        #expect(try copy.store.ledger.readBlocking { try $0.row(row)?.first } == 9)
        try copy.close()
        try sample.close()
    }
}
