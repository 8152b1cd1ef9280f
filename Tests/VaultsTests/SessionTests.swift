import Bytes
import HostSupport
import NIOCore
import Releases
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vaults

@Suite("The life of a session")
struct SessionTests {
    let host: TestHost
    let clock = StandingClock()

    init() throws { host = try TestHost() }

    private func session() async throws -> Session {
        let service = try await host.start()
        let vault = try await service.make("violet tram seven").requireVault()
        return try Session(vault: vault, engine: service.engine, limits: VaultLimits(), now: { [clock] in clock.now })
    }

    @Test("it ends after fifteen idle minutes, and every use begins them anew")
    func idle() async throws {
        let session = try await session()
        #expect(session.idleRemaining == .seconds(900))
        clock.advance(.seconds(899))
        #expect(session.idleRemaining == .seconds(1))
        _ = try await session.names()
        clock.advance(.seconds(899))
        _ = try await session.names()
        clock.advance(.seconds(900))
        await #expect(throws: VaultError.sessionEnded) { _ = try await session.names() }
        #expect(session.isEnded)
        try await host.stop()
    }

    @Test("it ends after twelve hours, however much it is used")
    func absolute() async throws {
        let session = try await session()
        for _ in 0..<71 {
            clock.advance(.seconds(600))
            _ = try await session.names()
        }
        #expect(session.idleRemaining == .seconds(600))
        clock.advance(.seconds(600))
        await #expect(throws: VaultError.sessionEnded) { _ = try await session.names() }
        try await host.stop()
    }

    @Test("looking at the time left is no use")
    func looking() async throws {
        let session = try await session()
        clock.advance(.seconds(600))
        _ = session.damage
        #expect(session.idleRemaining == .seconds(300))
        #expect(session.idleRemaining == .seconds(300))
        try await host.stop()
    }

    @Test("it does not end while an upload runs, and ends in its time afterwards", arguments: [true, false])
    func writing(inOnePiece: Bool) async throws {
        let session = try await session()
        if inOnePiece {
            let upload = try await session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
            clock.advance(.seconds(5000))
            #expect(session.isOpen && session.idleRemaining == .seconds(900))
            _ = try await upload.finish()
        } else {
            let status = try await session.announce(1)
            let run = try await session.uploads.resume(status.id, at: 0)
            clock.advance(.seconds(5000))
            #expect(session.isOpen && session.idleRemaining == .seconds(900))
            try await run.append(ByteBuffer(bytes: [1]))
            _ = try await run.finish()
        }
        #expect(session.idleRemaining == .seconds(900))
        clock.advance(.seconds(900))
        #expect(!session.isOpen)
        try await host.stop()
    }

    @Test("the table can be asked for it without a use")
    func asking() async throws {
        let session = try await session()
        let table = SessionTable()
        try table.add(session, under: [1])
        clock.advance(.seconds(600))
        #expect(table.session(key: [1], isUse: false) === session)
        #expect(session.idleRemaining == .seconds(300))
        #expect(table.session(key: [1]) === session)
        #expect(session.idleRemaining == .seconds(900))
        clock.advance(.seconds(900))
        #expect(table.session(key: [1], isUse: false) == nil)
        await table.endAll()
        try await host.stop()
    }

    @Test("an archive's ten minutes begin anew with each use")
    func archiveTime() async throws {
        let session = try await session()
        let name = try await session.archives.make([try await session.upload([1]).id])
        for _ in 0..<3 {
            clock.advance(.seconds(599))
            _ = try session.archives.archive(name)
        }
        clock.advance(.seconds(600))
        #expect(throws: VaultError.archiveGone) { try session.archives.archive(name) }
        try await host.stop()
    }

    @Test("at most sixteen archives wait")
    func archives() async throws {
        let session = try await session()
        let photo = try await session.upload([1])
        var names: [String] = []
        for _ in 0..<17 { names.append(try await session.archives.make([photo.id])) }
        let found = names.count { (try? session.archives.archive($0)) != nil }
        #expect(found == 16)
        #expect(throws: VaultError.self) { try session.archives.archive(names[0]) }
        try await host.stop()
    }

