import Foundation
import HostSupport
import Sealing
import Store
import Synchronization
import TestSupport
import Testing

@testable import Records
@testable import Vaults

@Suite("A guest's space")
struct GuestTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test("is opened by no other token, and its token is none of a vault")
    func tokens() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        let vault = try await service.create(
            password: password("violet tram seven"), confirmation: password("violet tram seven"), code: nil,
            client: .here)
        #expect(try await service.session(token: guest.token) == nil)
        #expect(try await service.session(token: vault.token, .guest) == nil)
        #expect(try await service.session(token: try SessionToken().text, .guest) == nil)
        #expect(try await service.session(token: String(guest.token.reversed()), .guest) == nil)
        for wrong in ["", "a", guest.token + "A", guest.token.dropLast() + "="] {
            #expect(try await service.session(token: String(wrong), .guest) == nil)
        }
        let next = try await host.restart()
        #expect(try await next.session(token: guest.token) == nil)
        #expect(try await next.session(token: guest.token, .guest) != nil)
        #expect(try await next.session(token: vault.token) == nil)
        try await host.stop()
    }

    @Test("requests that come together after a restart share one session")
    func together() async throws {
        let token = try await host.start().guest().token
        let service = try await host.restart()
        let sessions = try await withThrowingTaskGroup(of: ObjectIdentifier?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await service.session(token: token, .guest).map { ObjectIdentifier($0) } }
            }
            return try await group.reduce(into: Set<ObjectIdentifier?>()) { $0.insert($1) }
        }
        #expect(sessions.count == 1 && !sessions.contains(nil))
        try await host.stop()
    }

    @Test("stands nowhere on disk: neither the token, nor its hash, nor a key")
    func nothingOnDisk() async throws {
        let guest = try await host.start().guest()
        try await guest.session.upload(sampleBytes(1000), name: "a-name-of-a-guest.jpg")
        let token = try #require(SessionToken(text: guest.token))
        try await host.stop()
        let secrets = [Data(guest.token.utf8), Data(token.bytes.withUnsafeBytes { Array($0) }), Data(token.hash)]
        for name in try FileManager.default.subpathsOfDirectory(atPath: host.dataPath) {
            guard let content = try? host.read(name) else { continue }
            for secret in secrets + [Data("a-name-of-a-guest".utf8)] {
                #expect(content.range(of: secret) == nil, "\(name)")
            }
        }
    }

    @Test("a cut upload goes on after a restart")
    func resuming() async throws {
        let guest = try await host.start().guest()
        let bytes = sampleBytes(100_000)
        let status = try await guest.session.announce(bytes.count, clientID: "one")
        try await guest.session.sendCut(bytes[..<40_000], to: status.id, at: 0)
        let again = try #require(try await (try await host.restart()).session(token: guest.token, .guest))
        #expect(try await again.announce(bytes.count, clientID: "one").id == status.id)
        let end = try await again.send(bytes[40_000...], to: status.id, at: 40_000)
        #expect(try await again.content(try #require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("has batches with receipts, and a trash")
    func batches() async throws {
        host.configuration.limits.quietBeforeReread = .zero
        let session = try await host.start().guest().session
        let batch = try await session.batches.create()
        try await session.resume([1, 2, 3], in: 3, batch: batch)
        try await session.settle()
        #expect(try await session.batches.finish(batch).isDone)
        #expect(try await session.receipt(of: batch).count == 1)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(try await session.trash.move([photo.id]) == 1)
        #expect(try await session.trash.all().count == 1)
        #expect(try await session.trash.empty().count == 1)
        #expect(try host.objectFiles().isEmpty)
        try await host.stop()
    }

    @Test("keeps what is sent twice, and is told nothing of any content")
    func duplicates() async throws {
        host.configuration.limits.quietBeforeReread = .zero
        let session = try await host.start().guest().session
        for _ in 0..<2 {
            let photo = try await session.upload([1, 2, 3])
            #expect(photo.isDuplicate == nil)
            try await session.settle()
        }
        #expect(try await session.names().count == 2)
        await #expect(throws: VaultError.vaultNeeded) {
            _ = try await session.uploads.answers(to: [.whole(byteCount: 3, sha256: try SHA256Hasher.hash([1, 2, 3]))])
        }
        await #expect(throws: VaultError.vaultNeeded) {
            _ = try await session.archives.make(try await session.photos.page(cursor: nil).photos.map(\.id))
        }
        try await host.stop()
    }

    @Test("deleted, it is gone with rows, session, uploads and objects")
    func deleted() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        let before = try service.sessionRows()
        try await guest.session.upload(sampleBytes(1000))
        let status = try await guest.session.announce(100)
        try await guest.session.send(sampleBytes(10), to: status.id, at: 0)
        try await service.endGuest(guest.session)
        #expect(try service.guestRows() == 0)
        #expect(try service.sessionRows() == before - 1)
        #expect(try host.objectFiles().isEmpty)
        #expect(guest.session.isEnded)
        #expect(try await service.session(token: guest.token, .guest) == nil)
        #expect(try await (try await host.restart()).session(token: guest.token, .guest) == nil)
        #expect(service.engine.guestDiskUsage.byteCount == 0)
        try await host.stop()
    }

    @Test("is not begun where the host takes no guests; one that is there stays")
    func off() async throws {
        let guest = try await host.start().guest()
        host.configuration.takesGuests = false
        let service = try await host.restart()
        await #expect(throws: VaultError.guestsOff) { _ = try await service.guest() }
        #expect(try await service.session(token: guest.token, .guest) != nil)
        #expect(!service.hello().takesGuests)
        try await host.stop()
    }

    // MARK: Limits

    @Test("takes no more than one guest may have, and all guests no more than all may, over restarts")
    func limits() async throws {
        host.configuration.limits.guestByteCount = 400_000
        host.configuration.limits.allGuestsByteCount = 450_000
        var service = try await host.start()
        let (one, two) = (try await service.guest(), try await service.guest())
        try await one.session.upload(sampleBytes(200_000))
        for declared in [true, false] {
            await #expect(throws: VaultError.guestFull) {
                try await one.session.upload(sampleBytes(200_000), declared: declared)
            }
        }
        await #expect(throws: VaultError.guestFull) { _ = try await two.session.announce(250_000) }
        let status = try await two.session.announce(150_000)
        try await two.session.send(sampleBytes(150_000), to: status.id, at: 0)
        service = try await host.restart()
        #expect(service.engine.guestDiskUsage.byteCount > 350_000)
        let three = try await service.guest()
        await #expect(throws: VaultError.guestFull) { try await three.session.upload(sampleBytes(100_000)) }
        let again = try #require(try await service.session(token: one.token, .guest))
        #expect(service.engine.guestDiskUsage.byteCount < 450_000)
        try await service.endGuest(again)
        try await three.session.upload(sampleBytes(100_000))
        #expect(try host.objectFiles().count == 2)
        try await host.stop()
    }

    @Test("new ones are counted by the day from elsewhere, and open ones always")
    func newGuests() async throws {
        host.configuration.limits.newGuestsPerDay = 1
        host.configuration.limits.openGuests = 3
        let service = try await host.start()
        let first = try await service.beginGuest(client: .stranger).session
        // A space without anything in it gives way.
        let second = try await service.beginGuest(client: .stranger).session
        #expect(first.isEnded)
        try await second.upload([1])
        await #expect(throws: VaultError.self) { _ = try await service.beginGuest(client: .stranger) }
        for _ in 0..<2 { try await service.guest().session.upload([1]) }
        await #expect(throws: VaultError.busy(retryAfter: .seconds(60))) { _ = try await service.guest() }
        try await host.stop()
    }

    @Test("a guest that ends takes the file of a damaged row along")
    func endWithDamage() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        for name in ["a", "b"] { try await guest.session.upload(sampleBytes(20), name: name) }
        try await service.damageRow(of: "b", in: guest.session.requireVault())
        let next = try await host.restart()
        let again = try #require(try await next.session(token: guest.token, .guest))
        #expect(try await again.names() == ["a"])
        try await next.endGuest(again)
        _ = try await host.restart()
        #expect(try host.objectFiles().isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: host.dataPath + "/quarantine").isEmpty)
        try await host.stop()
    }

    @Test("a damaged row costs no more than itself, whichever it is", arguments: [0, 1, 2] as [UInt64])
    func damaged(number: UInt64) async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        for name in ["a", "b"] { try await guest.session.upload([1], name: name) }
        let space = try guest.session.requireVault()
        let (id, home) = (try space.rowID(.item(number)), space.home)
        try await service.tamper { try $0.putRow(id, sampleBytes(512), in: home) }
        let again = try #require(try await (try await host.restart()).session(token: guest.token, .guest))
        #expect(again.damage?.missingEntries == 1)
        #expect(try await again.names().count == (number == 0 ? 2 : 1))
        try await host.stop()
    }

    // MARK: Mallory

    @Test("a vault's rows copied into the guests' table open nothing there, nor the other way")
    func copiedRows() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        try await guest.session.upload([1], name: "guest")
        let vault = try await service.make("violet tram seven")
        try await vault.upload([2], name: "vault")
        let (space, open) = (try guest.session.requireVault(), try vault.requireVault())
        let home = space.home
        let (ofVault, ofGuest) = (try open.rowID(.item(15)), try space.rowID(.item(1)))
        let stolen = try #require(try await service.row(ofVault))
        let own = try await service.store.ledger.read { try $0.row(ofGuest, in: home) }
        #expect(own != nil)
        try await service.tamper { try $0.putRow(ofGuest, stolen, in: home) }
        try await service.tamper { try $0.putRow(ofVault, stolen, in: home) }
        if let own { try await service.tamper { try $0.putRow(ofGuest, own) } }
        let next = try await host.restart()
        let again = try #require(try await next.session(token: guest.token, .guest))
        #expect(try await again.names() == [])
        #expect(again.damage?.missingEntries == 1)
        let opened = try await next.open("violet tram seven")
        #expect(try await opened.names() == ["vault"])
        #expect(opened.damage == nil)
        try await host.stop()
    }
}

