import Foundation
import HostSupport
import Testing

@testable import Records
@testable import Vaults

@Suite("Where a vault is open")
struct OpenSessionTests {
    private let text = "violet tram seven"
    private let phone = DeviceKind(system: .iPhone, browser: .safari)
    private let laptop = DeviceKind(system: .linux, browser: .firefox)
    let host: TestHost

    init() throws { host = try TestHost() }

    private func open(_ service: VaultService, on device: DeviceKind, keep: Bool = false) async throws -> Opening {
        try await service.open(
            password: password(text), client: .here, options: OpeningOptions(keep: keep, device: device))
    }

    @Test("is told with moment and kind of device, the newest first, of this vault and no other")
    func list() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        let stranger = try await service.make("seven violet trams")
        let before = Date.now.addingTimeInterval(-1)
        let one = try await open(service, on: phone, keep: true)
        let two = try await open(service, on: laptop)
        _ = try await service.authenticate(password: password(text), client: .here)
        let listed = try service.openSessions(of: two.session)
        #expect(Set(listed.map(\.device)) == [phone, laptop, nil])
        #expect(listed.map(\.openedAt) == listed.map(\.openedAt).sorted(by: >))
        #expect(listed.allSatisfy { $0.openedAt > before && $0.openedAt <= .now })
        #expect(listed.filter(\.isCurrent).map(\.device) == [laptop])
        #expect(listed.filter { $0.end != nil }.map(\.device) == [phone])
        #expect(try service.openSessions(of: one.session).filter(\.isCurrent).map(\.device) == [phone])
        #expect(try service.openSessions(of: stranger).count == 1)
        try await host.stop()
    }

    @Test("a kept session is told while nobody uses it, after a restart too")
    func sleeping() async throws {
        var service = try await host.start()
        try await service.lock(try await service.make(text))
        let kept = try await open(service, on: phone, keep: true)
        let openedAt = try service.openSessions(of: kept.session)[0].openedAt
        service = try await host.restart()
        let asking = try await open(service, on: laptop)
        let listed = try service.openSessions(of: asking.session).filter { !$0.isCurrent }
        #expect(listed.map(\.device) == [phone] && listed.map(\.openedAt) == [openedAt])
        #expect(listed.first?.end == kept.session.end)
        // Used again, it is still one.
        _ = try #require(try await service.session(token: kept.token))
        #expect(try service.openSessions(of: asking.session).filter { !$0.isCurrent } == listed)
        try await host.stop()
    }

    @Test("each can be ended from any other, asleep or awake, and its cookie opens nothing after a restart")
    func ending() async throws {
        var service = try await host.start()
        try await service.lock(try await service.make(text))
        let (awake, asleep) = (
            try await open(service, on: phone, keep: true), try await open(service, on: phone, keep: true)
        )
        let (plain, asking) = (try await open(service, on: phone), try await open(service, on: laptop))
        await service.sessions.end(asleep.session)
        let others = try service.openSessions(of: asking.session).filter { !$0.isCurrent }
        #expect(others.count == 3)
        for other in others { try await service.end(other.id, of: asking.session) }
        for opening in [awake, asleep, plain] {
            #expect(opening.session.isEnded)
            #expect(try await service.session(token: opening.token) == nil)
        }
        #expect(try service.openSessions(of: asking.session).map(\.isCurrent) == [true])
        service = try await host.restart()
        for opening in [awake, asleep] { #expect(try await service.session(token: opening.token) == nil) }
        try await host.stop()
    }

    @Test("what one session calls another means nothing to a third, nor to another vault, nor what a photo is called")
    func foreignNames() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        let (one, two) = (try await open(service, on: phone), try await open(service, on: laptop))
        let photo = try await one.session.upload([1])
        let stranger = try await service.make("seven violet trams")
        let listed = try service.openSessions(of: one.session)
        for (id, session) in [(listed[0].id, two.session), (listed[0].id, stranger), (photo.id, one.session)] {
            await #expect(throws: VaultError.noSuchSession) { try await service.end(id, of: session) }
        }
        #expect(!one.session.isEnded && !two.session.isEnded)
        try await host.stop()
    }

    @Test("of a guest's space nothing of the kind is told")
    func guests() async throws {
        let service = try await host.start()
        let guest = try await service.beginGuest(client: .here).session
        #expect(throws: VaultError.vaultNeeded) { try service.openSessions(of: guest) }
        try await host.stop()
    }
}
