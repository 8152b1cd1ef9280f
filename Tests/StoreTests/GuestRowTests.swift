import Foundation
import GRDB
import StoreSupport
import Testing

@testable import Store

@Suite("Rows of guests and of sessions")
struct GuestRowTests {
    private let home = RowHome.guest(expiresDay: SampleStore.day + 1)
    private func body(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 512) }

    @Test("a guest's row stands in the guests' table, with its object and its last day in clear")
    func apart() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (id, object) = (RowID.random(), try store.add([1]))
        try store.change { [home, body] in try $0.putRow(id, body(1), in: home, object: object) }
        #expect(try store.ledger.readBlocking { try $0.row(id) } == nil)
        #expect(try store.ledger.readBlocking { try $0.row(id, in: home) } == body(1))
        #expect(try store.ledger.readBlocking { try $0.rowCount(in: home) } == 1)
        var objects: [ObjectID] = []
        try store.ledger.readBlocking { try $0.forEachGuestObject { objects.append($0) } }
        #expect(objects == [object])
        sample.clock.advance(days: 2)
        #expect(try store.expire().guests == 1)
        #expect(try store.objects.byteCount(of: object) == nil)
        try sample.close()
    }

    @Test("sealing it again leaves what stands in clear, writing it anew does not")
    func clear() throws {
        let sample = try SampleStore()
        try sample.open()
        let store = try sample.store
        let (id, object) = (RowID.random(), try store.add([1]))
        func objects() throws -> Int {
            var count = 0
            try store.ledger.readBlocking { try $0.forEachGuestObject { _ in count += 1 } }
            return count
        }
        try store.change { [home, body] in try $0.putRow(id, body(1), in: home, object: object) }
        try store.change { [home, body] in try $0.replaceBody(of: id, body(2), in: home) }
        #expect(try store.ledger.readBlocking { try $0.row(id, in: home) } == body(2))
        #expect(try objects() == 1)
        try store.change { [home, body] in try $0.putRow(id, body(3), in: home) }
        #expect(try objects() == 0)
        try store.change { [home] in try $0.deleteRow(id, in: home) }
        #expect(try store.ledger.readBlocking { try $0.rowCount(in: home) } == 0)
        try sample.close()
    }

    @Test("the copies of the ledger know it too")
    func copies() throws {
        let sample = try SampleStore()
        try sample.open()
        let (store, id) = (try sample.store, RowID.random())
        try store.change { [home, body] in try $0.putRow(id, body(4), in: home) }
        try store.ledger.renewCopies()
        #expect(try store.ledger.rowsInCopies(id, in: home) == [body(4), body(4)])
        #expect(try store.ledger.rowsInCopies(id) == [])
        try sample.close()
    }

    @Test("a session is kept until its last day, in 256 bytes whatever it is for")
    func sessions() throws {
        let sample = try SampleStore()
        try sample.open()
        let (store, id) = (try sample.store, SessionID.random())
        let body = [UInt8](repeating: 7, count: 256)
        #expect(throws: StoreError.self) {
            try store.change { try $0.putSession(id, body: [1], expiresDay: SampleStore.day) }
        }
        try store.change { try $0.putSession(id, body: body, expiresDay: SampleStore.day) }
        #expect(try store.ledger.readBlocking { try $0.session(id) } == body)
        sample.clock.advance(days: 1)
        #expect(try store.expire().sessions == 1)
        #expect(try store.ledger.readBlocking { try $0.session(id) } == nil)
        try store.change { try $0.putSession(id, body: body, expiresDay: SampleStore.day + 9) }
        try store.change { try $0.deleteSession(id) }
        #expect(try store.ledger.readBlocking { try $0.sessionCount() } == 0)
        try sample.close()
    }

    @Test("sessions that nobody holds are added at the first start and once on each later day, and go like others")
    func cover() throws {
        let sample = try SampleStore()
        sample.coverSessionCount = 3
        try sample.open()
        let store = try sample.store
        func count() throws -> Int { try store.ledger.readBlocking { try $0.sessionCount() } }
        #expect(try count() == 3)
        _ = try store.expire()
        #expect(try count() == 3)
        for _ in 0..<30 {
            sample.clock.advance(days: 1)
            _ = try store.expire()
            _ = try store.expire()
        }
        #expect(try count() == 93)
        sample.clock.advance(days: 1)
        #expect(try store.expire().sessions == 3)
        #expect(try count() == 93)
        try sample.close()
        try sample.open()
        #expect(try sample.store.ledger.readBlocking { try $0.sessionCount() } == 93)
        try sample.close()
    }
}
