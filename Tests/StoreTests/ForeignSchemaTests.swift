import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("A ledger is what the program wrote, word for word")
struct ForeignSchemaTests {
    /// What somebody may put into a database that is not theirs.
    enum Addition: CaseIterable {
        case trigger, view, table, virtualTable, index, statistics
        case check, defaultValue, generated, spelling, space, notStrict, foreignKey

        /// As the words for people name it.
        var name: String {
            switch self {
            case .trigger: "trigger t1"
            case .view: "view v1"
            case .table: "table more"
            case .virtualTable: "table words"
            case .index: "index i1"
            case .statistics: "table sqlite_stat1"
            default: "table throttle"
            }
        }

        func add(to file: URL) throws {
            let queue = try DatabaseQueue(path: file.path)
            try queue.writeWithoutTransaction { database in
                for sql in statements { try database.execute(sql: sql) }
            }
            try queue.close()
        }

        private var statements: [String] {
            switch self {
            case .trigger: ["CREATE TRIGGER t1 AFTER INSERT ON meta BEGIN DELETE FROM throttle; END"]
            case .view: ["CREATE VIEW v1 AS SELECT 1"]
            case .table: ["CREATE TABLE more(id BLOB PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"]
            case .virtualTable: ["CREATE VIRTUAL TABLE words USING fts5(text)"]
            case .index: ["CREATE INDEX i1 ON throttle(value)"]
            case .statistics: ["ANALYZE"]
            case .check: rewritten("value BLOB NOT NULL", "value BLOB NOT NULL CHECK (length(value) < 4)")
            case .defaultValue: rewritten("value BLOB NOT NULL", "value BLOB NOT NULL DEFAULT x'00'")
            case .generated: rewritten("NOT NULL)", "NOT NULL, first BLOB AS (substr(value, 1, 1)))")
            case .spelling: rewritten("CREATE TABLE", "create table")
            case .space: rewritten("key BLOB", "key  BLOB")
            case .notStrict: rewritten(" STRICT, WITHOUT", " WITHOUT")
            case .foreignKey: rewritten("NOT NULL)", "NOT NULL REFERENCES meta(key))")
            }
        }

        private func rewritten(_ text: String, _ other: String) -> [String] {
            [
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_schema SET sql = replace(sql, '\(text)', '\(other.replacing("'", with: "''"))') "
                    + "WHERE name = 'throttle'",
                "PRAGMA writable_schema = OFF",
            ]
        }
    }

    private func prepared() throws -> SampleStore {
        let sample = try SampleStore()
        try sample.open()
        try sample.store.change { try $0.setThrottleEntry([1], [9, 9, 9, 9]) }
        try sample.close()
        return sample
    }

