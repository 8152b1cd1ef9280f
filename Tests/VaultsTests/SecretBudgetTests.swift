import HostSupport
import TestSupport
import Testing

@testable import Records
@testable import Unlocking
@testable import Vault
@testable import Vaults

@Suite("What an owner may change, whatever others did")
struct SecretBudgetTests {
    private let family = "seven copper kettles sing"
    private let own = "grey pigeons under the bridge"
    private let day = Day()
    let host: TestHost

    init() throws {
        host = try TestHost { [day] in $0.today = { day.today } }
        host.configuration.limits.newSecrets = 16
    }

    /// Changes the password as often as that is possible.
    private func useUp(_ session: Session, _ password: String) async throws -> (last: String, count: Int) {
        var (last, count) = (password, 0)
        while count < 20 {
            let next = "grey pigeons number \(day.today) \(count) of mine"
            do {
                try await host.service().change(session, from: last, to: next)
            } catch VaultError.tooManyAttempts(_, of: .ways) {
                break
            }
            (last, count) = (next, count + 1)
        }
        return (last, count)
    }

    @Test("after a restart a vault whose owner changes all it can takes nothing from another vault, nor from new ones")
    func strangers() async throws {
        var service = try await host.start()
        try await service.make(family)
        try await service.make(own)
        service = try await host.restart()
        #expect(try await useUp(try await service.open(own), own).count == 4)
        let session: Session = try await service.open(family)
        try await service.change(session, from: family, to: "eight copper kettles sing")
        _ = try await service.addCode(session, current: "eight copper kettles sing")
        #expect(
            try await service.rotateKey(session, password: password("eight copper kettles sing"), client: .here))
        // Two sisters on the evening after a restart.
        try await service.make("the first sister's vault")
        try await service.make("the second sister's vault")
        try await host.stop()
    }

    @Test("what a vault has used up stays so over kills, and one more comes with each day")
    func kills() async throws {
        var service = try await host.start()
        try await service.make(own)
        var (last, made) = (own, 0)
        for _ in 0..<3 {
            let session: Session = try await service.open(last)
            let used = try await useUp(session, last)
            (last, made) = (used.last, made + used.count)
            service = try await host.restart()
        }
        #expect(made == 4)
        for _ in 0..<2 {
            day.advance()
            let used = try await useUp(try await service.open(last), last)
            #expect(used.count == 1)
            last = used.last
        }
        try await host.stop()
    }

    @Test("starts give new vaults by the day, and not by their number")
    func starts() async throws {
        var service = try await host.start()
        try await service.make(family)
        var made = 0
        for start in 0..<6 {
            if start == 4 { day.advance() }
            service = try await host.restart()
            for number in 0..<3 {
                do {
                    try await service.make("violet tram \(start) \(number) goes by")
                    made += 1
                } catch VaultError.tooManyAttempts(_, of: .newVaults) {}
            }
        }
        // Two by the first start after the store's own, and one for the day that went by.
        #expect(made == 3)
        try await host.stop()
    }

    @Test("another key costs nothing, nor does the password that there is, nor a passkey that opens the vault already")
    func free() async throws {
        let service = try await host.start()
        let session = try await service.make(own)
        try await service.addPasskey(session, 1, current: own)
        let (last, count) = try await useUp(session, own)
        #expect(count == 3)
        try await service.change(session, from: last, to: last)
        #expect(try await service.addPasskey(session, 1, current: last).isNew == false)
        #expect(try await service.rotateKey(session, password: password(last), client: .here))
        #expect(try await service.rotateKey(session, password: password(last), client: .here))
        // The keeper of the host lifts it, once for each time.
        service.beginCountsAnew()
        let (lifted, again) = try await useUp(session, last)
        #expect(again == 4)
        service.beginCountsAnew()
        #expect(try await useUp(session, lifted).count == 4)
        try await host.stop()
    }

    @Test("who may change nothing more is not told which passwords other vaults have")
    func asking() async throws {
        let service = try await host.start()
        try await service.make(family)
        let session = try await service.make(own)
        let (last, _) = try await useUp(session, own)
        let refusal = VaultError.tooManyAttempts(retryAfter: .seconds(86_400), of: .ways)
        // However often it is asked, and the throttle has nothing to do with it.
        for _ in 0..<10 {
            await #expect(throws: refusal) { try await service.change(session, from: last, to: family) }
            await #expect(throws: refusal) { try await service.addPassword(session, family, current: last) }
        }
        #expect(try await service.opens(family))
        try await host.stop()
    }

    @Test("a passkey that would be taken from another vault stays there where no more may be made")
    func rebinding() async throws {
        let service = try await host.start()
        let other = try await service.make(family)
        try await service.addPasskey(other, 1, current: family)
        let session = try await service.make(own)
        let (last, _) = try await useUp(session, own)
        await #expect(throws: VaultError.tooManyAttempts(retryAfter: .seconds(86_400), of: .ways)) {
            try await service.addPasskey(session, 1, current: last, rebinds: true)
        }
        #expect(try service.ways(of: other).count == 2)
        try await host.stop()
    }
}
