import Bytes
import Foundation
import HostSupport
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Who gets a guest's space")
struct GuestAdmissionTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func client(_ last: UInt8) -> Client { Client(address: .ip(.ipv4(10, 77, 0, last))) }

    @Test("a neighbour is one however many addresses it has")
    func neighbours() async throws {
        let service = try await host.start()
        for last in 1...6 as ClosedRange<UInt8> {
            let client = Client(address: .ip(.ipv4(10, 77, 0, last)), neighbour: [1, 2, 3, 4, 5, 6])
            for _ in 0..<10 { _ = try await service.beginGuest(client: client) }
        }
        let more = Client(address: .ip(.ipv4(10, 77, 0, 7)), neighbour: [1, 2, 3, 4, 5, 6])
        await #expect(throws: VaultError.self) { _ = try await service.beginGuest(client: more) }
        _ = try await service.beginGuest(client: Client(address: .ip(.ipv4(10, 77, 0, 7)), neighbour: [6]))
        #expect(Set(service.registry.openVaults.map(\.holder)).count == 2)
        try await host.stop()
    }

    @Test("the oldest empty one of whoever has most gives way, and one with something in it never")
    func givingWay() async throws {
        host.configuration.limits.openGuests = 5
        let service = try await host.start()
        let kept = try await service.beginGuest(client: client(2))
        try await kept.session.upload([1])
        let empty = [try await service.beginGuest(client: client(2)), try await service.beginGuest(client: client(2))]
        let modest = try await service.beginGuest(client: client(3))
        let other = try await service.beginGuest(client: client(4))
        let rows = try service.guestRows()
        _ = try await service.beginGuest(client: client(5))
        #expect(empty[0].session.isEnded && !empty[1].session.isEnded && !modest.session.isEnded)
        #expect(try service.guestRows() == rows)
        #expect(try await service.session(token: empty[0].token, .guest) == nil)
        for session in [empty[1].session, modest.session, other.session] { try await session.upload([1]) }
        let last = try await service.beginGuest(client: client(6)).session
        try await last.upload([2])
        // All have something: of whoever has several open, the session goes that was not used for longest.
        try await service.beginGuest(client: client(7)).session.upload([3])
        #expect(kept.session.isEnded && !empty[1].session.isEnded && !modest.session.isEnded)
        await #expect(throws: VaultError.busy(retryAfter: .seconds(60))) {
            _ = try await service.beginGuest(client: client(8))
        }
        let again = try #require(try await service.session(token: kept.token, .guest, of: client(9)))
        #expect(try await again.names().count == 1)
        try await host.stop()
    }

    @Test("spaces that somebody has collected keep nobody else from opening one, nor from coming back")
    func manyOpen() async throws {
        host.configuration.limits.openGuests = 8
        let service = try await host.start()
        let guest = try await service.beginGuest(client: client(1))
        try await guest.session.upload([1])
        let hostile = (2...3).map { Client(address: .ip(.ipv4(10, 77, 0, $0)), neighbour: [6, 6, 6]) }
        var tokens: [String] = []
        for number in 0..<20 {
            let opening = try await service.beginGuest(client: hostile[number % 2])
            try await opening.session.upload([UInt8(number)])
            tokens.append(opening.token)
        }
        for token in tokens { _ = try await service.session(token: token, .guest, of: hostile[0]) }
        #expect(service.sessions.count(.guest) == 16)
        #expect(!guest.session.isEnded)
        try await service.beginGuest(client: client(4)).session.upload([1])
        await service.sessions.end(guest.session)
        let again = try #require(try await service.session(token: guest.token, .guest, of: client(1)))
        #expect(try await again.names().count == 1)
        try await host.stop()
    }

    @Test("the host lists what guests have without their keys, and ends it, whether they are there or not")
    func ending() async throws {
        var service = try await host.start()
        try await service.make("violet tram seven").upload([9])
        let (away, here) = (try await service.guest(), try await service.guest())
        for session in [away.session, here.session] {
            try await session.upload(sampleBytes(30_000))
            let status = try await session.announce(50_000)
            try await session.sendCut(sampleBytes(20_000), to: status.id, at: 0)
        }
        let awaySpace = try away.session.requireVault().space
        service = try await host.restart()
        let session = try #require(try await service.session(token: here.token, .guest))
        let spaces = try await service.guestSpaces()
        #expect(spaces.map(\.photoCount) == [1, 1] && spaces.map(\.unfinishedCount) == [1, 1])
        #expect(spaces.allSatisfy { $0.byteCount > 50_000 && $0.lastDay == $0.firstDay + 30 })
        #expect(try await service.endGuests(["nonsense", "day-1", String(repeating: "0", count: 32)]) == 0)
        let text = awaySpace.map { $0.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
        #expect(try await service.endGuests([try #require(text)]) == 1)
        #expect(try await session.names().count == 1)
        #expect(try await service.session(token: away.token, .guest) == nil)
        #expect(try host.objectFiles().count == 3)
        #expect(try await service.endGuests(try await service.guestSpaces().map(\.id)) == 1)
        #expect(session.isEnded)
        #expect(try service.guestRows() == 0 && service.engine.guestDiskUsage.byteCount == 0)
        #expect(try await service.store.ledger.read { try $0.metaValue(GuestUploadUsage.metaKey) } == nil)
        service = try await host.restart()
        #expect(try host.objectFiles().count == 1)
        #expect(try await service.open("violet tram seven").names().count == 1)
        try await host.stop()
    }

    @Test("what moves into a vault names no guest's space any more")
    func moved() async throws {
        let service = try await host.start()
        let guest = try await service.guest().session
        let status = try await guest.announce(100)
        try await guest.sendCut([1], to: status.id, at: 0)
        let session = try await service.make("violet tram seven")
        _ = try await service.move(guest, into: session)
        #expect(try await service.guestSpaces().isEmpty)
        let named = try await service.store.ledger.read { reader in
            var spaces = 0
            for space in try reader.guestSpaces() { spaces += space.parts.count }
            return spaces
        }
        #expect(named == 0)
        #expect(try await session.uploads.status(of: status.id).offset == 1)
        try await host.stop()
    }
}