    private func client(_ neighbour: UInt8) -> Client {
        Client(address: .ip(.ipv4(192, 168, 1, neighbour)), neighbour: [2, 0, 0, 0, 0, neighbour])
    }

    @Test("of too many sessions of a vault those of whoever has most go, and the family's stay")
    func manySessions() async throws {
        host.configuration.limits.sessionsOfVault = 20
        let service = try await host.start()
        let secret = try password("violet tram seven")
        _ = try await service.make("violet tram seven")
        var family: [Session] = []
        for device in 0..<15 {
            family.append(try await service.open(password: secret, client: client(UInt8(device))).session)
        }
        var hostile: [Session] = []
        for _ in 0..<30 { hostile.append(try await service.open(password: secret, client: client(99)).session) }
        #expect(family.allSatisfy { !$0.isEnded } && !hostile[29].isEnded && hostile[0].isEnded)
        #expect(service.sessions.count(.vault) == 20)
        try await host.stop()
    }

    @Test("sessions of many vaults of one neighbour push out no session of another's")
    func sessionsOfManyVaults() async throws {
        host.configuration.limits.sessions = 10
        let service = try await host.start()
        let family = try await service.make("violet tram seven")
        var opened: [Session] = []
        for vault in 0..<3 {
            let own = "the visitor's vault \(vault)"
            try await service.lock(try await service.make(own))
            for _ in 0..<5 {
                opened.append(try await service.open(password: try password(own), client: client(99)).session)
            }
        }
        #expect(!family.isEnded && opened.count { !$0.isEnded } == 9 && !opened[14].isEnded)
        try await host.stop()
    }

    @Test("a session that is kept gives way, and its cookie brings it back")
    func keptGivesWay() async throws {
        host.configuration.limits.sessionsOfVault = 2
        let service = try await host.start()
        try await service.lock(try await service.make("violet tram seven"))
        let kept = try await service.open("violet tram seven", keep: true)
        for _ in 0..<3 { _ = try await service.open("violet tram seven") }
        #expect(kept.session.isEnded)
        #expect(try await service.session(token: kept.token) != nil)
        try await host.stop()
    }

    @Test("archives take no more memory than there is for them, and one neighbour's not what others need")
    func archiveMemory() async throws {
        host.configuration.limits.listByteCount = 4000
        let service = try await host.start()
        let secret = try password("violet tram seven")
        let first = try await service.make("violet tram seven")
        for number in 0..<4 { try await first.upload([UInt8(number)]) }
        let hostile = try await service.open(password: secret, client: client(1)).session
        let honest = try await service.open(password: secret, client: client(2)).session
        func make(_ session: Session) async throws -> Archive {
            try session.archives.archive(
                try await session.archives.make(try await session.photos.page(cursor: nil).photos.map(\.id)))
        }
        let (archive, other) = (try await make(hostile), try await make(honest))
        let list = try await hostile.archives.photos(of: archive)
        #expect(list.photos.count == 4)
        await #expect(throws: VaultError.busy(retryAfter: .seconds(10))) {
            _ = try await hostile.archives.photos(of: archive)
        }
        #expect(try await honest.archives.photos(of: other).photos.count == 4)
        withExtendedLifetime(list) {}
        try await host.stop()
        #expect(service.engine.lists.byteCount < 4000)
    }

    @Test("downloads of one archive share what is put together for them, until what is listed changes")
    func sharedContents() async throws {
        final class Contents: Sendable {}
        let session = try await session()
        let photo = try await session.upload([1])
        let archive = try session.archives.archive(try await session.archives.make([photo.id]))
        let one = try await archive.contents(at: 1) { Contents() }
        #expect(try await archive.contents(at: 1) { Contents() } === one)
        let two = try await archive.contents(at: 2) { Contents() }
        #expect(two !== one)
        try await host.stop()
    }
}

@Suite("Clients that send the password with each request")
struct BasicSessionTests {
    let host: TestHost
    /// Stands, so that nobody's wait ends while a test is slow.
    let clock = StandingClock()

