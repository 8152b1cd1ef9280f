import HostSupport
import Media
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Sealing
@testable import Store
@testable import Unlocking
@testable import Vault
@testable import Vaults

/// What an owner takes back of a window, and when its days are over.
@Suite("Windows that end, or show less")
struct WindowEndingTests {
    private let text = "violet tram seven"
    let host: TestHost
    private let day = Day()

    init() throws {
        host = try TestHost { [day] in
            $0.today = { day.today }
            $0.limits.windowPause = .zero
        }
    }

    private func owner(_ contents: [UInt8]...) async throws -> Session {
        let session = try await host.start().make(text)
        for (index, content) in contents.enumerated() { try await session.upload(content, name: "\(index).jpg") }
        return session
    }

    private func make(_ session: Session, _ adjust: (inout WindowChange) -> Void = { _ in }) async throws -> Window {
        var wanted = WindowChange()
        wanted.name = "Rome"
        wanted.lastDay = day.today + 30
        wanted.photos = try await session.photos.page(cursor: nil).photos.map(\.id)
        (wanted.hasOriginals, wanted.showsPlaces) = (true, true)
        adjust(&wanted)
        return try await host.service().makeWindow(wanted, of: session, client: .here)
    }

    private func change(_ window: Window, _ session: Session, _ adjust: (inout WindowChange) -> Void) async throws {
        var wanted = WindowChange()
        adjust(&wanted)
        _ = try await host.service().changeWindow(window.record.id.text, wanted, of: session, client: .here)
    }

    private func enter(
        _ window: Window, _ typed: String? = nil, cookie: ViewerCookie? = nil, visit: [UInt8]? = nil,
        by client: Client = .stranger
    ) async throws -> (session: Session, cookie: ViewerCookie) {
        try await host.service().enterWindow(
            code(of: window), password: try typed.map { try password($0) }, cookie: cookie, visit: visit, client: client
        )
    }

    private func code(of window: Window) throws -> WindowCode {
        try #require(Array(window.code.utf8).withUnsafeBytes { WindowCode(typed: $0) })
    }

    private func token(of window: Window, _ session: Session) throws -> WindowToken {
        let secret = try session.requireVault().secret(of: window.record.id)
        return try WindowToken(try WindowSecret.token(of: secret.bytes))
    }

    // MARK: Passwords

    @Test("let nobody in by a password that was replaced while it was being checked")
    func replacedPassword() async throws {
        let owner = try await owner(photoBytes(1))
        let service = try host.service()
        let window = try await make(owner) { $0.password = try? password("nine amber kettles") }
        await service.windowOpening.acquire()
        let code = try code(of: window)
        let late = Task {
            try await service.enterWindow(
                code, password: try password("nine amber kettles"), cookie: nil, client: .stranger)
        }
        while service.windowOpening.waitingCount == 0 { await Task.yield() }
        try await change(window, owner) { $0.password = try? password("seven quiet otters") }
        // Others look by the new one already.
        let (vault, token) = (try owner.requireVault(), try token(of: window, owner))
        let record = try vault.window(window.record.id)
        let listKey = try WindowSecret.listKey(
            of: vault.secret(of: record.id).bytes, generation: record.generation)
        let present = try WindowView.open(
            token, try await vault.store.ledger.notice(ofWindow: token), listKey: SharedSecret(listKey),
            engine: service.engine)
        service.engine.windows.remember(present)
        service.windowOpening.release()
        await #expect(throws: VaultError.windowPassword(isWrong: true)) { try await late.value }
        #expect(try await enter(window, "seven quiet otters").session.openVault === present)
        try await host.stop()
    }

