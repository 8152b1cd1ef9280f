import Foundation
import HostSupport
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Unlocking
@testable import Vaults

@Suite("Ways into a vault")
struct WayTests {
    private let first = "violet tram seven"
    private let second = "quiet amber lamp"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session {
        let session = try await host.start().make(first)
        try await session.upload([1, 2, 3], name: "one")
        return session
    }

    private func expectWhole(_ session: Session) async throws {
        #expect(session.damage == nil)
        let photo = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(try await session.content(photo.id) == [1, 2, 3])
    }

    // MARK: Opening

    @Test("a second password opens the same vault, over a restart too, and the list says who came how")
    func furtherPassword() async throws {
        let session = try await session()
        var service = try host.service()
        try await service.addPassword(session, second, current: first, label: "Grandma")
        #expect(try await service.standing(second) == 12)
        service = try await host.restart()
        let by = try await service.open(second)
        try await expectWhole(by)
        let ways = try service.ways(of: by)
        #expect(ways.map(\.label) == ["", "Grandma"] && ways.map(\.isCurrent) == [false, true])
        #expect(ways.map(\.kind) == [.password, .password])
        let other = try await service.open(first)
        #expect(other.vaultUID == by.vaultUID)
        #expect(try service.ways(of: other).map(\.isCurrent) == [true, false])
        try await host.stop()
    }

    @Test("a recovery code opens it, where a password is asked for too, and with it a new password is set")
    func recovery() async throws {
        let session = try await session()
        var service = try host.service()
        let code = try await service.addCode(session, current: first).code
        service = try await host.restart()
        let typed = try #require(Array(code.utf8).withUnsafeBytes { RecoveryCode(typed: $0) })
        try await expectWhole(try await service.open(secret: .recovery(typed), client: .here).session)
        let by = try await service.open(code.lowercased().replacing("-", with: " "))
        try await expectWhole(by)
        try await service.change(by, from: code, to: "seven violet trams")
        #expect(try await !service.opens(first))
        #expect(try await service.opens(code))
        #expect(try await service.opens("seven violet trams"))
        #expect(try service.ways(of: by).map(\.kind) == [.password, .recovery])
        try await host.stop()
    }

    @Test("a vault may be made with a recovery code")
    func born() async throws {
        let service = try await host.start()
        let opening = try await service.create(
            password: password(first), confirmation: password(first), code: nil, client: .here,
            makesRecoveryCode: true)
        let code = try #require(opening.recoveryCode)
        #expect(try service.ways(of: opening.session).map(\.kind) == [.password, .recovery])
        let next = try await host.restart()
        #expect(try await next.open(code).vaultUID == opening.session.vaultUID)
        #expect(try await next.open(first).vaultUID == opening.session.vaultUID)
        try await host.stop()
    }

    @Test("a passkey's secret opens it, another one nothing")
    func passkey() async throws {
        let session = try await session()
        var service = try host.service()
        #expect(try await service.addPasskey(session, 7, current: first).isNew)
        #expect(try await !service.addPasskey(session, 7, current: first).isNew)
        service = try await host.restart()
        let opening = try await service.open(passkey: 7)
        try await expectWhole(opening.session)
        #expect(try service.ways(of: opening.session).map(\.isCurrent) == [false, true])
        #expect(try await !service.opens(passkey: 8))
        try await host.stop()
    }

    // MARK: Programs

