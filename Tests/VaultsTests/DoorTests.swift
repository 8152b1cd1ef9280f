import Bytes
import Foundation
import HostSupport
import TestSupport
import Testing

@testable import Records
@testable import Unlocking
@testable import Vaults

@Suite("Creating, opening and locking vaults")
struct DoorTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    @Test("a password opens the vault it created, and a locked session gives nothing any more")
    func createOpenLock() async throws {
        let service = try await host.start()
        let first = try await service.make("violet tram seven")
        try await first.upload([1, 2, 3], name: "one.jpg")
        try await service.lock(first)
        await #expect(throws: VaultError.sessionEnded) { try await first.names() }
        let second = try await service.open("violet tram seven")
        #expect(try await second.names() == ["one.jpg"])
        #expect(second.damage == nil)
        try await host.stop()
    }

    @Test("a wrong password opens nothing")
    func wrongPassword() async throws {
        let service = try await host.start()
        try await service.make("violet tram seven")
        await #expect(throws: VaultError.noSuchVault) { try await service.open("violet tram eight") }
        await #expect(throws: VaultError.passwordEmpty) { try await service.open("") }
        try await host.stop()
    }

    @Test("two passwords are two vaults that see nothing of each other")
    func separateVaults() async throws {
        let service = try await host.start()
        let one = try await service.make("violet tram seven")
        let other = try await service.make("seven violet trams")
        try await one.upload([1], name: "one.jpg")
        #expect(try await other.names() == [])
        #expect(one.vaultUID != other.vaultUID)
        try await host.stop()
    }

    @Test("a password in use is refused, and the vault behind it is unharmed")
    func takenPassword() async throws {
        let service = try await host.start()
        let session = try await service.make("violet tram seven")
        try await session.upload([1], name: "one.jpg")
        await #expect(throws: VaultError.passwordTaken) { try await service.make("violet tram seven") }
        #expect(try await service.open("violet tram seven").names() == ["one.jpg"])
        try await host.stop()
    }

    @Test("composed and decomposed letters are the same password")
    func normalisation() async throws {
        let service = try await host.start()
        let composed = "caf\u{E9} am Fluss"
        let decomposed = "cafe\u{301} am Fluss"
        let session = try await service.create(
            password: password(composed), confirmation: password(decomposed), code: nil, client: .here
        ).session
        #expect(try await service.open(decomposed).vaultUID == session.vaultUID)
        await #expect(throws: VaultError.noSuchVault) { try await service.open("cafe am Fluss") }
        try await host.stop()
    }

    @Test("a token names its session until that is locked, and nothing else is a token")
    func tokens() async throws {
        let service = try await host.start()
        let opening = try await service.create(
            password: password("violet tram seven"), confirmation: password("violet tram seven"), code: nil,
            client: .here)
        #expect(opening.token.utf8.count == 43)
        #expect(try await service.session(token: opening.token) === opening.session)
        #expect(try await service.session(token: String(opening.token.reversed())) == nil)
        #expect(try await service.session(token: "") == nil)
        try await service.lock(opening.session)
        #expect(try await service.session(token: opening.token) == nil)
        try await host.stop()
    }

    @Test("lock everywhere ends every session of this vault and none of another")
    func lockEverywhere() async throws {
        let service = try await host.start()
        let one = try await service.make("violet tram seven")
        let two = try await service.open("violet tram seven")
        let other = try await service.make("seven violet trams")
        try await service.lockEverywhere(one)
        #expect(one.isEnded && two.isEnded)
        #expect(!other.isEnded)
        try await host.stop()
    }

    @Test("the keys of a vault go with its last session", .timeLimit(.minutes(10)))
    func lastSession() async throws {
        let service = try await host.start()
        let one = try await service.make("violet tram seven")
        let two = try await service.open("violet tram seven")
        weak let vault = try one.requireVault()
        #expect(try two.requireVault() === vault)
        try await service.lock(one)
        #expect(vault != nil)
        try await service.lock(two)
        // What works for it in the background may be about to let go.
        while vault != nil { await Task.yield() }
        try await host.stop()
    }

    @Test("from elsewhere a vault is created only with the host's setup code")
    func setupCode() async throws {
        let service = try await host.start()
        let typed = try password("violet tram seven")
        for wrong in [nil, "", "----", "AAAA-AAAA"] {
            await #expect(throws: VaultError.setupCodeWrong) {
                try await service.create(password: typed, confirmation: typed, code: wrong, client: .stranger)
            }
        }
        let code = service.setupCode.text.lowercased().replacingOccurrences(of: "-", with: " ")
        _ = try await service.create(password: typed, confirmation: typed, code: code, client: .stranger)
        try await host.stop()
    }

    @Test("the setup code stays over a restart, in a file for its owner only")
    func setupCodeIsKept() async throws {
        let code = try await host.start().setupCode
        #expect(try await host.restart().setupCode == code)
        let attributes = try FileManager.default.attributesOfItem(atPath: host.file(SetupCode.fileName).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try await host.stop()
    }

    @Test("a setup code counts for a week and no longer, however the clock stood when it was made")
    func setupCodeHasAnEnd() async throws {
        let day = Day()
        host.configuration.today = { day.today }
        let service = try await host.start()
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
        #expect(try await host.restart().setupCode == former)
        day.advance()
        let next = try await host.restart().setupCode
        #expect(next.text != former.text && next.lastDay == former.lastDay + 8)
        try await host.stop()
    }

    @Test("a new setup code counts at once, while the daemon runs, and the former one no more")
    func setupCodeIsRenewed() async throws {
        let service = try await host.start()
        let next = try SetupCode.renew(dataPath: host.dataPath, today: host.configuration.today())
        let typed = try password("violet tram seven")
        await #expect(throws: VaultError.setupCodeWrong) {
            try await service.create(
                password: typed, confirmation: typed, code: service.setupCode.text, client: .stranger)
        }
        _ = try await service.create(password: typed, confirmation: typed, code: next.text, client: .stranger)
        try await host.stop()
    }

    @Test("a setup code file without a code is no code that an empty answer matches")
    func emptySetupCode() async throws {
        try await host.start()
        try await host.stop()
        try Data("\n".utf8).write(to: host.file(SetupCode.fileName))
        let service = try await host.start()
        #expect(service.setupCode.text.utf8.count == 9)
        #expect(try await !service.matchesCode(""))
        try await host.stop()
    }

    @Test("local registration is closed to other addresses")
    func localRegistration() async throws {
        host.configuration.registration = .local
        let service = try await host.start()
        let typed = try password("violet tram seven")
        await #expect(throws: VaultError.registrationClosed) {
            try await service.create(
                password: typed, confirmation: typed, code: service.setupCode.text, client: .stranger)
        }
        try await service.make("violet tram seven")
        try await host.stop()
    }

    @Test("at most so many vaults are made at once, from this host too; failed ones do not count; the owner lifts that")
    func newVaultLimit() async throws {
        host.configuration.registration = .open
        host.configuration.limits.newSecrets = 2
        let service = try await host.start()
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
        try await host.stop()
    }

    @Test("a daemon that stops opens and creates nothing")
    func draining() async throws {
        let service = try await host.start()
        await service.beginDraining()
        await #expect(throws: VaultError.draining) { try await service.make("violet tram seven") }
        await #expect(throws: VaultError.draining) { try await service.open("violet tram seven") }
        #expect(await service.health().status == .fail)
        try await host.stop()
    }

    @Test("a sound store is healthy")
    func health() async throws {
        let service = try await host.start()
        let health = await service.health()
        #expect(health.status == .pass, "\(health.checks)")
        try await host.stop()
    }

    @Test("a vault keeps opening by a password that was chosen when less was known of it")
    func chosenBefore() async throws {
        let file = try TemporaryFolder().file("nothing-is-common.bin")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let text = "zz\nzz\n0o"
        let noRoots = [[UInt8]](repeating: [1] + [UInt8](repeating: 0, count: 8), count: 4).joined()
        try (Data("SLCP".utf8) + [2, 0, UInt8(text.utf8.count)] + Data(text.utf8) + noRoots).write(to: file)
        let host = try TestHost { $0.commonPasswordsPath = file.path }
        let before = try await host.start()
        _ = try await before.make("minecraft123")
        host.configuration.commonPasswordsPath = commonPasswordsPath
        let service = try await host.restart()
        _ = try await service.open("minecraft123", from: .here)
        await #expect(throws: VaultError.passwordTooCommon) { try await service.make("minecraft124") }
        try await host.stop()
    }
}
