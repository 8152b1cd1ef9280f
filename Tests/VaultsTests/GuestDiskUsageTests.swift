import Bytes
import Foundation
import HostSupport
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Uploads
@testable import Vault
@testable import Vaults

@Suite("The room that guests have")
struct GuestDiskUsageTests {
    let host: TestHost

    init() throws {
        host = try TestHost()
        host.configuration.limits.guestByteCount = 400_000
        host.configuration.limits.allGuestsByteCount = 450_000
    }

    private func byteCount(_ service: VaultService) -> UInt64 { service.engine.guestDiskUsage.byteCount }

    @Test("counts what is on its way, announced or not, of one guest and of all")
    func arriving() async throws {
        let service = try await host.start()
        let (one, two) = (try await service.guest().session, try await service.guest().session)
        let announced = try await one.uploads.begin(name: "a", declaredByteCount: 250_000, lastModified: nil)
        // Of what is sent, a little ahead counts, and of this that is all.
        try await announced.append(ByteBuffer(bytes: sampleBytes(10)))
        for session in [one, two] {
            await #expect(throws: VaultError.guestFull) {
                _ = try await session.uploads.begin(name: "b", declaredByteCount: 250_000, lastModified: nil)
            }
        }
        let growing = try await two.uploads.begin(name: "c", declaredByteCount: nil, lastModified: nil)
        try await growing.append(ByteBuffer(bytes: sampleBytes(100_000)))
        await #expect(throws: VaultError.guestFull) {
            try await growing.append(ByteBuffer(bytes: sampleBytes(100_000)))
        }
        await growing.abandon()
        await announced.abandon()
        try await host.stop()
    }

    private func client(_ last: UInt8, of neighbour: UInt8) -> Client {
        Client(address: .ip(.ipv4(10, 77, neighbour, last)), neighbour: [2, 0, 0, 0, 0, neighbour])
    }

    /// Fills new spaces of one neighbour until none takes more.
    /// - Returns: bytes of photos that they took.
    private func fill(_ service: VaultService, of neighbour: UInt8, spaces: Int = 3) async throws -> Int {
        var byteCount = 0
        for space in 1...spaces {
            let session = try await service.beginGuest(client: client(UInt8(space), of: neighbour)).session
            for piece in [160_000, 40_000, 10_000] {
                while (try? await session.upload(sampleBytes(piece))) != nil { byteCount += piece }
            }
        }
        return byteCount
    }

    @Test("spaces of one neighbour have no more together than one guest, and leave room for others")
    func neighbours() async throws {
        host.configuration.limits.guestByteCount = 800_000
        host.configuration.limits.allGuestsByteCount = 2_000_000
        let service = try await host.start()
        let first = try await fill(service, of: 1)
        #expect((600_000...800_000).contains(first))
        // Neither when nobody has them open, nor after the daily look at the files.
        await service.sessions.endAll()
        #expect(try await fill(service, of: 1) < 20_000)
        await service.sessions.endAll()
        await service.runDailyWork()
        #expect(try await fill(service, of: 1) < 20_000)
        // Two more devices take what there is, and there is some all the same.
        _ = try await fill(service, of: 2)
        _ = try await fill(service, of: 3)
        try await service.beginGuest(client: client(1, of: 4)).session.upload(sampleBytes(60_000))
        try await host.stop()
    }

    @Test("restarts, which forget whose the spaces are, give nobody the room that others need")
    func neighboursOverRestarts() async throws {
        host.configuration.limits.guestByteCount = 800_000
        host.configuration.limits.allGuestsByteCount = 2_000_000
        var service = try await host.start()
        let opening = try await service.beginGuest(client: client(1, of: 1))
        try await opening.session.upload(sampleBytes(600_000))
        for _ in 0..<3 {
            service = try await host.restart()
            _ = try await fill(service, of: 1)
        }
        try await service.beginGuest(client: client(1, of: 2)).session.upload(sampleBytes(40_000))
        // What is opened again is counted for whoever opens it.
        service = try await host.restart()
        let again = try #require(try await service.session(token: opening.token, .guest, of: client(1, of: 3)))
        await #expect(throws: VaultError.guestFull) { try await again.upload(sampleBytes(20_000)) }
        #expect(service.engine.guestDiskUsage.byteCount(of: client(1, of: 3).holder) > 600_000)
        try await host.stop()
    }

    @Test("what broke off, and what has come, is on its way no more")
    func arrived() async throws {
        let service = try await host.start()
        let session = try await service.guest().session
        let before = byteCount(service)
        for _ in 0..<5 {
            let upload = try await session.uploads.begin(name: "a", declaredByteCount: 200_000, lastModified: nil)
            try await upload.append(ByteBuffer(bytes: sampleBytes(1000)))
            await upload.abandon()
        }
        #expect(byteCount(service) == before)
        try await session.upload(sampleBytes(200_000))
        #expect((200_000..<230_000).contains(byteCount(service) - before))
        try await session.upload(sampleBytes(100_000), declared: false)
        try await host.stop()
    }

    @Test("is counted all the same when a file cannot be looked at")
    func unreadableFile() async throws {
        let service = try await host.start()
        let session = try await service.guest().session
        try await session.upload(sampleBytes(200_000))
        try await session.settle()
        let before = byteCount(service)
        let name = try #require(try host.objectFiles().first)
        try FileManager.default.removeItem(at: host.file("objects/\(name.prefix(2))"))
        try service.engine.guestDiskUsage.measure(service.store)
        #expect(byteCount(service) <= before)
        try await host.stop()
    }

    @Test("what goes on in a vault is asked for room there")
    func arrivingInVault() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let guest = try await service.guest().session
        let bytes = sampleBytes(600_000)
        let upload = try await guest.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: bytes[..<300_000]))
        _ = try await service.move(guest, into: session)
        #expect(byteCount(service) == 0)
        try await upload.append(ByteBuffer(bytes: bytes[300_000...]))
        #expect(try await session.content(try await upload.finish().id) == bytes)
        try await host.stop()
    }

    @Test("batches take of it too")
    func batches() async throws {
        host.configuration.limits.guestByteCount = 100_000
        let service = try await host.start()
        let (session, vault) = (try await service.guest().session, try await service.make("violet tram seven"))
        var count = 0
        await #expect(throws: VaultError.guestFull) {
            while count < 100 {
                _ = try await session.batches.create()
                count += 1
            }
        }
        #expect((10..<30).contains(count))
        for _ in 0...count { _ = try await vault.batches.create() }
        try await host.stop()
    }

    @Test("what is announced and not sent takes nothing, and is over with a restart")
    func announced() async throws {
        var service = try await host.start()
        let (guest, other) = (try await service.guest(), try await service.guest())
        let before = byteCount(service)
        let status = try await guest.session.announce(350_000)
        for _ in 0..<100 { _ = try await guest.session.announce(350_000) }
        #expect(byteCount(service) == before)
        #expect(try guest.session.requireVault().uploads.count == host.configuration.limits.announcedUploads)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await guest.session.uploads.status(of: status.id) }
        try await other.session.upload(sampleBytes(300_000))
        try await guest.session.upload(sampleBytes(20_000))
        service = try await host.restart()
        let again = try #require(try await service.session(token: guest.token, .guest))
        #expect(try again.requireVault().uploads.count == 0)
        try await again.upload(sampleBytes(20_000))
        #expect(try await service.store.ledger.read { try $0.metaValue(GuestUploadUsage.metaKey) } == nil)
        try await host.stop()
    }

    @Test("what was announced waits for its first bytes, and not for long; its client is told until when")
    func announcementPatience() async throws {
        host.configuration.limits.announcementPatience = .seconds(3600)
        var service = try await host.start()
        var session = try await service.guest().session
        let status = try await session.announce(1000, clientID: "one")
        #expect((3500..<3601).contains(status.expires.timeIntervalSinceNow))
        #expect(try await session.announce(1000, clientID: "one").id == status.id)
        try await session.sendCut([], to: status.id, at: 0)
        #expect(try await session.uploads.status(of: status.id).offset == 0)
        try await session.sendCut([1], to: status.id, at: 0)
        #expect(try await session.uploads.status(of: status.id).expires.timeIntervalSinceNow > 86_400)
        try await host.stop()
        host.configuration.limits.announcementPatience = .zero
        service = try await host.start()
        session = try await service.guest().session
        let late = try await session.announce(1000)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.status(of: late.id) }
        await #expect(throws: VaultError.noSuchUpload) { _ = try await session.uploads.resume(late.id, at: 0) }
        try await host.stop()
    }

    @Test("a request that trickles has room for a little ahead, however long it says that it will be")
    func trickle() async throws {
        host.configuration.limits.guestByteCount = 64 << 20
        host.configuration.limits.allGuestsByteCount = 100 << 20
        let service = try await host.start()
        var uploads: [Upload] = []
        for _ in 0..<4 {
            let session = try await service.guest().session
            let upload = try await session.uploads.begin(name: "a", declaredByteCount: 60 << 20, lastModified: nil)
            try await upload.append(ByteBuffer(bytes: sampleBytes(10)))
            uploads.append(upload)
        }
        #expect(byteCount(service) < 24 << 20)
        try await service.guest().session.upload(sampleBytes(100_000))
        for upload in uploads { await upload.abandon() }
        #expect(byteCount(service) < 1 << 20)
        try await host.stop()
    }

    @Test("what is given at a door takes nothing from guests, whether or not its giver is there")
    func doors() async throws {
        let service = try await host.start()
        let owner = try await service.make("violet tram seven")
        var wanted = DoorChange()
        wanted.name = "Lake"
        wanted.lastDay = service.store.today + 3
        let door = try await service.makeDoor(wanted, of: owner)
        let code = try #require(Array(door.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) })
        try await service.lock(owner)
        let router = Client(address: .ip(.ipv4(10, 77, 0, 2)))
        for number in 0..<2 {
            let giver = try await service.enter(try code.typed, giver: nil, present: nil, client: router).session
            try await giver.upload(sampleBytes(440_000, seed: UInt64(number)))
            if number == 0 { await service.sessions.end(giver) }
        }
        #expect(byteCount(service) > 880_000)
        let guest = try await service.beginGuest(client: router).session
        try await guest.upload(sampleBytes(200_000))
        await #expect(throws: VaultError.guestFull) { try await guest.upload(sampleBytes(200_000, seed: 9)) }
        try await host.stop()
    }

    @Test("unfinished uploads of guests who are not there count by what has come, until they end")
    func absent() async throws {
        var service = try await host.start()
        let guest = try await service.guest()
        let status = try await guest.session.announce(210_000)
        try await guest.session.sendCut(sampleBytes(205_000), to: status.id, at: 0)
        let second = try await guest.session.announce(140_000)
        try await guest.session.sendCut(sampleBytes(139_000), to: second.id, at: 0)
        let before = byteCount(service)
        #expect(before > 350_000)
        service = try await host.restart()
        #expect(byteCount(service) == before)
        let other = try await service.guest().session
        await #expect(throws: VaultError.guestFull) { _ = try await other.announce(150_000) }
        _ = try await other.announce(40_000)
        let again = try #require(try await service.session(token: guest.token, .guest))
        try await service.endGuest(try #require(try await service.session(token: guest.token, .guest)))
        #expect(again.isEnded)
        _ = try await other.announce(150_000)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await other.uploads.status(of: status.id) }
        service = try await host.restart()
        #expect(byteCount(service) < 20_000)
        try await host.stop()
    }

    @Test("nothing is counted twice, whoever comes and goes, and nothing that moved or has come")
    func balance() async throws {
        var service = try await host.start()
        let guest = try await service.guest()
        let first = try await guest.session.announce(50_000)
        try await guest.session.sendCut(sampleBytes(10), to: first.id, at: 0)
        let second = try await guest.session.announce(60_000)
        try await guest.session.sendCut(sampleBytes(1000), to: second.id, at: 0)
        for _ in 0..<3 {
            let before = byteCount(service)
            await service.sessions.endAll()
            #expect(byteCount(service) == before)
            await service.runDailyWork()
            #expect(byteCount(service) == before)
            _ = try #require(try await service.session(token: guest.token, .guest))
            #expect(byteCount(service) == before)
            service = try await host.restart()
            #expect(byteCount(service) == before)
        }
        let session = try #require(try await service.session(token: guest.token, .guest))
        try await session.send(sampleBytes(50_000)[10...], to: first.id, at: 10)
        #expect((50_000..<100_000).contains(byteCount(service)))
        _ = try await service.move(session, into: try await service.make("violet tram seven"))
        #expect(byteCount(service) == 0)
        #expect(try await service.store.ledger.read { try $0.metaValue(GuestUploadUsage.metaKey) } == nil)
        service = try await host.restart()
        #expect(byteCount(service) == 0)
        try await host.stop()
    }

    @Test("as many can be open as there is memory for; one that cannot come in now is not told that it is over")
    func memory() async throws {
        host.configuration.limits.openGuests = 1
        var tokens: [String] = []
        var service = try await host.start()
        for _ in 0..<3 {
            tokens.append(try await service.guest().token)
            service = try await host.restart()
        }
        _ = try #require(try await service.session(token: tokens[0], .guest))
        let second = try #require(try await service.session(token: tokens[1], .guest))
        await #expect(throws: VaultError.busy(retryAfter: .seconds(60))) {
            _ = try await service.session(token: tokens[2], .guest)
        }
        await service.sessions.end(second)
        #expect(try await service.session(token: tokens[2], .guest) != nil)
        try await host.stop()
    }

    @Test("a host that is stopping does not say that a guest is over")
    func draining() async throws {
        let token = try await host.start().guest().token
        let service = try await host.restart()
        await service.beginDraining()
        await #expect(throws: VaultError.draining) { _ = try await service.session(token: token, .guest) }
        #expect(try await service.session(token: try SessionToken().text, .guest) == nil)
        try await host.stop()
    }
}