    @Test("a program's code opens it for requests that carry it, over a restart too, and proves nothing")
    func app() async throws {
        let session = try await session()
        var service = try host.service()
        let made = try await service.addAppCode(
            session, current: password(first), label: "Mia's phone", client: .here)
        #expect((made.way.kind, made.way.label) == (.app, "Mia's phone"))
        service = try await host.restart()
        let code = made.code
        let by = try await service.authenticate(password: password(code), client: .stranger)
        #expect(by.isApp)
        try await expectWhole(by)
        try await by.upload([4], name: "two")
        // Neither a session of its own nor a word about the vault's other ways.
        await #expect(throws: VaultError.onlyForApps) { try await service.open(code) }
        let own = try await service.open(first)
        #expect(!own.isApp)
        await #expect(throws: VaultError.onlyForApps) { try await service.change(own, from: code, to: second) }
        await #expect(throws: VaultError.onlyForApps) { try await service.addPassword(own, second, current: code) }
        await #expect(throws: VaultError.onlyForApps) {
            _ = try await service.rotateKey(own, password: password(code), client: .here)
        }
        await #expect(throws: VaultError.onlyForApps) {
            try await service.erase(own, password: password(code), client: .here)
        }
        try await service.remove(made.way, own, current: first)
        #expect(by.isEnded)
        await #expect(throws: VaultError.noSuchVault) {
            _ = try await service.authenticate(password: password(code), client: .stranger)
        }
        try await host.stop()
    }

    @Test("a program knows photos by the same names each time, and asks for what came since")
    func lastingNames() async throws {
        let session = try await session()
        var service = try host.service()
        let typed = try password(first)
        func seen(_ client: Client, since: String? = nil) async throws -> [String] {
            let by = try await service.authenticate(password: typed, client: client)
            return try await by.photos.page(cursor: nil, since: since).photos.map(\.id)
        }
        let ids = try await seen(.stranger)
        #expect(ids.count == 1)
        #expect(try await seen(.stranger, since: ids[0]).isEmpty)
        // Those of a browser are its own.
        #expect(try await session.photos.page(cursor: nil).photos.map(\.id) != ids)
        service = try await host.restart()
        #expect(try await seen(.here) == ids)
        let open = try await service.open(first)
        for number in 0..<3 { try await open.upload([4, UInt8(number)], name: "\(number)") }
        let all = try await seen(.here)
        #expect(all.last == ids[0])
        #expect(try await seen(.here, since: ids[0]) == Array(all.dropLast()))
        #expect(try await seen(.here, since: all[0]).isEmpty)
        // What is deleted meanwhile is a place all the same.
        let newest = try #require(try await open.photos.page(cursor: nil).photos.first?.id)
        #expect(try await open.trash.move([newest]) == 1)
        #expect(try await open.trash.delete([newest]).count == 1)
        #expect(try await seen(.here, since: all[0]).isEmpty)
        #expect(try await seen(.here, since: all[1]).isEmpty)
        await #expect(throws: VaultError.invalidCursor) { _ = try await seen(.here, since: newest) }
        try await host.stop()
    }

    // MARK: Adding

    @Test("whoever adds or removes one types a secret of the vault")
    func proof() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.make("somebody else's own")
        for wrong in ["not it at all", "somebody else's own"] {
            await #expect(throws: VaultError.noSuchVault) {
                try await service.addPassword(session, second, current: wrong)
            }
        }
        // Five wrong ones are free.
        await #expect(throws: VaultError.noSuchVault) { _ = try await service.addCode(session, current: second) }
        await #expect(throws: VaultError.noSuchVault) { try await service.addPasskey(session, 1, current: second) }
        let way = try await service.addPassword(session, second, current: first)
        await #expect(throws: VaultError.noSuchVault) { try await service.remove(way, session, current: "wrong it is") }
        #expect(try service.ways(of: session).count == 2)
        #expect(try await service.opens(second))
        try await host.stop()
    }

    @Test("a taken password is refused, of whichever vault and way")
    func taken() async throws {
        let session = try await session()
        let service = try host.service()
        let other = try await service.make("somebody else's own")
        try await service.addPassword(other, "their second one", current: "somebody else's own")
        try await service.addPassword(session, second, current: first)
        for text in [second, "somebody else's own", "their second one"] {
            await #expect(throws: VaultError.passwordTaken) {
                try await service.addPassword(session, text, current: first)
            }
        }
        await #expect(throws: VaultError.passwordTaken) { try await service.make(second) }
        await #expect(throws: VaultError.passwordTaken) { try await service.change(session, from: first, to: second) }
        await #expect(throws: VaultError.passwordTooShort) {
            try await service.addPassword(session, "short", current: first)
        }
        try await host.stop()
    }

    @Test("there are sixteen at most, and a label has forty characters")
    func limits() async throws {
        let session = try await session()
        let service = try host.service()
        for number in 0..<15 {
            try await service.addPassword(
                session, "\(second) \(number)", current: first, label: String(repeating: "写", count: 40))
        }
        await #expect(throws: VaultError.tooManyWays) { try await service.addPasskey(session, 1, current: first) }
        await #expect(throws: VaultError.labelTooLong) {
            try await service.addPassword(session, second, current: first, label: String(repeating: "a", count: 41))
        }
        #expect(try await host.restart().opens("\(second) 14"))
        try await host.stop()
    }

    @Test("one recovery code at a time: another takes its place only when asked to")
    func replacing() async throws {
        let session = try await session()
        let service = try host.service()
        let old = try await service.addCode(session, current: first).code
        await #expect(throws: VaultError.recoveryExists) { _ = try await service.addCode(session, current: first) }
        await #expect(throws: VaultError.wayInUse) {
            _ = try await service.addCode(session, current: old, replaces: true)
        }
        #expect(try await service.opens(old))
        let new = try await service.addCode(session, current: first, replaces: true).code
        #expect(try await !service.opens(old))
        #expect(try await service.opens(new))
        #expect(try service.ways(of: session).count == 2)
        try await host.stop()
    }

    @Test("cut off before any slot, it opens nothing and the next opening forgets it")
    func beforeSlots() async throws {
        let session = try await session()
        let service = try host.service()
        try await begin(session, service, slots: 0)
        #expect(try service.ways(of: session).count == 2)
        let next = try await host.restart()
        #expect(try await !next.opens(second))
        #expect(try next.ways(of: try await next.open(first)).count == 1)
        try await host.stop()
    }

    @Test("one that was cut off before any slot does not count as another password")
    func ghostPassword() async throws {
        let session = try await session()
        let service = try host.service()
        try await begin(session, service, slots: 0)
        let one = try #require(try service.ways(of: session).first)
        await #expect(throws: VaultError.lastPassword) { try await service.remove(one, session, current: first) }
        let mine: Opening = try await service.open(first, keep: true)
        let next = try await host.restart()
        let by = try #require(try await next.session(token: mine.token))
        #expect(try next.ways(of: by).count == 1)
        #expect(try await next.opens(first))
        try await host.stop()
    }

    @Test("nobody makes a vault whose password is the recovery code of another")
    func codeAsPassword() async throws {
        let session = try await session()
        let service = try host.service()
        let code = try await service.addCode(session, current: first).code
        await #expect(throws: VaultError.passwordTaken) { try await service.make(code) }
        #expect(try await service.open(code).vaultUID == session.vaultUID)
        try await host.stop()
    }

    @Test("what opens a vault is changed a few times a day at most, from this host too, unless its owner lifts that")
    func changeLimit() async throws {
        host.configuration.limits.newSecrets = 16
        let session = try await session()
        let service = try host.service()
        var last = first
        for number in 0..<4 {
            let next = "\(second) \(number)"
            try await service.changePassword(
                session, current: password(last), new: password(next), confirmation: password(next), client: .stranger)
            last = next
        }
        let refused = await #expect(throws: VaultError.self) {
            _ = try await service.addPassword(
                session, current: password(last), new: password(second), confirmation: password(second), label: "",
                client: .stranger)
        }
        #expect(refused?.code == "too-many-attempts")
        await #expect(throws: VaultError.self) { try await service.addPassword(session, second, current: last) }
        service.beginCountsAnew()
        try await service.addPassword(session, second, current: last)
        try await host.stop()
    }

    @Test("cut off after some slots, it opens, and opening writes them all", arguments: [1, 4, 12])
    func betweenSlots(count: Int) async throws {
        let session = try await session()
        try await begin(session, try host.service(), slots: count)
        let next = try await host.restart()
        try await expectWhole(try await next.open(second))
        #expect(try await next.standing(second) == 12)
        #expect(try next.ways(of: try await next.open(first)).count == 2)
        try await host.stop()
    }

    private func begin(_ session: Session, _ service: VaultService, slots: Int) async throws {
        let vault = try session.requireVault()
        let root = try await service.root(second)
        let (sealed, way) = try await service.registry.alone { keeper in
            let sealed = try keeper.seal(.password, try vault.duplicateVaultKey(), vault.uid, for: root)
            return (sealed, try keeper.record(.password, label: "", sealed))
        }
        try vault.changeBlocking { try $0.add(way) }
        try service.store.slots.write(Array(sealed.writes.prefix(slots)))
    }

    // MARK: Removing

    @Test("removed, it opens nothing, over a restart too, and its sessions end, kept ones too")
    func remove() async throws {
        let session = try await session()
        var service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        let kept: Opening = try await service.open(second, keep: true)
        let mine: Opening = try await service.open(first, keep: true)
        try await service.remove(way, session, current: first)
        #expect(kept.session.isEnded && !session.isEnded && !mine.session.isEnded)
        #expect(try await service.standing(second) == 0)
        service = try await host.restart()
        #expect(try await !service.opens(second))
        #expect(try await service.session(token: kept.token) == nil)
        #expect(try await service.session(token: mine.token) != nil)
        let again = try await service.open(first)
        try await expectWhole(again)
        try await service.addPassword(again, second, current: first)
        try await host.stop()
    }

    @Test("the first password may go when another one is there, the last one never")
    func firstPassword() async throws {
        let session = try await session()
        var service = try host.service()
        let one = try #require(try service.ways(of: session).first)
        let code = try await service.addCode(session, current: first).code
        await #expect(throws: VaultError.lastPassword) { try await service.remove(one, session, current: code) }
        let two = try await service.addPassword(session, second, current: first)
        try await service.remove(one, session, current: second)
        #expect(session.isEnded)
        service = try await host.restart()
        #expect(try await !service.opens(first))
        let by = try await service.open(second)
        try await expectWhole(by)
        await #expect(throws: VaultError.lastPassword) { try await service.remove(two, by, current: second) }
        // The code sets a first one again.
        try await service.change(by, from: code, to: "seven violet trams")
        #expect(try await service.opens("seven violet trams"))
        #expect(try await service.opens(second))
        await #expect(throws: VaultError.noSuchWay) {
            try await service.removeWay(by, "nothing", current: password(second), client: .here)
        }
        try await host.stop()
    }

    @Test("cut off after the transaction, the next start overwrites its slots, and until then they open nothing")
    func interruptedRemoval() async throws {
        let session = try await session()
        let service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        let id = try #require(WayID(text: way.id))
        let vault = try session.requireVault()
        let pairs = vault.slotSets(of: id).flatMap(\.pairs)
        try vault.changeBlocking { change in
            try change.removeWay(id)
            for pair in pairs { try change.transaction.addWipe(position: pair.position, hash: pair.hash) }
        }
        #expect(try await service.standing(second) == 12)
        #expect(try await !service.opens(second))
        let next = try await host.restart()
        #expect(try await next.standing(second) == 0)
        #expect(try await !next.opens(second))
        #expect(try await next.opens(first))
        try await host.stop()
    }

    @Test("slots that a stranger has taken since are left alone")
    func strangers() async throws {
        let session = try await session()
        let service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        let positions = try await service.positions(second)
        let stranger = sampleBytes(256)
        try service.store.slots.write([(position: positions[2], bytes: stranger)])
        try await service.remove(way, session, current: first)
        #expect(try service.store.slots.read(positions[2]) == stranger)
        #expect(try await service.standing(second) == 0)
        try await host.stop()
    }

    @Test(
        "with six or fewer replicas left it is healed, and can still be taken out without its secret",
        arguments: [6, 11])
    func healing(destroyed: Int) async throws {
        let session = try await session()
        let service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        try await service.destroy(second, replicas: 0..<destroyed)
        try await service.lock(try await service.open(second))
        #expect(try await service.standing(second) == 12)
        #expect(try session.requireVault().ways.first?.slotSets.count == 1)
        try await service.remove(way, session, current: first)
        #expect(try await service.standing(second) == 0)
        try await host.stop()
    }

    @Test("cut off while it is healed, old and new slots are both taken out")
    func interruptedHealing() async throws {
        let session = try await session()
        let service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        let id = try #require(WayID(text: way.id))
        let vault = try session.requireVault()
        let root = try await service.root(second)
        let sealed = try await service.registry.alone { keeper in
            try keeper.seal(.password, try vault.duplicateVaultKey(), vault.uid, for: root)
        }
        let new = try sealed.slotSet(.live)
        try vault.changeBlocking { change in try change.changeSlotSets(of: id) { $0.append(new) } }
        try service.store.slots.write(Array(sealed.writes.prefix(3)))
        try await service.remove(way, session, current: first)
        #expect(try await service.standing(second) == 0)
        try await host.stop()
    }

    @Test("a family member changes their own password, and nobody else's")
    func ownPassword() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.addPassword(session, second, current: first, label: "Grandma")
        let by = try await service.open(second)
        try await service.change(by, from: second, to: "lamp amber quiet")
        #expect(try await !service.opens(second))
        #expect(try await service.opens(first))
        #expect(try await service.opens("lamp amber quiet"))
        #expect(try service.ways(of: by).map(\.label) == ["", "Grandma"])
        try await host.stop()
    }

    @Test("an erase takes all of them")
    func erase() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.addPassword(session, second, current: first)
        let code = try await service.addCode(session, current: first).code
        try await service.addPasskey(session, 3, current: first)
        try await service.erase(session, password: password(second), client: .here)
        #expect(try await !service.opens(first))
        #expect(try await !service.opens(second))
        #expect(try await !service.opens(code))
        #expect(try await !service.opens(passkey: 3))
        #expect(try await service.standing(second) == 0)
        try await host.stop()
    }

    // MARK: Passkeys

    @Test("a passkey opens one vault: it moves to another only when asked to, and its old sessions end")
    func rebinding() async throws {
        let one = try await session()
        let service = try host.service()
        try await service.addPasskey(one, 7, current: first)
        let by = try await service.open(passkey: 7)
        let two = try await service.make("somebody else's own")
        await #expect(throws: VaultError.passkeyBound) {
            try await service.addPasskey(two, 7, current: "somebody else's own")
        }
        try await service.addPasskey(two, 7, current: "somebody else's own", rebinds: true)
        #expect(by.session.isEnded)
        #expect(try service.ways(of: one).count == 1)
        let next = try await host.restart()
        #expect(try await next.open(passkey: 7).session.vaultUID == two.vaultUID)
        try await host.stop()
    }

    @Test("cut off between two vaults it opens neither, and can be bound again")
    func interruptedRebinding() async throws {
        let one = try await session()
        let service = try host.service()
        let way = try await service.addPasskey(one, 7, current: first).way
        let id = try #require(WayID(text: way.id))
        try one.requireVault().changeBlocking { try $0.removeWay(id) }
        let next = try await host.restart()
        #expect(try await !next.opens(passkey: 7))
        let two = try await next.make("somebody else's own")
        #expect(try await next.addPasskey(two, 7, current: "somebody else's own").isNew)
        #expect(try await next.open(passkey: 7).session.vaultUID == two.vaultUID)
        try await host.stop()
    }

    // MARK: What is lost

    @Test("a password whose row was lost opens all the same, and is listed again")
    func unlisted() async throws {
        let session = try await session()
        let service = try host.service()
        let way = try await service.addPassword(session, second, current: first)
        let id = try #require(WayID(text: way.id))
        try session.requireVault().changeBlocking { try $0.removeWay(id) }
        #expect(try service.ways(of: session).count == 1)
        let next = try await host.restart()
        let by = try await next.open(second)
        #expect(try next.ways(of: by).map(\.isCurrent) == [false, true])
        try await host.stop()
    }

    @Test("when the head is lost every way opens what is left, and none is taken for the first password")
    func lostHead() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.addPassword(session, second, current: first)
        let code = try await service.addCode(session, current: first).code
        let head = try session.rowID(.head)
        try await service.tamper { try $0.deleteRow(head) }
        var next = try await host.restart()
        let by = try await next.open(code)
        #expect(by.damage?.isSetBack == true)
        try await next.acceptLoss(by)
        next = try await host.restart()
        for text in [second, code, first] { try await expectWhole(try await next.open(text)) }
        let ways = try next.ways(of: try await next.open(first))
        #expect(ways.count == 3 && ways.count { $0.kind == .password } == 2)
        try await host.stop()
    }

    @Test("when a passkey has left its vault and cannot come into the other, its sessions end all the same")
    func failedRebind() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.addPasskey(session, 7, current: first)
        let by = try await service.open(passkey: 7).session
        let other = try await service.make("somebody else's own")
        let root = try await service.root(of: .passkey(try service.passkey(7)))
        // Longer than a row takes: the step behind the one that frees the passkey fails.
        let new = VaultRegistry.NewWay(
            kind: .passkey, label: String(repeating: "x", count: 420), roots: [root], rebinds: true)
        let (vault, proof) = (try other.requireVault(), [try await service.root("somebody else's own")])
        await #expect(throws: (any Error).self) { _ = try await service.registry.add(new, to: vault, proof: proof) }
        let revocations = service.registry.takeRevocations()
        #expect(revocations.map(\.vaultUID) == [by.vaultUID] && revocations.map(\.way) == [by.way])
        #expect(try await !service.opens(passkey: 7))
        try await host.stop()
    }
}
