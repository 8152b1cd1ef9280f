import Foundation
import Glibc
import StoreSupport
import TestSupport
import Testing

@testable import Store

@Suite("The ledger of a store in use")
struct LiveLedgerTests {
    private let sample: SampleStore
    private let target: TemporaryFolder
    private let rows = (0..<64).map { _ in RowID.random() }

    init() throws {
        sample = try SampleStore()
        target = try TemporaryFolder()
        try sample.open()
        try fill(1)
    }

    private func fill(_ value: UInt8) throws {
        let rows = rows
        try sample.store.ledger.commitBlocking(
            LedgerChange { transaction, _ in
                for row in rows { try transaction.putRow(row, [UInt8](repeating: value, count: 512)) }
            })
    }

    private func live(_ meanwhile: @escaping () throws -> Void) throws -> LiveLedger {
        LiveLedger(root: try Folder.open(path: sample.path), ledgerWasCopied: meanwhile)
    }

    /// The values that the copy has of all rows.
    private func copied(_ ledger: LiveLedger) throws -> Set<UInt8?> {
        let state = try Folder.open(path: target.path)
        try ledger.copy(into: state, path: target.path)
        #expect(try state.names() == ["ledger.sqlite"])
        #expect(try state.byteCount(of: "ledger.sqlite")! % UInt64(LedgerConnection.growthByteCount) == 0)
        let copy = try ImmutableLedger.open(path: target.path + "/ledger.sqlite")
        #expect(try copy.complaint(thorough: true) == nil)
        return Set(try rows.map { try copy.row($0)?.first })
    }

    @Test("is copied as of one moment, though its log is merged into it and grows on while it is copied")
    func merged() throws {
        let store = try sample.store
        let ledger = try live {
            for value in 2...40 as ClosedRange<UInt8> { try fill(value) }
            // It would begin the log anew, and has to wait for its readers.
            #expect(throws: StoreError.ioFailed(operation: "ledger", errno: EBUSY)) { try store.ledger.checkpoint() }
            for value in 41...80 as ClosedRange<UInt8> { try fill(value) }
        }
        #expect(try copied(ledger) == [80])
        try store.ledger.checkpoint()
        try sample.close()
    }

    @Test("is copied without what has no log yet, and with what gets one meanwhile")
    func withoutLog() throws {
        try sample.close()
        #expect(!FileManager.default.fileExists(atPath: sample.file("ledger.sqlite-wal").path))
        let ledger = try live {
            try sample.open()
            try fill(2)
        }
        #expect(try copied(ledger) == [2])
        try sample.close()
    }

    @Test("keeps its log, when it is closed while somebody copies it")
    func closed() throws {
        let ledger = try live {
            try fill(2)
            try? sample.close()
        }
        #expect(try copied(ledger) == [2])
        #expect(try sample.open().ledgerRestoredFromCopy == nil)
        #expect(try sample.store.ledger.readBlocking { try $0.row(rows[0]) }?.first == 2)
        try sample.close()
    }

    @Test("is recovered from its log after a crash, while somebody copies it")
    func recovered() throws {
        try fill(2)
        sample.crash()
        let ledger = try live {
            try sample.open()
            try fill(3)
        }
        #expect(try copied(ledger) == [3])
        try sample.close()
    }
}
