import Foundation
import GRDB
import StoreSupport
import Testing

@testable import Store

@Suite("A log of the ledger is missed only where something was in it")
struct LogMarkTests {
    private static let files = ["ledger.sqlite-wal", "ledger.sqlite-shm"]

    /// As a daemon leaves it that was killed at this moment.
    private func killed(_ sample: SampleStore) throws -> SampleStore {
        let copy = try SampleStore()
        try FileManager.default.copyItem(atPath: sample.path, toPath: copy.path)
        return copy
    }

    private func removeLog(of sample: SampleStore) throws {
        for name in Self.files { try FileManager.default.removeItem(at: sample.file(name)) }
    }

    private func change(_ sample: SampleStore, _ value: UInt8) throws {
        try sample.store.change { try $0.setMetaValue("any", [value]) }
    }

    private func value(_ sample: SampleStore) throws -> [UInt8]? {
        try sample.store.ledger.readBlocking { try $0.metaValue("any") }
    }

    private func sessionMark(_ sample: SampleStore) throws -> [UInt8]? {
        try sample.store.ledger.readBlocking { try $0.metaValue(LedgerSchema.MetaKey.sessionMark) }
    }

    @Test("one that was removed with the last change in it is, and sessions that are kept are over")
    func lost() throws {
        let sample = try SampleStore()
        try sample.open()
        try change(sample, 1)
        try sample.store.quiesce()
        try change(sample, 2)
        let mark = try sessionMark(sample)
        let killed = try killed(sample)
        try sample.close()
        try removeLog(of: killed)
        let findings = try StoreCheck.run(path: killed.path) { _, _ in }
        #expect(findings.contains { $0.text.contains("log (ledger.sqlite-wal) is missing") })
        #expect(try killed.open().isLedgerLogLost)
        #expect(try value(killed) == [1] && killed.store.wasLogLost() && sessionMark(killed) != mark)
        try killed.close()
    }

    /// What takes a log away, and leaves everything that was in it.
    enum Merge: CaseIterable {
        case beforeTheEnd, byAnotherProgram, beforeItWasNoted, atOnce
    }

    @Test("one that the ledger has done without is not, whoever took it away", arguments: Merge.allCases)
    func merged(_ merge: Merge) throws {
        let sample = try SampleStore()
        try sample.open()
        if merge != .atOnce { try change(sample, 1) }
        let noted = try Data(contentsOf: sample.file("ledger.log-in-use"))
        if merge != .atOnce { try change(sample, 2) }
        if merge == .beforeTheEnd { try sample.store.quiesce() }
        let expected = (try value(sample), try sessionMark(sample))
        let killed = try killed(sample)
        try sample.close()
        if merge == .beforeTheEnd {
            try removeLog(of: killed)
        } else {
            // Killed between the commit and the note of it.
            if merge == .beforeItWasNoted { try noted.write(to: killed.file("ledger.log-in-use")) }
            let queue = try DatabaseQueue(path: killed.file("ledger.sqlite").path)
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM meta") }
            try queue.close()
            #expect(!FileManager.default.fileExists(atPath: killed.file("ledger.sqlite-wal").path))
        }
        #expect(try StoreCheck.run(path: killed.path) { _, _ in }.allSatisfy { $0.severity == .note })
        #expect(try !killed.open().isLedgerLogLost)
        #expect(try (value(killed), sessionMark(killed)) == expected && !killed.store.wasLogLost())
        try killed.close()
    }

    @Test("a start that fails half-way leaves log and mark, and the next one misses nothing")
    func halfWay() throws {
        let sample = try SampleStore()
        try sample.open()
        try change(sample, 1)
        let killed = try killed(sample)
        try sample.close()
        // What comes behind the opening of the ledger fails.
        let pool = try LedgerConnection.open(path: killed.file("ledger.sqlite").path, keepsLog: true)
        try pool.close()
        for name in ["ledger.sqlite-wal", "ledger.log-in-use"] {
            #expect(FileManager.default.fileExists(atPath: killed.file(name).path), "\(name)")
        }
        #expect(try !killed.open().isLedgerLogLost)
        #expect(try value(killed) == [1])
        try killed.close()
        for name in Self.files + ["ledger.log-in-use"] {
            #expect(!FileManager.default.fileExists(atPath: killed.file(name).path), "\(name)")
        }
    }

    @Test("what keeps SQLite from opening a file is told as what the system says")
    func openFailures() throws {
        let sample = try SampleStore()
        try sample.open()
        try sample.close()
        // A link to itself, in place of the log.
        try FileManager.default.createSymbolicLink(
            atPath: sample.file("ledger.sqlite-wal").path, withDestinationPath: "ledger.sqlite-wal")
        let error = #expect(throws: StoreError.self) { try sample.open() }
        #expect(error == .ioFailed(operation: "opening the ledger", errno: ELOOP))
        #expect(error?.isOfDisk == true)
    }
}
