import Bytes
import Foundation
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Store
@testable import Vault
@testable import Vaults

@Suite("What is given at a door of a vault")
struct GivingTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        host = try TestHost()
        // Only what these tests ask for moves.
        host.configuration.limits.doorQuiet = .seconds(3600)
    }

    private func makeDoor(_ service: VaultService, _ session: Session, looksFirst: Bool = false) async throws
        -> DoorToken
    {
        var wanted = DoorChange()
        wanted.name = "Anna & Tom"
        wanted.lastDay = service.store.today + 3
        wanted.looksFirst = looksFirst
        let door = try await service.makeDoor(wanted, of: session)
        return try #require(Array(door.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) })
    }

    private func visit(_ service: VaultService, _ code: DoorToken, _ giver: String? = nil) async throws -> Session {
        try await service.enter(try code.typed, giver: giver, present: nil, client: .here).session
    }

    /// Returns when all that can move has moved.
    private func openAndTake(_ service: VaultService) async throws -> Session {
        let session: Session = try await service.open(text)
        await service.doors.takeAll(into: try session.requireVault())
        return session
    }

    private func news(_ service: VaultService, _ session: Session) async throws -> [DoorRecord] {
        try await service.doorNews(of: session).map(\.door)
    }

    @Test("photos given to a locked vault are its own when it is opened, once each, and their givers are named")
    func takingAtOpening() async throws {
        var service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        try await service.lock(owner)
        let mia = try await visit(service, code, "Mia")
        let nobody = try await visit(service, code)
        for seed in 1...5 { try await mia.upload(sampleBytes(1000, seed: UInt64(seed)), name: "mia \(seed)") }
        try await nobody.upload([1, 2, 3], name: "a")
        service = try await host.restart()
        let session = try await openAndTake(service)
        #expect(try await session.names().sorted() == ["a"] + (1...5).map { "mia \($0)" })
        let photos = try await session.photos.page(cursor: nil).photos
        #expect(photos.filter { $0.details.given?.giver == "Mia" }.count == 5)
        #expect(
            photos.allSatisfy { $0.details.given?.doorName == "Anna & Tom" && $0.details.keeping.albums.count == 1 })
        let told = try #require(try await news(service, session).first)
        #expect(told.newsCount == 6 && told.unnamedCount == 1 && told.newsGivers == ["Mia"])
        #expect(try service.guestRows() == 0)
        #expect(try service.store.ledger.readBlocking { try $0.arrivals() }.isEmpty)
        // Another look finds nothing more.
        await service.doors.takeAll(into: try session.requireVault())
        #expect(try await session.photos.count() == 6)
        #expect(session.damage == nil)
        try await host.stop()
    }

    @Test("while somebody sends nothing moves; it comes along afterwards, and the session never goes on in the vault")
    func waitingForUploads() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let visitor = try await visit(service, code)
        let upload = try await visitor.uploads.begin(name: "slow", declaredByteCount: 4, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: [1, 2]))
        let space = try visitor.requireVault()
        let door = try #require(space.door)
        let vault = try owner.requireVault()
        #expect(await service.doors.takeAll(into: vault)?.code == "busy")
        // Others go on meanwhile.
        try await visitor.upload([5], name: "beside")
        try await upload.append(ByteBuffer(bytes: [3, 4]))
        _ = try await upload.finish()
        // It is closed while it moves: whoever comes just then is told to come again.
        #expect(door.close(ifNoneSince: door.enteredCount))
        await #expect(throws: VaultError.busy(retryAfter: .seconds(1))) {
            _ = try await visitor.uploads.begin(name: "late", declaredByteCount: 1, lastModified: nil)
        }
        door.reopen()
        #expect(await service.doors.takeAll(into: vault) == nil)
        #expect(try await owner.names().sorted() == ["beside", "slow"])
        #expect(visitor.isEnded)
        #expect(visitor.following === visitor)
        // Whoever has held on to the space writes nothing into the vault.
        await #expect(throws: VaultError.sessionEnded) {
            try await space.change(followsMove: true) { try $0.makeRowsAtBirth() }
        }
        await #expect(throws: VaultError.sessionEnded) { try await space.changeUploads { _, _, _ in } }
        try await host.stop()
    }

    @Test("what broke off a moment ago may go on, and what was given beside it waits as long")
    func goingOn() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let visitor = try await visit(service, code)
        let bytes = sampleBytes(200_000)
        let status = try await visitor.announce(bytes.count)
        try await visitor.sendCut(Array(bytes[..<100_000]), to: status.id, at: 0)
        try await visitor.upload([1], name: "beside")
        let vault = try owner.requireVault()
        #expect(await service.doors.takeAll(into: vault)?.code == "busy")
        let offset = Int(try await visitor.uploads.status(of: status.id).offset)
        try await visitor.send(bytes[offset...], to: status.id, at: offset)
        #expect(await service.doors.takeAll(into: vault) == nil)
        #expect(try await owner.photos.count() == 2)
        try await host.stop()
    }

    @Test("two who change a door at once both have their way")
    func changingAtOnce() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        _ = try await makeDoor(service, owner)
        let id = try #require(try await service.doors(of: owner).first).record.id.text
        for number in 0..<20 {
            var shutting = DoorChange()
            shutting.isShut = number.isMultiple(of: 2)
            var naming = DoorChange()
            naming.name = "Door \(number)"
            async let shut = service.changeDoor(id, shutting, of: owner)
            async let named = service.changeDoor(id, naming, of: owner)
            _ = try await (shut, named)
            let terms = try await service.door(id, of: owner).record.terms
            #expect(terms.isShut == number.isMultiple(of: 2) && terms.name == "Door \(number)")
        }
        try await host.stop()
    }

    @Test("an upload that nobody goes on with is dropped, and one all of whose bytes have come becomes a photo")
    func unfinishedUploads() async throws {
        var service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        try await service.lock(owner)
        let visitor = try await visit(service, code, "Mia")
        let status = try await visitor.announce(4)
        try await visitor.sendCut([1], to: status.id, at: 0)
        service = try await host.restart()
        let session = try await openAndTake(service)
        #expect(try await session.names() == [])
        #expect(try host.objectFiles() == [])
        try await host.stop()
    }

    @Test("what a vault has no room for stays at the door, and moves when there is room")
    func noRoom() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let visitor = try await visit(service, code)
        try await visitor.upload([1, 2, 3], name: "a")
        let vault = try owner.requireVault()
        let record = try #require(vault.doors.first)
        // The vault does not take anything as long as its door is not known.
        let move = DoorMove(
            uid: visitor.vaultUID, space: nil, note: nil, giver: nil, sender: nil, door: try DoorName(), vault: vault)
        await #expect(throws: VaultError.noSuchDoor) {
            try await service.registry.alone { keeper in try move.runBlocking(keeper) }
        }
        #expect(try await visitor.names() == ["a"])
        await service.doors.takeAll(into: vault, only: record.id)
        #expect(try await owner.names() == ["a"])
        try await host.stop()
    }

    @Test("what a drop folder gave counts as stored only as long as the disk gives it as it was")
    func readBack() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        try await service.lock(owner)
        let sender = try await service.sender(with: code).session
        let bytes = sampleBytes(200_000)
        let digest = try SHA256Hasher.hash(bytes)
        #expect(try await !sender.readBack(byteCount: 200_000, sha256: digest))
        let stored = try await sender.give("a.jpg", byteCount: 200_000, modifiedAt: nil) { upload in
            try await upload.append(ByteBuffer(bytes: bytes))
            return try await upload.finish()
        }
        #expect(stored == digest)
        #expect(try await sender.readBack(byteCount: 200_000, sha256: digest))
        let objects = URL(filePath: host.configuration.dataPath + "/objects")
        let names = try FileManager.default.subpathsOfDirectory(atPath: objects.path).filter { $0.contains("/") }
        let file = objects.appending(path: try #require(names.first))
        var content = try Data(contentsOf: file)
        content[100_000] ^= 1
        try content.write(to: file)
        #expect(try await !sender.readBack(byteCount: 200_000, sha256: digest))
        try await host.stop()
    }

    @Test("what a door says of itself and counts is known to whoever has its code, and changes with the photos")
    func counting() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let visitor = try await visit(service, code)
        let photo = try await visitor.upload(sampleBytes(1000), name: "a")
        #expect(try await service.look(at: try code.typed, client: .here).notice.givenByteCount == 1000)
        try await visitor.takeBack(photo.id)
        let notice = try await service.look(at: try code.typed, client: .here).notice
        #expect(notice.givenByteCount == 0 && notice.givenPhotoCount == 0)
        let other = try DoorToken(try SecretBytes(random: 16))
        await #expect(throws: VaultError.noSuchDoor) { try await service.look(at: try other.typed, client: .here) }
        try await host.stop()
    }

    @Test("what others may read is taken at a door whose owner wants that, and at once no more when the owner does not")
    func unencrypted() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let door = try #require(try await service.doors(of: owner).first)
        #expect(!door.record.terms.takesUnencrypted)
        func look() async throws { _ = try await service.look(at: try code.typed, isEncrypted: false, client: .here) }
        func change(_ isWanted: Bool) async throws {
            var change = DoorChange()
            change.takesUnencrypted = isWanted
            _ = try await service.changeDoor(door.record.id.text, change, of: owner)
        }
        await #expect(throws: VaultError.doorNeedsEncryption) { try await look() }
        await #expect(throws: VaultError.doorNeedsEncryption) {
            try await service.enter(
                try code.typed, giver: nil, present: nil, isEncrypted: false, client: .here)
        }
        try await change(true)
        try await look()
        let readable = try await visit(service, code)
        let encrypted = try await visit(service, code)
        try await readable.requireUnencryptedDoor()
        // One that is on its way.
        let upload = try await readable.uploads.begin(
            name: "a", declaredByteCount: nil, lastModified: nil, batch: nil, album: nil, path: nil)
        try await upload.append(ByteBuffer(bytes: [1, 2, 3]))
        try await change(false)
        await #expect(throws: VaultError.sessionEnded) {
            try await upload.append(ByteBuffer(bytes: [4]))
            _ = try await upload.finish()
        }
        await #expect(throws: VaultError.sessionEnded) { try await readable.requireUnencryptedDoor() }
        await #expect(throws: VaultError.doorNeedsEncryption) { try await encrypted.requireUnencryptedDoor() }
        try await encrypted.upload([1, 2, 3], name: "b")
        await #expect(throws: VaultError.doorNeedsEncryption) { try await look() }
        // Whoever has no right to know learns nothing of a door that is shut.
        var shut = DoorChange()
        shut.isShut = true
        _ = try await service.changeDoor(door.record.id.text, shut, of: owner)
        await #expect(throws: VaultError.doorNeedsEncryption) { try await look() }
        try await host.stop()
    }

    @Test("doors outlive a change of the vault's key, and open what was given before it")
    func rotation() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let visitor = try await visit(service, code)
        try await visitor.upload([1, 2, 3], name: "a")
        _ = try await service.rotateKey(owner, password: password(text), client: .here)
        let session = try await openAndTake(service)
        #expect(try await session.names() == ["a"])
        try await host.stop()
    }

    @Test("a party behind one address comes in, and goes on giving however often the owner takes what is there")
    func party() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let vault = try owner.requireVault()
        let router = Client(address: .ip(.ipv4(10, 77, 0, 2)))
        func come() async throws -> Session {
            try await service.enter(try code.typed, giver: nil, present: nil, client: router).session
        }
        let most = VisitRateLimit.mostPerDoor
        for number in 0..<30 {
            try await come().upload(sampleBytes(100, seed: UInt64(number)), name: "\(number)")
            await service.doors.takeAll(into: vault)
        }
        #expect(try await owner.photos.count() == 30)
        for _ in 0..<most { _ = try await come() }
        await #expect(throws: VaultError.self) { _ = try await come() }
        // Neither guests nor another door have anything to do with it, and a program that sends has one space.
        _ = try await service.beginGuest(client: router)
        let other = try await makeDoor(service, owner)
        _ = try await service.enter(try other.typed, giver: nil, present: nil, client: router)
        for _ in 0..<2 {
            let sender = try await service.attempt(router) { guess in
                try await service.sender(with: code, for: guess, router)
            }
            try await #require(sender).upload([1, 2, 3], name: "sent")
            await service.doors.takeAll(into: vault)
        }
        try await host.stop()
    }

    @Test("a file beside a photo belongs to one that came through the same door, and stands for itself else")
    func sidecars() async throws {
        var service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let other = try await makeDoor(service, owner)
        _ = try await owner.upload([0xFF, 0xD8, 0xFF, 0xE0] + sampleBytes(100, seed: 1), name: "IMG_0001.jpg")
        let mia = try await visit(service, code, "Mia")
        let jo = try await visit(service, other)
        try await mia.upload(sampleBytes(100, seed: 2), name: "IMG_0001.AAE")
        try await jo.upload(sampleBytes(100, seed: 3), name: "IMG_0001.AAE")
        try await jo.upload([0xFF, 0xD8, 0xFF, 0xE0] + sampleBytes(100, seed: 4), name: "IMG_0001.jpg")
        await service.doors.takeAll(into: try owner.requireVault())
        for session in [owner, nil] {
            var session = session
            if session == nil {
                service = try await host.restart()
                session = try await service.open(text)
            }
            let photos = try await #require(session).photos.page(cursor: nil).photos
            let alone = photos.filter { $0.name == "IMG_0001.AAE" && $0.sidecarOf == nil }
            #expect(alone.map { $0.details.given?.giver } == ["Mia"])
            #expect(photos.count { $0.name == "IMG_0001.jpg" } == 2)
        }
        try await host.stop()
    }

    @Test("a wedding is served, however many phones come, while a device under three names takes what it can")
    func wedding() async throws {
        // Fewer of all, in the same proportions.
        (host.configuration.limits.openGuests, host.configuration.limits.newGuestsPerDay) = (12, 20)
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        try await service.lock(owner)
        func client(_ address: UInt8, _ device: UInt8) -> Client {
            Client(address: .ip(.ipv4(10, 77, 0, address)), neighbour: [2, 0, 0, 0, 0, device])
        }
        func come(_ client: Client) async throws -> (session: Session, token: String) {
            let visit = try await service.enter(code.typed, giver: nil, present: nil, client: client)
            return (visit.session, try #require(visit.token))
        }
        for number in 0..<90 {
            do {
                let hostile = client(UInt8(number % 30), 200 + UInt8(number % 3))
                try await come(hostile).session.upload([UInt8(number)])
            } catch VaultError.tooManyAttempts(let wait, of: .visits) {
                #expect(wait > .seconds(86_000))
            }
        }
        var phones: [(client: Client, token: String)] = []
        for number in 0..<25 as Range<UInt8> {
            let phone = client(100 + number, number)
            let (session, token) = try await come(phone)
            try await session.upload(sampleBytes(100, seed: UInt64(number)))
            phones.append((phone, token))
        }
        // Whose session has given way goes on by its cookie.
        for (client, token) in phones {
            let session = try #require(try await service.session(token: token, .visitor, of: client))
            #expect(try await session.givenSoFar().count == 1)
        }
        try await host.stop()
    }
}