    @Test("keep nobody in who came by a password that was replaced")
    func formerPassword() async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner) { $0.password = try? password("nine amber kettles") }
        let (former, cookie) = try await enter(window, "nine amber kettles")
        try await change(window, owner) { $0.password = try? password("seven quiet otters") }
        // At once, before anything else happens.
        #expect(try await host.service().viewer(cookie, isUse: true) == nil)
        let (next, _) = try await enter(window, "seven quiet otters")
        while !former.isEnded { await Task.yield() }
        #expect(!next.isEnded)
        try await host.stop()
    }

    // MARK: Downloads

    enum Taking: CaseIterable {
        case shut, close, originals, places, trash, erase, selection, lastDay
    }

    @Test("send no further piece of a download once its owner has taken it back", arguments: Taking.allCases)
    func download(_ taking: Taking) async throws {
        let owner = try await owner(sampleBytes(2 << 20), photoBytes(1))
        let window = try await make(owner) { $0.lastDay = day.today }
        let (session, _) = try await enter(window)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first { $0.name == "0.jpg" })
        var pieces = try await session.photos.original(photo.id).pieces(0..<photo.byteCount)
        #expect(try await pieces.next() != nil)
        let ids = try await owner.photos.page(cursor: nil).photos
        let own = try #require(ids.first { $0.name == "0.jpg" })
        let other = try #require(ids.first { $0.name == "1.jpg" })
        switch taking {
        case .shut: try await change(window, owner) { $0.isShut = true }
        case .close: try await host.service().closeWindow(window.record.id.text, of: owner)
        case .originals: try await change(window, owner) { $0.hasOriginals = false }
        case .places: try await change(window, owner) { $0.showsPlaces = false }
        case .trash: _ = try await owner.trash.move([own.id])
        case .erase:
            _ = try await owner.trash.move([own.id])
            _ = try await owner.trash.empty()
        case .selection: try await change(window, owner) { $0.photos = [other.id] }
        case .lastDay: day.advance()
        }
        // One piece is read ahead: that is not sent, either.
        var error: VaultError?
        do { _ = try await pieces.next() } catch let failure { error = VaultError(failure) }
        let expected: VaultError =
            switch taking {
            case .shut, .close: .sessionEnded
            case .originals, .places: .windowLooksOnly
            case .trash, .erase, .selection: .noSuchPhoto
            case .lastDay: .windowOver(name: "Rome")
            }
        #expect(error == expected)
        try await host.stop()
    }

    // MARK: Keys

    @Test("keep no key while they are shut, and know who was counted when they open again")
    func shut() async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner) { $0.mostVisitors = 1 }
        let (session, cookie) = try await enter(window)
        weak let vault = try session.requireVault()
        try await change(window, owner) { $0.isShut = true }
        while vault != nil { await Task.yield() }
        #expect(session.isEnded)
        #expect(try await host.service().viewer(cookie, isUse: true) == nil)
        await #expect(throws: VaultError.windowShut(name: "Rome")) { try await enter(window, cookie: cookie) }
        try await change(window, owner) { $0.isShut = false }
        #expect(try await !enter(window, cookie: cookie).session.isEnded)
        try await host.stop()
    }

    @Test("keep no key once their last day is over, whoever asks on", arguments: [false, true])
    func over(isByDailyWork: Bool) async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner) { $0.lastDay = day.today }
        let (one, cookie) = try await enter(window)
        let (other, _) = try await enter(window)
        weak let vault = try one.requireVault()
        day.advance()
        if isByDailyWork {
            await (try host.service()).runDailyWork()
        } else {
            await #expect(throws: VaultError.windowOver(name: "Rome")) {
                try await host.service().viewer(cookie, isUse: true)
            }
        }
        #expect(one.isEnded && other.isEnded && vault == nil)
        try await host.stop()
    }

    // MARK: Damage

    @Test("show less and are closed where the row of one is damaged, and no photo stays for it")
    func damagedRow() async throws {
        let owner = try await owner(photoBytes(1), photoBytes(2))
        let (damaged, other) = (try await make(owner), try await make(owner))
        let vault = try owner.requireVault()
        let entry = try #require(vault.draft.windows[damaged.record.id])
        let (row, home) = (try vault.rowID(.item(entry.rowNumber)), vault.home)
        try await vault.store.ledger.commit(LedgerChange { transaction, _ in try transaction.deleteRow(row, in: home) })
        #expect(try await host.service().windows(of: owner).count == 2)
        let (first, looker) = (try await owner.photos.page(cursor: nil).photos[0], try await enter(damaged).session)
        _ = try await owner.trash.move([first.id])
        for seen in [looker, try await enter(damaged).session, try await enter(other).session] {
            #expect(try await seen.photos.page(cursor: nil).photos.count == 1)
        }
        for window in [damaged, other] {
            try await host.service().closeWindow(window.record.id.text, of: owner)
            await #expect(throws: VaultError.noSuchWindow) { try await enter(window) }
        }
        #expect(try await host.service().windows(of: owner).isEmpty)
        try await host.stop()
    }

    // MARK: Days and tickets

    @Test("stay over when the clock goes back, and know who was counted whatever it says")
    func clocks() async throws {
        let owner = try await owner(photoBytes(1))
        let over = try await make(owner) { $0.lastDay = day.today }
        let open = try await make(owner) { $0.mostVisitors = 1 }
        day.advance()
        await (try host.service()).runDailyWork()
        day.advance(by: -3)
        await #expect(throws: VaultError.windowOver(name: "Rome")) { try await enter(over) }
        let expired = try await host.service().windows(of: owner).filter { $0.state == .expired }
        #expect(expired.map(\.record.id) == [over.record.id])
        // Counted by a clock that is ahead, which nobody trusts yet.
        day.advance(by: 20)
        let (_, cookie) = try await enter(open)
        day.advance(by: -20)
        _ = try await enter(open, cookie: cookie)
        await #expect(throws: VaultError.windowFull) { try await enter(open) }
        try await host.stop()
    }

    @Test("count a visit once whose answers are lost, and each other one")
    func lostAnswer() async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner) { $0.mostVisitors = 1 }
        let (one, other) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        for _ in 0..<3 { _ = try await enter(window, visit: one) }
        await #expect(throws: VaultError.windowFull) { try await enter(window, visit: other) }
        await #expect(throws: VaultError.windowFull) { try await enter(window) }
        // Of another window this says nothing.
        let next = try await make(owner) { $0.mostVisitors = 1 }
        _ = try await enter(next, visit: other)
        await #expect(throws: VaultError.windowFull) { try await enter(next, visit: one) }
        let seen = try await host.service().windows(of: owner).map(\.visitorCount)
        #expect(seen == [1, 1])
        day.advance()
        await #expect(throws: VaultError.windowFull) { try await enter(window, visit: one) }
        try await host.stop()
    }

    @Test("let no address come anew without end, and go on for everybody else")
    func endlessVisits() async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner)
        let (_, known) = try await enter(window)
        for _ in 1..<VisitRateLimit.mostPerDoor { _ = try await enter(window) }
        await #expect {
            try await enter(window)
        } throws: { error in
            guard case .tooManyAttempts(_, of: .visits) = VaultError(error) else { return false }
            return true
        }
        _ = try await enter(window, cookie: known)
        _ = try await enter(window, by: Client(address: .ip(.ipv4(192, 168, 1, 67))))
        let seen = try await host.service().windows(of: owner).map(\.visitorCount)
        #expect(seen == [UInt32(VisitRateLimit.mostPerDoor) + 1])
        try await host.stop()
    }

    @Test("count everybody who makes a ticket from the link")
    func forgedTicket() async throws {
        let owner = try await owner(photoBytes(1))
        let window = try await make(owner) { $0.mostVisitors = 1 }
        _ = try await enter(window)
        let token = try token(of: window, owner)
        for name in ["visitor", "notice", "key"] {
            let key = try HKDFSHA512.expand(token.bytes, info: Array("safelight/v1/window \(name)".utf8), count: 32)
            let cookie = try ViewerCookie(tickets: [WindowSecret.ticket(under: key, on: day.today)])
            await #expect(throws: VaultError.windowFull) { try await enter(window, cookie: cookie) }
        }
        try await host.stop()
    }
}
