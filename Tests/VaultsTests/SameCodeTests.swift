import Bytes
import HostSupport
import Sealing
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Two devices with one door's code")
struct SameCodeTests {
    private let text = "violet tram seven"
    private let day = Day()
    let host: TestHost

    init() throws {
        host = try TestHost { [day] in $0.today = { day.today } }
        host.configuration.limits.quietBeforeReread = .zero
        // Only what these tests ask for moves.
        host.configuration.limits.doorQuiet = .seconds(3600)
        host.configuration.limits.doorSettling = .seconds(3600)
    }

    private func makeDoor(_ service: VaultService, _ session: Session) async throws -> DoorToken {
        var wanted = DoorChange()
        wanted.name = "Anna & Tom"
        wanted.lastDay = service.store.today + 3
        let door = try await service.makeDoor(wanted, of: session)
        return try #require(Array(door.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) })
    }

    /// A phone as the kernel knows it, by whichever address it comes.
    private func phone(_ number: UInt8, address: UInt8 = 9) -> Client {
        Client(address: .ip(.ipv4(10, 77, 0, address)), neighbour: [2, 0, 0, 0, 0, number])
    }

    private func program(_ service: VaultService, _ code: DoorToken, on client: Client) async throws -> Session {
        try await service.authenticate(password: password(try code.code()), client: client)
    }

    @Test("neither goes on with, asks for nor ends what the other has begun, though it calls it the same")
    func uploads() async throws {
        var service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        try await service.lock(owner)
        let (mine, other) = (
            try await program(service, code, on: phone(1)), try await program(service, code, on: phone(2))
        )
        let good = sampleBytes(8000)
        let begun = try await mine.announce(8000, name: "IMG_0001.jpg", clientID: "IMG_0001.jpg-8000")
        try await mine.send(good[..<4000], to: begun.id, at: 0)
        let theirs = try await other.announce(8000, name: "IMG_0001.jpg", clientID: "IMG_0001.jpg-8000")
        #expect(theirs.id != begun.id && theirs.offset == 0)
        await #expect(throws: VaultError.noSuchUpload) { _ = try await other.uploads.status(of: begun.id) }
        await #expect(throws: VaultError.noSuchUpload) {
            try await other.send(sampleBytes(4000, seed: 2), to: begun.id, at: 4000)
        }
        await #expect(throws: VaultError.noSuchUpload) { try await other.uploads.remove(begun.id) }
        try await other.send(sampleBytes(8000, seed: 2), to: theirs.id, at: 0)
        // By another address, after a restart too, a device is the same.
        service = try await host.restart()
        let again = try await program(service, code, on: phone(1, address: 77))
        #expect(try await again.announce(8000, name: "IMG_0001.jpg", clientID: "IMG_0001.jpg-8000").offset == 4000)
        try await again.send(good[4000...], to: begun.id, at: 4000)
        let session: Session = try await service.open(text)
        await service.doors.takeAll(into: try session.requireVault())
        let photos = try await session.photos.page(cursor: nil).photos
        var contents: [[UInt8]] = []
        for photo in photos { contents.append(try await session.content(photo.id)) }
        #expect(contents.count == 2 && contents.contains(good))
        try await host.stop()
    }

    @Test("neither sees what the other sent, nor is told by its content, before and after the vault has taken it")
    func listing() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let bytes = sampleBytes(5000)
        let mine = try await program(service, code, on: phone(1))
        try await mine.upload(bytes, name: "a.jpg")
        let question = ContentQuestion.whole(byteCount: 5000, sha256: try SHA256Hasher.hash(bytes))
        func expect(_ answer: ContentAnswer, _ names: [String], on client: Client) async throws {
            let session = try await program(service, code, on: client)
            #expect(try await session.uploads.answers(to: [question]) == [answer])
            let page = try await session.files.page(of: .arrivals(since: 0), behind: nil)
            #expect(page.files.map(\.name) + (session.door?.takenLately.map { $0.place.last ?? "" } ?? []) == names)
        }
        try await mine.settle()
        try await expect(.known, ["a.jpg"], on: phone(1))
        try await expect(.new, [], on: phone(2))
        await service.doors.takeAll(into: try owner.requireVault())
        #expect(try await owner.photos.count() == 1)
        try await expect(.known, ["a.jpg"], on: phone(1))
        try await expect(.new, [], on: phone(2))
        let batch = try await program(service, code, on: phone(1)).batches.create()
        let other = try await program(service, code, on: phone(2))
        await #expect(throws: VaultError.noSuchBatch) { _ = try await other.batches.status(of: batch) }
        try await host.stop()
    }

    @Test("an address that passes to another device brings it nothing of the first")
    func addresses() async throws {
        let service = try await host.start()
        let code = try await makeDoor(service, try await service.make(text))
        let first = try await program(service, code, on: phone(1))
        let next = try await program(service, code, on: phone(2))
        #expect(first !== next)
        #expect(try await program(service, code, on: phone(1)) === first)
        try await host.stop()
    }

    @Test("the room that is left does not tell what others gave; what one device sends again counts once")
    func room() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        let code = try await makeDoor(service, owner)
        let vault = try owner.requireVault()
        let bytes = sampleBytes(7000)
        func take() async throws {
            await service.doors.takeAll(into: vault)
            try await owner.settle()
        }
        func left() async throws -> UInt32 {
            try await service.look(at: code.typed, client: phone(9)).notice.photosLeft
        }
        let before = try await left()
        try await service.enter(code.typed, giver: nil, present: nil, client: phone(1)).session.upload(bytes)
        try await program(service, code, on: phone(2)).upload(sampleBytes(7000, seed: 2))
        try await take()
        #expect(try await left() == before - 2)
        // Each of these is there already, and each was given by somebody else.
        try await service.enter(code.typed, giver: nil, present: nil, client: phone(3)).session.upload(bytes)
        try await program(service, code, on: phone(3)).upload(bytes)
        try await program(service, code, on: phone(3)).upload(sampleBytes(7000, seed: 2))
        try await take()
        #expect(try await owner.photos.count() == 2)
        #expect(try await left() == before - 5)
        try await program(service, code, on: phone(2)).upload(sampleBytes(7000, seed: 2))
        try await take()
        #expect(try await owner.photos.count() == 2)
        #expect(try await left() == before - 5)
        try await host.stop()
    }
}