@Suite("A guest's days")
struct GuestExpiryTests {
    let host: TestHost
    private let day = Day()

    init() throws {
        host = try TestHost { [day] in $0.today = { day.today } }
    }

    @Test("are thirty beyond the first; then photos, rows and session go, in an open space too")
    func expiry() async throws {
        let service = try await host.start()
        let (open, closed) = (try await service.guest(), try await service.guest())
        for guest in [open, closed] { try await guest.session.upload(sampleBytes(1000)) }
        await service.sessions.end(closed.session)
        for _ in 0..<30 {
            day.advance()
            await service.runDailyWork()
        }
        #expect(try await open.session.names().count == 1)
        #expect(try await service.session(token: closed.token, .guest) != nil)
        // As work that is still under way does.
        let held = service.registry.openVaults
        day.advance()
        await service.runDailyWork()
        await #expect(throws: VaultError.sessionEnded) { _ = try await open.session.names() }
        #expect(try await service.session(token: open.token, .guest) == nil)
        #expect(try await service.session(token: closed.token, .guest) == nil)
        #expect(try service.guestRows() == 0)
        #expect(try host.objectFiles().isEmpty)
        #expect(service.engine.guestDiskUsage.byteCount == 0)
        withExtendedLifetime(held) {}
        try await host.stop()
    }

