import HostSupport
import NIOCore
import TestSupport
import Testing

@testable import Records
@testable import Uploads
@testable import Vault
@testable import Vaults

@Suite("The room that a door has")
struct DoorRoomTests {
    private let day = Day()
    let host: TestHost

    init() throws {
        host = try TestHost { [day] in $0.today = { day.today } }
        host.configuration.limits.doorQuiet = .seconds(3600)
    }

    /// A door of a vault that is locked.
    private func door(_ service: VaultService, photos: UInt32 = 100, bytes: UInt64 = 300_000) async throws
        -> DoorToken
    {
        let owner = try await service.make("violet tram seven")
        var wanted = DoorChange()
        wanted.name = "Lake"
        wanted.lastDay = service.store.today + 3
        (wanted.photoLimit, wanted.byteLimit) = (photos, bytes)
        let door = try await service.makeDoor(wanted, of: owner)
        try await service.lock(owner)
        return try #require(Array(door.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) })
    }

    private func visit(_ service: VaultService, _ code: DoorToken) async throws -> Session {
        try await service.enter(try code.typed, giver: nil, present: nil, client: .here).session
    }

    @Test("what has come of uploads that have not ended counts, whoever is still there, until they end")
    func unfinished() async throws {
        let service = try await host.start()
        let code = try await door(service)
        let (one, two) = (try await visit(service, code), try await visit(service, code))
        let status = try await one.announce(290_000)
        // What is announced takes nothing.
        try await two.upload(sampleBytes(50_000))
        try await one.sendCut(sampleBytes(200_000), to: status.id, at: 0)
        func isFull() async throws {
            await #expect(throws: VaultError.doorFull) { try await two.upload(sampleBytes(60_000, seed: 2)) }
            await #expect(throws: VaultError.doorFull) { try await two.upload(sampleBytes(60_000), declared: false) }
            await #expect(throws: VaultError.doorFull) { _ = try await two.announce(60_000) }
            // Nor does it go on beyond the limit.
            await #expect(throws: VaultError.doorFull) {
                try await one.send(sampleBytes(290_000)[200_000...], to: status.id, at: 200_000)
            }
        }
        try await isFull()
        try await one.uploads.remove(status.id)
        try await two.upload(sampleBytes(60_000, seed: 3))
        try await host.stop()
    }

    @Test("what somebody has left behind counts until its days are over")
    func left() async throws {
        let service = try await host.start()
        let code = try await door(service)
        let one = try await visit(service, code)
        let status = try await one.announce(290_000)
        try await one.sendCut(sampleBytes(200_000), to: status.id, at: 0)
        await service.sessions.endAll()
        let two = try await visit(service, code)
        for _ in 0..<2 {
            await #expect(throws: VaultError.doorFull) { try await two.upload(sampleBytes(150_000)) }
            await service.runDailyWork()
        }
        for _ in 0...UploadRecord.days {
            day.advance()
            await service.runDailyWork()
        }
        #expect(service.engine.guestDiskUsage.underWay(at: code.id) == UnderWay())
        try await host.stop()
    }

    @Test("so does what comes in one piece and does not end, and how many there are of both")
    func running() async throws {
        let service = try await host.start()
        let code = try await door(service, photos: 2)
        let one = try await visit(service, code)
        let slow = try await one.uploads.begin(name: "a", declaredByteCount: 250_000, lastModified: nil)
        try await slow.append(ByteBuffer(bytes: sampleBytes(10)))
        await #expect(throws: VaultError.doorFull) { try await one.upload(sampleBytes(60_000)) }
        let status = try await one.announce(1000)
        try await one.sendCut([1], to: status.id, at: 0)
        await #expect(throws: VaultError.doorFull) { try await one.upload([5]) }
        await slow.abandon()
        try await one.upload([5])
        try await one.send(sampleBytes(1000)[1...], to: status.id, at: 1)
        await #expect(throws: VaultError.doorFull) { try await one.upload([6]) }
        try await host.stop()
    }

    @Test("a door is filled to the last byte and photo by as many as come at once")
    func exactly() async throws {
        let service = try await host.start()
        let code = try await door(service, photos: 24, bytes: 24 * 10_000)
        try await withThrowingTaskGroup { group in
            for giver in 0..<4 {
                let session = try await visit(service, code)
                group.addTask {
                    for number in 0..<6 {
                        let bytes = sampleBytes(10_000, seed: UInt64(giver * 6 + number))
                        if number.isMultiple(of: 2) {
                            try await session.upload(bytes)
                        } else {
                            try await session.resume(bytes, in: 4000)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let notice = try await service.store.ledger.notice(of: code)
        #expect((notice.photosLeft, notice.bytesLeft) == (0, 0))
        #expect(service.engine.guestDiskUsage.underWay(at: code.id) == UnderWay())
        try await host.stop()
    }

    @Test("a device under three names leaves two fifths of a door's room to others, by whichever means it gives")
    func shares() async throws {
        let service = try await host.start()
        let code = try await door(service, photos: 200, bytes: 20 << 30)
        func phone(_ number: UInt8) -> Client {
            Client(address: .ip(.ipv4(10, 77, 0, number)), neighbour: [2, 0, 0, 0, 0, number])
        }
        func enter(_ number: UInt8) async throws -> Session {
            try await service.enter(code.typed, giver: nil, present: nil, client: phone(number)).session
        }
        /// - Returns: how many were given until no more were taken.
        func fill(_ session: Session, _ number: UInt8) async throws -> Int {
            for count in 0..<200 {
                do {
                    try await session.upload([number, UInt8(count)])
                } catch VaultError.doorShareTaken(let wait) {
                    #expect(wait > .seconds(86_000))
                    await #expect(throws: VaultError.self) { _ = try await session.announce(5) }
                    return count
                }
            }
            return 200
        }
        var given = 0
        for number in 1...3 as ClosedRange<UInt8> {
            given += try await fill(try await enter(number), number)
            // Neither another visit nor a program on the same device has more.
            #expect(try await fill(try await enter(number), number) <= 1)
            let program = try await service.authenticate(
                password: password(try code.code()), client: phone(number))
            #expect(try await fill(program, number) <= 1)
        }
        #expect((50...118).contains(given))
        let guest = try await enter(4)
        for count in 0..<16 { try await guest.upload([4, UInt8(count)]) }
        // What is on its way counts too.
        let next = try await enter(5)
        var statuses: [String] = []
        while statuses.count < 50 {
            do {
                let status = try await next.announce(4)
                try await next.sendCut([5, 5], to: status.id, at: 0)
                statuses.append(status.id)
            } catch VaultError.doorShareTaken {
                break
            }
        }
        #expect((16...30).contains(statuses.count))
        // The keeper of the host lifts it.
        service.beginCountsAnew()
        try await enter(1).upload([1, 255])
        try await host.stop()
    }
}
