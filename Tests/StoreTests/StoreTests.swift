import Foundation
import Store
import StoreSupport
import TestSupport
import Testing

@Suite("A store")
struct StoreTests {
    @Test("keeps objects, rows and slots over a restart")
    func restart() throws {
        let sample = try SampleStore()
        #expect(try sample.open().created)
        let row = RowID.random()
        let object = try sample.store.add(Array("picture".utf8))
        try sample.store.put(row, 5)
        try sample.store.slots.write([(position: 65_535, bytes: [UInt8](repeating: 3, count: 256))])
        try sample.close()

        let report = try sample.open()
        #expect(report == StartupReport())
        #expect(try sample.store.content(of: object) == Array("picture".utf8))
        #expect(try sample.store.ledger.readBlocking { try $0.row(row) } == [UInt8](repeating: 5, count: 512))
        #expect(try sample.store.slots.read(65_535) == [UInt8](repeating: 3, count: 256))
        try sample.close()
    }

    @Test("is named alike and sized alike whatever it holds, in steps of 1 MiB")
    func sizes() throws {
        let empty = try SampleStore()
        try empty.open()
        try empty.close()
        let used = try SampleStore()
        try used.open()
        for number in 0..<100 { try used.store.put(.random(), UInt8(number)) }
        try used.close()
        #expect(try TemporaryFolder.tree(empty.path) == TemporaryFolder.tree(used.path))
        for name in ["ledger.sqlite", "ledger.copy-0", "ledger.copy-1", "previews.sqlite"] {
            let size = try Data(contentsOf: used.file(name)).count
            #expect(size > 0 && size.isMultiple(of: 1 << 20), "\(name) has \(size) bytes")
        }
        let names = Set(try TemporaryFolder.tree(used.path).keys.filter { !$0.contains("/") })
        #expect(
            names == [
                "store.header", "lock", "slots", "reserve", "objects", "quarantine", "ledger.sqlite", "ledger.copy-0",
                "ledger.copy-1", "previews.sqlite",
            ])
    }

    @Test("can be closed twice, and refuses changes afterwards")
    func closeTwice() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        try store.close()
        try store.close()
        #expect(throws: StoreError.self) { try store.put(.random(), 1) }
    }
}