    @Test("are not over for a clock that has jumped beyond them")
    func jump() async throws {
        let guest = try await host.start().guest()
        try await guest.session.upload([1], name: "a")
        try await host.stop()
        day.advance(by: 60)
        let service = try await host.start()
        let again = try #require(try await service.session(token: guest.token, .guest))
        #expect(try await again.names() == ["a"])
        try await again.upload([2], name: "b")
        await service.runDailyWork()
        let third = try #require(try await service.session(token: guest.token, .guest))
        #expect(try await third.names() == ["b", "a"])
        try await host.stop()
    }

    @Test("are counted from the last day that was sure, when the clock is behind")
    func clockBehind() async throws {
        let today = day.today
        try await host.start()
        try await host.stop()
        day.advance(by: -1000)
        let guest = try await host.start().guest()
        let end = try #require(guest.session.end)
        #expect(end.timeIntervalSince1970 == Double(today + 31) * 86_400)
        #expect(try await guest.session.names().isEmpty)
        try await host.stop()
    }

    @Test("being over, they let nothing be written into what the sweep has taken")
    func writingAfterwards() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        let upload = try await guest.session.uploads.begin(name: "a", declaredByteCount: 0, lastModified: nil)
        for _ in 0..<31 {
            day.advance()
            _ = try service.store.expire()
        }
        await #expect(throws: VaultError.sessionEnded) { _ = try await upload.finish() }
        #expect(try service.guestRows() == 0)
        try await host.stop()
    }
}
