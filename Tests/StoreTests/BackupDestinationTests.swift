import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// Where a backup goes in a test, and what lies there. Names are those of the backup's layout.
protocol SampleDestination: AnyObject {
    var backupPlace: BackupPlace { get }
    var record: LastBackup.Record { get }

    /// Of the files that belong to the backup, in order.
    func fileNames() throws -> [String]
    func read(_ name: String) throws -> [UInt8]
    func write(_ name: String, _ bytes: [UInt8]) throws
}

extension SampleDestination {
    func states() throws -> [String] {
        Set(try fileNames().filter { $0.hasPrefix("state-") }.compactMap { $0.split(separator: "/").first }).map(
            String.init
        )
        .sorted()
    }

    /// By whoever else writes there.
    func damage(_ name: String) throws {
        var bytes = try read(name)
        bytes[bytes.count / 2] ^= 1
        try write(name, bytes)
    }
}

final class SampleBackupFolder: SampleDestination {
    private let folder: TemporaryFolder
    let record = LastBackup.Record.backup

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/backup" }
    var backupPlace: BackupPlace { .folder(path) }

    func fileNames() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        var isFolder: ObjCBool = false
        return names.filter { name in
            name != "lock" && FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    func read(_ name: String) throws -> [UInt8] { try folder.bytes("backup/" + name) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = folder.file("backup/" + name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }
}

extension SampleBucket: SampleDestination {
    var backupPlace: BackupPlace { .elsewhere(self) }
    var record: LastBackup.Record { .offsite }

    func fileNames() -> [String] { names }
    func read(_ name: String) throws -> [UInt8] { try #require(try read(name, 0..<(1 << 30))) }
    func write(_ name: String, _ bytes: [UInt8]) { replace(name, with: bytes) }
}

/// What every place has to do that photos are copied to. Another kind of place brings its `SampleDestination`.
@Suite("A backup, wherever it goes")
struct BackupDestinationTests {
    enum Kind: CaseIterable, Sendable {
        case folder
        case bucket

        func make() throws -> any SampleDestination {
            switch self {
            case .folder: try SampleBackupFolder()
            case .bucket: SampleBucket()
            }
        }
    }

    private static let object = Array("SLO1".utf8) + [1, 14, 0, 0] + [UInt8](repeating: 0, count: 4088)

    private let sample: SampleStore
    private let target: TemporaryFolder

    init() throws {
        sample = try SampleStore()
        target = try TemporaryFolder()
        try sample.open()
    }

    private var restoredPath: String { target.path + "/restored" }

    @discardableResult
    private func back(
        to destination: any SampleDestination, at time: UInt64 = 1000, verifies: Bool = false, keeping kept: Int = 2
    ) throws -> BackupReport {
        try Backup(from: sample.path, to: destination.backupPlace, now: { time })
            .run(verifies: verifies, keeping: kept) { _, _ in }
    }

    @discardableResult
    private func restore(from destination: any SampleDestination, state: UInt64? = nil) throws -> RestorationReport {
        try Restoration(from: destination.backupPlace, to: restoredPath, now: { 2000 }).run(state: state) { _, _ in }
    }

    private func openRestored() throws -> (store: Store, report: StartupReport) {
        var configuration = sample.configuration
        configuration.path = restoredPath
        return try Store.open(configuration) { SampleStore.header() }
    }

    private func stored(_ id: ObjectID) -> String { "objects/\(id.hex.prefix(2))/\(id.hex)" }

    @Test("of a store in use is restored as a sound store with every object and row", arguments: Kind.allCases)
    func restored(kind: Kind) throws {
        let destination = try kind.make()
        let ids = try (0..<5).map { _ in try sample.store.add(Self.object) }
        let row = RowID.random()
        try sample.store.put(row, 9)
        #expect(try back(to: destination).copiedObjectCount == 5)
        sample.crash()

        #expect(try restore(from: destination).damaged == [])
        #expect(try StoreCheck.run(path: restoredPath) { _, _ in } == [])
        let (store, report) = try openRestored()
        #expect(report.quarantined == 0 && report.missingObjects == 0 && !report.created)
        for id in ids { #expect(try store.content(of: id) == Self.object) }
        #expect(try store.ledger.readBlocking { try $0.row(row) } == [UInt8](repeating: 9, count: 512))
        try store.close()
    }

    @Test("copies once what stays, and removes what no kept state lists", arguments: Kind.allCases)
    func incremental(kind: Kind) throws {
        let destination = try kind.make()
        let gone = try sample.store.add(Self.object)
        try back(to: destination, at: 1000)
        try sample.store.change { try $0.doomObject(gone) }
        try sample.store.reapDoomed()
        let later = try sample.store.add(Self.object)
        let second = try back(to: destination, at: 2000)
        #expect(second.objectCount == 1 && second.copiedObjectCount == 1 && second.removedObjectCount == 0)
        let third = try back(to: destination, at: 3000)
        #expect(third.copiedObjectCount == 0 && third.removedObjectCount == 1)
        #expect(try destination.states() == ["state-2000", "state-3000"])
        #expect(try destination.fileNames().filter { $0.hasPrefix("objects/") } == [stored(later)])
        try sample.close()
    }

    @Test("made while the clock was behind is the newest all the same", arguments: Kind.allCases)
    func clockBehind(kind: Kind) throws {
        let destination = try kind.make()
        try back(to: destination, at: 5000)
        #expect(try back(to: destination, at: 1000).time == 1000)
        #expect(try destination.states() == ["state-5000", "state-5001"])
        #expect(LastBackup(destination.record, dataPath: sample.path) == LastBackup(time: 1000))
        #expect(try restore(from: destination).time == 5001)
        #expect(LastBackup(destination.record, dataPath: restoredPath) == LastBackup(time: 2000))
        try sample.close()
    }

    @Test("keeps its own copy of an object that became shorter in the data directory", arguments: Kind.allCases)
    func truncatedSource(kind: Kind) throws {
        let destination = try kind.make()
        let id = try sample.store.add(Self.object)
        try back(to: destination, at: 1000)
        try Data(Self.object.dropLast()).write(to: sample.file(stored(id)))
        let report = try back(to: destination, at: 2000)
        #expect(report.rescuedObjectCount == 1 && report.copiedObjectCount == 0 && !report.isWhole)
        #expect(try destination.read(stored(id)) == Self.object)
        #expect(try restore(from: destination).damaged == [])
        try sample.close()
    }

    @Test(
        "says what has changed where it lies, puts that back as it is, and copies it again where it is asked to look",
        arguments: Kind.allCases)
    func damaged(kind: Kind) throws {
        let destination = try kind.make()
        let (sound, damaged) = (try sample.store.add(Self.object), try sample.store.add(Self.object))
        try back(to: destination, at: 1000)
        try destination.damage(stored(damaged))
        #expect(try restore(from: destination).damaged == [stored(damaged)])
        let (store, _) = try openRestored()
        #expect(try store.content(of: sound) == Self.object)
        #expect(try store.content(of: damaged) == destination.read(stored(damaged)))
        try store.close()

        let report = try back(to: destination, at: 2000, verifies: true)
        #expect(report.repairedObjectCount == 1 && report.isWhole)
        #expect(try destination.read(stored(damaged)) == Self.object)
        try sample.close()
    }

    /// The bucket still says the digest that the object was put with, by which the copy believes that it is there.
    @Test("copies again what has changed on the disks of a bucket that still says its old digest")
    func rotten() throws {
        let bucket = SampleBucket()
        let id = try sample.store.add(Self.object)
        try back(to: bucket, at: 1000)
        bucket.rot(stored(id))
        #expect(try back(to: bucket, at: 2000, verifies: true).repairedObjectCount == 1)
        #expect(try bucket.read(stored(id)) == Self.object)
        try sample.close()
    }

    @Test("is begun nowhere that does not keep what it is given, and nothing is put there")
    func untrusted() throws {
        let bucket = SampleBucket()
        _ = try sample.store.add(Self.object)
        bucket.setComplaint("It lacks something.")
        #expect(throws: StoreError.unusable("It lacks something.")) { try back(to: bucket) }
        #expect(bucket.names == [])
        bucket.setComplaint(nil)
        #expect(try back(to: bucket).objectCount == 1)
        try sample.close()
    }

    @Test(
        "is none where slots, ledger or its list come back as something else",
        arguments: ["slots", "ledger", "SHA256SUMS"])
    func wronglyKept(name: String) throws {
        let bucket = SampleBucket()
        _ = try sample.store.add(Self.object)
        try back(to: bucket, at: 1000)
        bucket.spoil { $0.hasPrefix("state-2000/\(name)") }
        #expect(throws: StoreError.self) { try back(to: bucket, at: 2000) }
        bucket.spoil(nil)
        #expect(try restore(from: bucket, state: 1000).damaged == [])
        try sample.close()
    }

    @Test("copies again what has changed, and is none where that comes back as something else once more")
    func rottenAgain() throws {
        let bucket = SampleBucket()
        let id = try sample.store.add(Self.object)
        try back(to: bucket, at: 1000)
        bucket.rot(stored(id))
        let name = stored(id)
        bucket.spoil { $0 == name }
        #expect(throws: StoreError.self) { try back(to: bucket, at: 2000, verifies: true) }
        try sample.close()
    }

    /// As by a line that is cut, or by a network that wants somebody to sign in.
    @Test("is whole although each of its files came short once")
    func shortAnswers() throws {
        let bucket = SampleBucket()
        for _ in 0..<3 { _ = try sample.store.add(Self.object) }
        try back(to: bucket)
        try sample.close()
        bucket.answerShortOnce()
        #expect(try restore(from: bucket).damaged == [])
        #expect(try StoreCheck.run(path: restoredPath) { _, _ in } == [])
    }

    @Test("of which something was missing is restored on, once that is there, until the store is used")
    func goesOn() throws {
        let destination = try SampleBackupFolder()
        let id = try sample.store.add(Self.object)
        try back(to: destination)
        try sample.close()
        try destination.damage(stored(id))
        #expect(try restore(from: destination).damaged == [stored(id)])
        try destination.write(stored(id), Self.object)
        #expect(try restore(from: destination).damaged == [])
        let (store, _) = try openRestored()
        #expect(try store.content(of: id) == Self.object)
        try store.close()
        #expect(throws: StoreError.self) { try restore(from: destination) }
    }

    @Test(
        "is no store while it is restored, even over another of its states that lacked only the end",
        arguments: Kind.allCases)
    func restoredOver(kind: Kind) throws {
        let destination = try kind.make()
        _ = try sample.store.add(Self.object)
        try back(to: destination, at: 1000)
        let later = try sample.store.add(Self.object)
        try back(to: destination, at: 2000)
        try sample.close()
        try restore(from: destination, state: 1000)
        let marker = restoredPath + "/restoring"
        try Data([10]).write(to: URL(fileURLWithPath: marker))
        // It keeps the second one from its end.
        let obstacle = restoredPath + "/" + stored(later)
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try restore(from: destination) }
        #expect(FileManager.default.fileExists(atPath: marker))
        #expect(throws: StoreError.self) { try openRestored() }

        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try restore(from: destination).damaged == [])
        #expect(!FileManager.default.fileExists(atPath: marker))
        let (store, report) = try openRestored()
        #expect(report.missingObjects == 0)
        #expect(try store.content(of: later) == Self.object)
        try store.close()
    }

    @Test("is not mixed with that of another data directory", arguments: Kind.allCases)
    func otherStore(kind: Kind) throws {
        let destination = try kind.make()
        try back(to: destination, at: 1000)
        let before = try destination.fileNames()
        let other = try SampleStore()
        var header = SampleStore.header()
        header.hostSalt[0] ^= 1
        let (store, _) = try Store.open(other.configuration) { header }
        #expect(throws: StoreError.self) {
            try Backup(from: other.path, to: destination.backupPlace, now: { 2000 }).run(verifies: false, keeping: 2) {
                _, _ in
            }
        }
        #expect(try destination.fileNames() == before)
        try store.close()
        try sample.close()
    }

    @Test("is not begun where something else lies, nor one of another version changed", arguments: Kind.allCases)
    func foreign(kind: Kind) throws {
        for name in ["letters/one.txt", "safelight-backup"] {
            let destination = try kind.make()
            try destination.write(name, Array("Safelight backup, format 9\n".utf8))
            #expect(throws: StoreError.self) { try back(to: destination) }
            #expect(throws: StoreError.self) { try restore(from: destination) }
            #expect(try destination.fileNames() == [name])
        }
        try sample.close()
    }

    @Test("has no state that lacks its end: the next run goes on with what is there", arguments: Kind.allCases)
    func cutOff(kind: Kind) throws {
        let destination = try kind.make()
        let id = try sample.store.add(Self.object)
        // It keeps the first run from its end.
        try sample.close()
        let ledger = sample.file("ledger.sqlite")
        let whole = try Data(contentsOf: ledger)
        try Data([1, 2, 3]).write(to: ledger)
        #expect(throws: StoreError.self) { try back(to: destination, at: 1000) }
        #expect(LastBackup.failure(destination.record, dataPath: sample.path) == 1000)
        #expect(try destination.states() == [])
        #expect(throws: StoreError.self) { try restore(from: destination) }
        try whole.write(to: ledger)
        #expect(try back(to: destination, at: 2000).objectCount == 1)
        #expect(LastBackup.failure(destination.record, dataPath: sample.path) == nil)
        #expect(try destination.states() == ["state-2000"])
        #expect(try destination.read(stored(id)) == Self.object)
    }

    @Test("ends with the parts of uploads as they are, apart from the objects", arguments: Kind.allCases)
    func parts(kind: Kind) throws {
        let destination = try kind.make()
        let part = try sample.store.add(Self.object)
        try sample.store.change { transaction in
            try transaction.forgetObject(part)
            try transaction.putUpload(.random(), body: [1, 2, 3], part: part, expiresDay: SampleStore.day + 7)
        }
        #expect(try back(to: destination).objectCount == 0)
        #expect(try destination.fileNames().filter { $0.contains(part.hex) } == ["state-1000/parts/\(part.hex)"])
        #expect(try restore(from: destination).damaged == [])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: restoredPath + "/objects/\(part.hex.prefix(2))") == [
                part.hex
            ])
        try sample.close()
    }
}