    private func content(_ sample: SampleStore) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: ["ledger.sqlite", "ledger.copy-0", "ledger.copy-1", "slots", "store.header"].map {
                ($0, try Data(contentsOf: sample.file($0)))
            })
    }

    @Test(
        "what a ledger holds beside that is refused by a start and by the check, and named",
        arguments: Addition.allCases)
    func ledger(_ addition: Addition) throws {
        let sample = try prepared()
        try addition.add(to: sample.file("ledger.sqlite"))
        let before = try content(sample)
        let error = #expect(throws: StoreError.self) { try sample.open() }
        #expect(error?.description.contains("(\(addition.name)") == true, "\(String(describing: error))")
        #expect(error?.isOfDisk == false)
        #expect(try content(sample) == before)
        let findings = try StoreCheck.run(path: sample.path) { _, _ in }
        #expect(findings.map(\.severity) == [.damage] && findings[0].text.contains(addition.name), "\(findings)")
        // As the words say that it can be helped.
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: sample.file("ledger.sqlite\(suffix)"))
        }
        #expect(try sample.open().ledgerRestoredFromCopy != nil)
        #expect(try sample.store.ledger.readBlocking { try $0.throttleEntry([1]) } == [9, 9, 9, 9])
        try sample.close()
    }

    @Test("a log that was left by a crash brings none of it either")
    func log() throws {
        let sample = try prepared()
        let queue = try DatabaseQueue(path: sample.file("ledger.sqlite").path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "CREATE TRIGGER t1 AFTER INSERT ON meta BEGIN DELETE FROM throttle; END")
        }
        let crashed = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: crashed.path)
        try queue.close()
        #expect(try StoreCheck.run(path: crashed.path) { _, _ in }.contains { $0.text.contains("trigger t1") })
        #expect(throws: StoreError.foreignLedger("trigger t1")) { try crashed.open() }
    }

    @Test("a copy that holds something else is named by the check, and never takes the ledger's place")
    func copies() throws {
        let sample = try prepared()
        for name in ["ledger.copy-0", "ledger.copy-1"] { try Addition.trigger.add(to: sample.file(name)) }
        let findings = try StoreCheck.run(path: sample.path) { _, _ in }
        #expect(findings.map(\.severity) == [.damage, .damage])
        #expect(findings.allSatisfy { $0.text.contains("trigger t1") })
        try FileManager.default.removeItem(at: sample.file("ledger.sqlite"))
        #expect(throws: StoreError.self) { try sample.open() }
    }

    @Test("what is put there while it is open does nothing, and goes into no copy that counts")
    func whileOpen() throws {
        let sample = try prepared()
        try sample.open()
        try Addition.trigger.add(to: sample.file("ledger.sqlite"))
        try sample.store.change { try $0.setMetaValue("any", [1]) }
        #expect(try sample.store.ledger.readBlocking { try $0.throttleEntry([1]) } == [9, 9, 9, 9])
        #expect(throws: StoreError.self) { try sample.store.ledger.renewCopies() }
        try? sample.close()
    }

    @Test("a backup's ledger is looked over before anything of it is changed, and its previews are no matter of it")
    func restoration() throws {
        let sample = try prepared()
        let folder = try TemporaryFolder()
        _ = try Backup(from: sample.path, to: folder.path).run(verifies: false, keeping: 1) { _, _ in }
        let state = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("state-") })
        let ledger = URL(filePath: "\(folder.path)/\(state)/ledger.sqlite")
        try Addition.trigger.add(to: ledger)
        let sums = URL(filePath: "\(folder.path)/\(state)/SHA256SUMS")
        let digest = try sha256(Array(Data(contentsOf: ledger))).map { String(format: "%02x", $0) }.joined()
        let lines = try String(contentsOf: sums, encoding: .utf8).split(separator: "\n").map {
            $0.hasSuffix(" ledger.sqlite") ? digest + $0.dropFirst(64) : $0[...]
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: sums)
        let target = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) {
            try Restoration(from: folder.path, to: target.path + "/new").run { _, _ in }
        }
        #expect(error?.description.contains("trigger t1") == true, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: target.path + "/new/ledger.sqlite"))
    }

    @Test("previews with a trigger give way to new ones, and the check says so", arguments: [true, false])
    func previews(isTrigger: Bool) throws {
        let sample = try prepared()
        let id = PreviewID.random()
        try sample.open()
        try sample.store.previews.put([(id, [1])])
        try sample.close()
        let queue = try DatabaseQueue(path: sample.file("previews.sqlite").path)
        try queue.write { database in
            try database.execute(
                sql: isTrigger
                    ? "CREATE TRIGGER t1 AFTER INSERT ON preview BEGIN DELETE FROM preview; END"
                    : "CREATE TABLE kept(body BLOB)")
        }
        try queue.close()
        let findings = try StoreCheck.run(path: sample.path) { _, _ in }
        #expect(findings.map(\.severity) == [.note])
        #expect(findings[0].text.contains(isTrigger ? "trigger t1" : "table kept"))
        try sample.open()
        #expect(try sample.store.previews.body(id) == nil && sample.notes.value.count == 1)
        try sample.store.previews.put([(id, [2])])
        #expect(try sample.store.previews.body(id) == [2])
        try sample.close()
    }
}
