import Foundation
import HostSupport
import Sealing
import Store
import Testing

@testable import Records
@testable import Vaults

@Suite("A session that stays")
struct KeptSessionTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func started() async throws -> VaultService {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        return service
    }

    @Test("opens the vault again by its token, after idleness and after a restart, with the same ids")
    func life() async throws {
        var service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        let photo = try await kept.session.upload([1, 2, 3])
        #expect(kept.session.isKept && kept.session.end != nil)
        await service.sessions.end(kept.session)
        let idle = try #require(try await service.session(token: kept.token))
        #expect(try await idle.content(photo.id) == [1, 2, 3])
        service = try await host.restart()
        let again = try #require(try await service.session(token: kept.token))
        #expect(try await again.content(photo.id) == [1, 2, 3])
        #expect(again.damage == nil && again.isKept)
        try await again.upload([4])
        #expect(try await service.open(text).names().count == 2)
        try await host.stop()
    }

    @Test("is made only when asked for")
    func notAsked() async throws {
        let service = try await started()
        let before = try service.sessionRows()
        let opening: Opening = try await service.open(text)
        #expect(!opening.session.isKept && opening.session.end == nil)
        #expect(try service.sessionRows() == before)
        #expect(try await (try await host.restart()).session(token: opening.token) == nil)
        try await host.stop()
    }

    @Test("locked, it is dead, and others are not")
    func locked() async throws {
        var service = try await started()
        let (one, two): (Opening, Opening) = (
            try await service.open(text, keep: true), try await service.open(text, keep: true)
        )
        let rows = try service.sessionRows()
        try await service.lock(one.session)
        #expect(try service.sessionRows() == rows - 1)
        service = try await host.restart()
        #expect(try await service.session(token: one.token) == nil)
        #expect(try await service.session(token: two.token) != nil)
        try await host.stop()
    }

    enum Ending: CaseIterable {
        case lockEverywhere, changePassword, erase
    }

    @Test("lock everywhere, a change of password and an erase end it, after a restart too", arguments: Ending.allCases)
    func ended(_ ending: Ending) async throws {
        var service = try await started()
        let before = try service.sessionRows()
        let kept: Opening = try await service.open(text, keep: true)
        let other: Session = try await service.open(text)
        await service.sessions.end(kept.session)
        switch ending {
        case .lockEverywhere: try await service.lockEverywhere(other)
        case .changePassword: try await service.change(other, from: text, to: "seven violet trams")
        case .erase: try await service.erase(other, password: password(text), client: .here)
        }
        #expect(try await service.session(token: kept.token) == nil)
        #expect(try service.sessionRows() == before)
        service = try await host.restart()
        #expect(try await service.session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("a change to the same password ends it too")
    func samePassword() async throws {
        let service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        let session: Session = try await service.open(text)
        try await service.change(session, from: text, to: text)
        #expect(try await service.session(token: kept.token) == nil)
        #expect(try await (try await host.restart()).session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("under a clock that was wrong it lasts no longer, and no shorter, than thirty days", arguments: [-400, 5000])
    func wrongClock(days: Int) async throws {
        let day = Day()
        host.configuration.today = { day.today }
        _ = try await started()
        try await host.stop()
        day.advance(by: days)
        let kept: Opening = try await (try await host.start()).open(text, keep: true)
        try await host.stop()
        day.advance(by: -days)
        let session = try await (try await host.start()).session(token: kept.token)
        // Begun in the future, it would stay until then.
        #expect((session != nil) == (days < 0))
        try await host.stop()
    }

    @Test("whoever changes the password from it stays")
    func own() async throws {
        var service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        try await service.change(kept.session, from: text, to: "seven violet trams")
        service = try await host.restart()
        #expect(try await service.session(token: kept.token) != nil)
        try await host.stop()
    }

    @Test("one whose row somebody puts back after it was locked stays dead")
    func putBack() async throws {
        let service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        let id = try #require(SessionToken(text: kept.token)).id()
        let row = try #require(try await service.store.ledger.read { try $0.session(id) })
        try await service.lockEverywhere(kept.session)
        try await service.tamper { try $0.putSession(id, body: row, expiresDay: .max) }
        #expect(try await service.session(token: kept.token) == nil)
        #expect(try await (try await host.restart()).session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("a vault that was set back is for its password to open")
    func setBack() async throws {
        let service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        let first = try kept.session.rowID(.item(0))
        let old = try #require(try await service.row(first))
        while try await service.row(first) == old { try await kept.session.upload([1]) }
        try await service.tamper { try $0.putRow(first, old) }
        let next = try await host.restart()
        #expect(try await next.session(token: kept.token) == nil)
        let opened: Session = try await next.open(text)
        #expect(opened.damage?.isSetBack == true)
        // What it lists may have been revoked, so accepting the loss does not bring it back.
        try await next.acceptLoss(opened)
        #expect(try await next.session(token: kept.token) == nil)
        #expect(try await (try await host.restart()).session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("when a copy takes the ledger's place it is dead, and a guest is not")
    func recovered() async throws {
        var service = try await started()
        let kept: Opening = try await service.open(text, keep: true)
        let guest = try await service.guest()
        try await guest.session.upload([1, 2, 3], name: "a")
        try service.store.ledger.renewCopies()
        try await host.stop()
        try FileManager.default.removeItem(at: host.file("ledger.sqlite"))
        service = try await host.start()
        #expect(try await service.session(token: kept.token) == nil)
        let again = try #require(try await service.session(token: guest.token, .guest))
        #expect(try await again.names() == ["a"])
        let next: Opening = try await service.open(text, keep: true)
        service = try await host.restart()
        #expect(try await service.session(token: next.token) != nil)
        #expect(try await service.session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("of one vault there are 64 at most; the oldest gives way")
    func bounded() async throws {
        let service = try await started()
        let before = try service.sessionRows()
        var tokens: [String] = []
        for _ in 0..<66 {
            let opening: Opening = try await service.open(text, keep: true)
            tokens.append(opening.token)
        }
        #expect(try service.sessionRows() == before + 64)
        let next = try await host.restart()
        #expect(try await next.session(token: tokens[0]) == nil)
        #expect(try await next.session(token: tokens[1]) == nil)
        #expect(try await next.session(token: tokens[2]) != nil)
        #expect(try await next.session(token: tokens[65]) != nil)
        try await host.stop()
    }
}
