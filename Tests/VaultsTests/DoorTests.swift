import Bytes
import Foundation
import Testing

@testable import Records
@testable import Unlocking
@testable import Vaults

@Suite("Creating, opening and locking vaults")
struct DoorTests {
    let sample: SampleService

    init() throws { sample = try SampleService() }

    @Test("a password opens the vault it created, and a locked session gives nothing any more")
    func createOpenLock() async throws {
        let service = try await sample.start()
        let first = try await service.make("violet tram seven")
        try await first.upload([1, 2, 3], name: "one.jpg")
        try await service.lock(first)
        await #expect(throws: VaultError.sessionEnded) { try await first.names() }
        let second = try await service.open("violet tram seven")
        #expect(try await second.names() == ["one.jpg"])
        #expect(second.damage == nil)
        try await sample.stop()
    }

    @Test("a wrong password opens nothing")
    func wrongPassword() async throws {
        let service = try await sample.start()
        try await service.make("violet tram seven")
        await #expect(throws: VaultError.noSuchVault) { try await service.open("violet tram eight") }
        await #expect(throws: VaultError.passwordEmpty) { try await service.open("") }
        try await sample.stop()
    }

    @Test("two passwords are two vaults that see nothing of each other")
    func separateVaults() async throws {
        let service = try await sample.start()
        let one = try await service.make("violet tram seven")
        let other = try await service.make("seven violet trams")
        try await one.upload([1], name: "one.jpg")
        #expect(try await other.names() == [])
        #expect(one.vaultUID != other.vaultUID)
        try await sample.stop()
    }

    @Test("a password in use is refused, and the vault behind it is unharmed")
    func takenPassword() async throws {
        let service = try await sample.start()
        let session = try await service.make("violet tram seven")
        try await session.upload([1], name: "one.jpg")
        await #expect(throws: VaultError.passwordTaken) { try await service.make("violet tram seven") }
        #expect(try await service.open("violet tram seven").names() == ["one.jpg"])
        try await sample.stop()
    }

    @Test("composed and decomposed letters are the same password")
    func normalisation() async throws {
        let service = try await sample.start()
        let composed = "caf\u{E9} am Fluss"
        let decomposed = "cafe\u{301} am Fluss"
        let session = try await service.create(
            password: password(composed), confirmation: password(decomposed), code: nil, client: .here
        ).session
        #expect(try await service.open(decomposed).vaultUID == session.vaultUID)
        await #expect(throws: VaultError.noSuchVault) { try await service.open("cafe am Fluss") }
        try await sample.stop()
    }

    @Test("a token names its session until that is locked, and nothing else is a token")
    func tokens() async throws {
        let service = try await sample.start()
        let opening = try await service.create(
            password: password("violet tram seven"), confirmation: password("violet tram seven"), code: nil,
            client: .here)
        #expect(opening.token.utf8.count == 43)
        #expect(try await service.session(token: opening.token) === opening.session)
        #expect(try await service.session(token: String(opening.token.reversed())) == nil)
        #expect(try await service.session(token: "") == nil)
        try await service.lock(opening.session)
        #expect(try await service.session(token: opening.token) == nil)
        try await sample.stop()
    }

    @Test("lock everywhere ends every session of this vault and none of another")
    func lockEverywhere() async throws {
        let service = try await sample.start()
        let one = try await service.make("violet tram seven")
        let two = try await service.open("violet tram seven")
        let other = try await service.make("seven violet trams")
        try await service.lockEverywhere(one)
        #expect(one.isEnded && two.isEnded)
        #expect(!other.isEnded)
        try await sample.stop()
    }

    @Test("the keys of a vault go with its last session")
    func lastSession() async throws {
        let service = try await sample.start()
        let one = try await service.make("violet tram seven")
        let two = try await service.open("violet tram seven")
        weak let vault = try one.requireVault()
        #expect(try two.requireVault() === vault)
        try await service.lock(one)
        #expect(vault != nil)
        try await service.lock(two)
        #expect(vault == nil)
        try await sample.stop()
    }