    init() throws { host = try TestHost { [clock] in $0.attemptClock = { clock.now } } }

    @Test("requests that come together share one session, and none of them counts as wrong")
    func shared() async throws {
        let service = try await host.start()
        try await service.make("violet tram seven")
        let typed = try password("violet tram seven")
        let sessions = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    ObjectIdentifier(try await service.authenticate(password: typed, client: .stranger))
                }
            }
            return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        #expect(service.sessions.count(.vault) == 2)
        #expect(service.throttle.wrongCount == 0)
        try await host.stop()
    }

    @Test("what one address has opened is no answer for another, and none for one that must wait")
    func boundToAddress() async throws {
        let service = try await host.start()
        try await service.make("violet tram seven")
        let typed = try password("violet tram seven")
        let owner = Client(address: .ip(.ipv4(192, 168, 1, 5)))
        let session = try await service.authenticate(password: typed, client: owner)
        for _ in 0..<6 {
            await #expect(throws: VaultError.noSuchVault) {
                _ = try await service.authenticate(password: password("violet tram eight"), client: .stranger)
            }
        }
        // Not even the right one, while the address must wait: it would be told so.
        for guess in ["violet tram seven", "violet tram nine"] {
            let refused = await #expect(throws: VaultError.self) {
                _ = try await service.authenticate(password: password(guess), client: .stranger)
            }
            #expect(refused?.code == "too-many-attempts")
        }
        // Who shares the owner's address guesses no faster.
        for _ in 0..<6 {
            await #expect(throws: VaultError.noSuchVault) {
                _ = try await service.authenticate(password: password("violet tram eight"), client: owner)
            }
        }
        let refused = await #expect(throws: VaultError.self) {
            _ = try await service.authenticate(password: typed, client: owner)
        }
        #expect(refused?.code == "too-many-attempts")
        let elsewhere = try await service.authenticate(
            password: typed, client: Client(address: .ip(.ipv4(192, 168, 1, 7))))
        #expect(elsewhere !== session)
        try await host.stop()
    }

    @Test("an opened vault is kept for the next request; a wrong password is asked anew each time")
    func kept() async throws {
        let service = try await host.start()
        try await service.make("violet tram seven")
        let typed = try password("violet tram seven")
        let first = try await service.authenticate(password: typed, client: .here)
        let second = try await service.authenticate(password: try password("violet tram seven"), client: .here)
        #expect(first === second)
        for _ in 0..<2 {
            await #expect(throws: VaultError.noSuchVault) {
                _ = try await service.authenticate(password: try password("violet tram eight"), client: .here)
            }
        }
        try await host.stop()
    }

    @Test("a change of password, an erase and lock everywhere end them")
    func ended() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        let typed = try password("violet tram seven")
        let first = try await service.authenticate(password: typed, client: .here)
        try await service.change(session, from: "violet tram seven", to: "seven violet trams")
        #expect(first.isEnded)
        await #expect(throws: VaultError.noSuchVault) {
            _ = try await service.authenticate(password: typed, client: .here)
        }
        let next = try password("seven violet trams")
        let second = try await service.authenticate(password: next, client: .here)
        try await service.lockEverywhere(session)
        #expect(second.isEnded)
        let third = try await service.authenticate(password: next, client: .here)
        try await service.erase(third, password: next, client: .here)
        #expect(third.isEnded)
        await #expect(throws: VaultError.noSuchVault) {
            _ = try await service.authenticate(password: next, client: .here)
        }
        try await host.stop()
    }

    @Test("what is remembered of a new version survives a lock, and belongs to one vault only")
    func remembered() async throws {
        let host = try TestHost()
        let version = try #require(SemanticVersion("2.1.0"))
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        #expect(try await session.takeReminder(of: version))
        #expect(try await !session.takeReminder(of: version))
        try await session.skip(version)
        try await service.lock(session)
        let later = try await host.restart().open("violet tram seven")
        #expect(try await !later.takeReminder(of: version))
        let other = try await host.service().make("amber ferry nine")
        #expect(try await other.takeReminder(of: version))
        try await host.stop()
    }
}