    @Test("from elsewhere a vault is created only with the host's setup code")
    func setupCode() async throws {
        let service = try await sample.start()
        let typed = try password("violet tram seven")
        for wrong in [nil, "", "----", "AAAA-AAAA"] {
            await #expect(throws: VaultError.setupCodeWrong) {
                try await service.create(password: typed, confirmation: typed, code: wrong, client: .stranger)
            }
        }
        let code = service.setupCode.text.lowercased().replacingOccurrences(of: "-", with: " ")
        _ = try await service.create(password: typed, confirmation: typed, code: code, client: .stranger)
        try await sample.stop()
    }

    @Test("the setup code stays over a restart, in a file for its owner only")
    func setupCodeIsKept() async throws {
        let code = try await sample.start().setupCode
        #expect(try await sample.restart().setupCode == code)
        let attributes = try FileManager.default.attributesOfItem(atPath: sample.file(SetupCode.fileName).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await sample.stop()
    }

    @Test("a setup code counts for a week and no longer, however the clock stood when it was made")
    func setupCodeHasAnEnd() async throws {
        let day = Day()
        sample.configuration.today = { day.today }
        let service = try await sample.start()
        let former = service.setupCode
        let typed = try password("violet tram seven")
        let create = {
            try await service.create(password: typed, confirmation: typed, code: former.text, client: .stranger)
        }
        for days in [8, -9] {
            day.advance(by: days)
            await #expect(throws: VaultError.setupCodeWrong) { try await create() }
        }
        day.advance(by: 8)
        _ = try await create()
        #expect(try await sample.restart().setupCode == former)
        day.advance()
        let next = try await sample.restart().setupCode
        #expect(next.text != former.text && next.lastDay == former.lastDay + 8)
        try await sample.stop()
    }

    @Test("a new setup code counts at once, while the daemon runs, and the former one no more")
    func setupCodeIsRenewed() async throws {
        let service = try await sample.start()
        let next = try SetupCode.renew(dataPath: sample.dataPath, today: sample.configuration.today())
        let typed = try password("violet tram seven")
        await #expect(throws: VaultError.setupCodeWrong) {
            try await service.create(
                password: typed, confirmation: typed, code: service.setupCode.text, client: .stranger)
        }
        _ = try await service.create(password: typed, confirmation: typed, code: next.text, client: .stranger)
        try await sample.stop()
    }

    @Test("a setup code file without a code is no code that an empty answer matches")
    func emptySetupCode() async throws {
        try await sample.start()
        try await sample.stop()
        try Data("\n".utf8).write(to: sample.file(SetupCode.fileName))
        let service = try await sample.start()
        #expect(service.setupCode.text.utf8.count == 9)
        #expect(try await !service.matchesCode(""))
        try await sample.stop()
    }

    @Test("local registration is closed to other addresses")
    func localRegistration() async throws {
        sample.configuration.registration = .local
        let service = try await sample.start()
        let typed = try password("violet tram seven")
        await #expect(throws: VaultError.registrationClosed) {
            try await service.create(
                password: typed, confirmation: typed, code: service.setupCode.text, client: .stranger)
        }
        try await service.make("violet tram seven")
        try await sample.stop()
    }

    @Test("at most so many vaults are made at once, from this host too; failed ones do not count; the owner lifts that")
    func newVaultLimit() async throws {
        sample.configuration.registration = .open
        sample.configuration.limits.newSecrets = 2
        let service = try await sample.start()
        try await service.make("violet tram seven")
        func create(_ text: String) async throws {
            _ = try await service.create(
                password: password(text), confirmation: password(text), code: nil, client: .stranger)
        }
        await #expect(throws: VaultError.passwordTaken) { try await create("violet tram seven") }
        try await create("violet tram eight")
        let refused = await #expect(throws: VaultError.self) { try await create("violet tram nine") }
        #expect(refused?.code == "too-many-attempts")
        await #expect(throws: VaultError.self) { try await service.make("violet tram ten") }
        service.beginCountsAnew()
        try await service.make("violet tram ten")
        try await sample.stop()
    }

    @Test("a daemon that stops opens and creates nothing")
    func draining() async throws {
        let service = try await sample.start()
        await service.beginDraining()
        await #expect(throws: VaultError.draining) { try await service.make("violet tram seven") }
        await #expect(throws: VaultError.draining) { try await service.open("violet tram seven") }
        #expect(await service.health().status == .fail)
        try await sample.stop()
    }

    @Test("a sound store is healthy")
    func health() async throws {
        let service = try await sample.start()
        let health = await service.health()
        #expect(health.status == .pass, "\(health.checks)")
        try await sample.stop()
    }

    @Test("loopback is known in every spelling, and a /64 from elsewhere counts as one address")
    func addresses() {
        let mapped = { (ipv4: UInt64) in IPAddress(high: 0, low: 0xffff_0000_0000 | ipv4) }
        #expect(ClientAddress.ip(.ipv4(127, 0, 0, 9)).isLoopback)
        #expect(ClientAddress.ip(IPAddress(high: 0, low: 1)).isLoopback)
        #expect(ClientAddress.ip(mapped(0x7f00_0001)).isLoopback)
        #expect(!ClientAddress.ip(mapped(0x0a00_0001)).isLoopback)
        #expect(!ClientAddress.ip(.unspecified).isLoopback)
        func counted(_ address: ClientAddress, neighbour: [UInt8]? = nil) -> [UInt8] {
            Client(address: address, neighbour: neighbour).throttleBytes
        }
        #expect(counted(.ip(mapped(0x0a00_0001))) == counted(.ip(.ipv4(10, 0, 0, 1))))
        let network: UInt64 = 0x2001_0db8_0000_0001
        let (one, other) = (IPAddress(high: network, low: 1), IPAddress(high: network, low: 2))
        #expect(counted(.ip(one)) == counted(.ip(other)))
        // Devices of this network share their /64 with the whole house.
        #expect(counted(.ip(one), neighbour: [1]) != counted(.ip(other), neighbour: [2]))
    }
}
