import Foundation
import HostSupport
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Unlocking
@testable import Vault
@testable import Vaults

@Suite("Rotation of a vault's key")
struct RotationTests {
    private let text = "violet tram seven"
    private let other = "quiet amber lamp"
    let host: TestHost

    init() throws { host = try TestHost() }

    /// A vault with a photo of one row, one of several, one that is deleted, and a further password.
    private func session() async throws -> Session {
        let service = try await host.start()
        let session = try await service.make(text)
        try await session.upload([1, 2, 3], name: "one")
        try await session.upload(sampleBytes(70_000), name: String(repeating: "long", count: 200))
        _ = try await session.trash.move([try await session.upload([4]).id])
        try await service.addPassword(session, other, current: text)
        return session
    }

    private func rotate(_ session: Session, _ typed: String? = nil) async throws -> Bool {
        try await host.service().rotateKey(session, password: try password(typed ?? text), client: .here)
    }

    private func ids(_ session: Session) throws -> [RowID] {
        let vault = try session.requireVault()
        return try (0..<vault.head.rowCount).map { try session.rowID(.item($0)) } + [session.rowID(.head)]
    }

    private func expectWhole(_ session: Session) async throws {
        #expect(session.damage == nil)
        let photos = try await session.photos.page(cursor: nil).photos
        #expect(photos.map(\.name.count) == [800, 3])
        #expect(try await session.content(photos[0].id) == sampleBytes(70_000))
        #expect(try await session.content(photos[1].id) == [1, 2, 3])
        #expect(try await session.trash.all().count == 1)
    }

    /// The first transaction alone, as a power cut behind it leaves things.
    private func begin(_ session: Session) async throws {
        let (service, vault) = (try host.service(), try session.requireVault())
        let found = try #require(try service.directory.find(try await service.root(text))?.slotSet)
        let others = try service.directory.standing(vault.ways.flatMap(\.slotSets).flatMap(\.pairs))
        try vault.rotateBlocking(keeping: .first, found, wiping: others)
    }

    /// Opens what is there after a restart, by the password alone, whole and with nothing left of the old key.
    private func expectFinished(_ before: [RowID]) async throws {
        let service = try await host.restart()
        #expect(try await !service.opens(other))
        let session = try await service.open(text)
        try await expectWhole(session)
        #expect(try session.requireVault().head.formerHead == nil)
        #expect(try service.ways(of: session).count == 1)
        for id in before {
            #expect(try await service.row(id) == nil)
            #expect(try service.store.ledger.rowsInCopies(id) == [])
        }
        try await session.upload([5], name: "later")
        try await service.lock(session)
        #expect(try await service.open(text).names().first == "later")
        try await host.stop()
    }

    // MARK: What it does

    @Test("every row is another, the session goes on, every other way in is closed")
    func rotation() async throws {
        let session = try await session()
        let service = try host.service()
        let second = try await service.open(other)
        let kept: Opening = try await service.open(text, keep: true)
        let photos = try await session.photos.page(cursor: nil).photos.map(\.id)
        let (before, rows) = (try ids(session), try await service.store.ledger.read { try $0.rowCount() })
        #expect(try await rotate(session))
        #expect(try await session.photos.page(cursor: nil).photos.map(\.id) == photos)
        try await expectWhole(session)
        #expect(Set(before).isDisjoint(with: try ids(session)))
        #expect(try await service.store.ledger.read { try $0.rowCount() } == rows)
        #expect(second.isEnded && kept.session.isEnded)
        #expect(try await service.session(token: kept.token) == nil)
        #expect(try await !service.opens(other))
        #expect(try await service.standing(other) == 0)
        #expect(try await service.standing(text) == 12)
        try await expectFinished(before)
    }

    @Test("a session that was to stay goes on, and does not stay")
    func kept() async throws {
        let first = try await session()
        var service = try host.service()
        try await service.lock(first)
        let kept: Opening = try await service.open(text, keep: true)
        #expect(try await rotate(kept.session))
        #expect(!kept.session.isKept && kept.session.end == nil)
        try await expectWhole(kept.session)
        service = try await host.restart()
        #expect(try await service.session(token: kept.token) == nil)
        try await host.stop()
    }

    @Test("neither another vault's password nor the recovery code will do, and nothing is changed")
    func proof() async throws {
        let session = try await session()
        let service = try host.service()
        try await service.make("somebody else's own")
        let code = try await service.addCode(session, current: text).code
        let before = try ids(session)
        await #expect(throws: VaultError.noSuchVault) { _ = try await rotate(session, "somebody else's own") }
        await #expect(throws: VaultError.passwordNeeded) { _ = try await rotate(session, code) }
        #expect(try ids(session) == before)
        #expect(try await service.opens(other))
        #expect(try await service.opens(code))
        try await host.stop()
    }

    // MARK: What goes on meanwhile

    @Test("whoever reads and adds photos meanwhile notices nothing")
    func meanwhile() async throws {
        let session = try await session()
        let photo = try #require(try await session.photos.page(cursor: nil).photos.last)
        let (service, text) = (try host.service(), text)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<5 {
                    _ = try await service.rotateKey(session, password: try password(text), client: .here)
                }
            }
            for seed in 0..<20 {
                group.addTask { try await session.upload([UInt8(seed)], name: "added") }
                group.addTask {
                    // Not by a reader that is still open.
                    let reader = try session.requireVault().reader(of: try #require(try await session.row(photo.id)))
                    #expect(Array(try reader.read(0..<3).readableBytesView) == [1, 2, 3])
                }
            }
            try await group.waitForAll()
        }
        let again = try await host.restart().open(text)
        #expect(again.damage == nil)
        #expect(try await again.names().count { $0 == "added" } == 20)
        try await host.stop()
    }

    // MARK: Cut off

    @Test("cut off behind its transaction, the old key leads to the rows, and the next opening finishes it")
    func behindTransaction() async throws {
        let session = try await session()
        let before = try ids(session)
        try await begin(session)
        try await expectFinished(before)
    }

    @Test("cut off amid its slots, either key opens the vault", arguments: 1...8)
    func amidSlots(replicas: Int) async throws {
        let session = try await session()
        let service = try host.service()
        let before = try ids(session)
        try await begin(session)
        let root = try await service.root(text)
        let vault = try session.requireVault()
        let payload = SlotPayload(
            type: 0, flags: 0, epoch: 0, vaultKey: try vault.duplicateVaultKey(), vaultUID: vault.uid, generation: 9,
            createdDay: 1)
        let sealed = try service.directory.seal(payload, for: root)
        // Some new, one torn, the others old.
        try service.store.slots.write(Array(sealed.writes.prefix(replicas - 1)))
        try await service.destroy(text, replicas: replicas - 1..<replicas)
        try await expectFinished(before)
    }

    @Test("what could not be finished is finished by the next opening, in the same run too")
    func unfinished() async throws {
        let session = try await session()
        let service = try host.service()
        let before = try ids(session)
        // In the way of a fresh copy of the ledger.
        let obstacle = host.file("ledger.copy-new")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        #expect(try await !rotate(session))
        try await expectWhole(session)
        #expect(try await !service.opens(other))
        let second = try await service.open(text)
        #expect(try second.requireVault().head.formerHead != nil)
        try FileManager.default.removeItem(at: obstacle)
        _ = try await service.open(text)
        #expect(try second.requireVault().head.formerHead == nil)
        try await expectFinished(before)
    }

    @Test("a ledger put back from a copy opens by the password, whenever the copy was made")
    func recoveredLedger() async throws {
        let session = try await session()
        #expect(try await rotate(session))
        try await host.stop()
        try FileManager.default.removeItem(at: host.file("ledger.sqlite"))
        try await expectWhole(try await host.start().open(text))
        try await host.stop()
    }

    @Test("a vault that is erased before it is finished leaves nothing")
    func erased() async throws {
        let session = try await session()
        let service = try host.service()
        let before = try ids(session)
        try await begin(session)
        let after = try ids(session)
        try await service.erase(session, password: password(text), client: .here)
        for id in before + after { #expect(try await service.row(id) == nil) }
        #expect(try await !service.opens(text))
        try await host.stop()
    }

    // MARK: What an attacker does

    @Test("slots of the old key that somebody puts back open nothing")
    func oldSlots() async throws {
        let session = try await session()
        let service = try host.service()
        let positions = try await service.positions(other) + service.positions(text)
        let copied = try positions.map { (position: $0, bytes: try service.store.slots.read($0)) }
        #expect(try await rotate(session))
        let present = try await service.positions(text).map { (position: $0, bytes: try service.store.slots.read($0)) }
        try service.store.slots.write(copied)
        #expect(try await !service.opens(other))
        #expect(try await !service.opens(text))
        try service.store.slots.write(present)
        let next = try await host.restart()
        // They lead to a vault of which nothing is there, and it is in nobody's way.
        let empty = try await next.open(other)
        #expect(try await empty.names() == [])
        #expect(empty.damage?.isSetBack == true)
        try await expectWhole(try await next.open(text))
        #expect(try await !next.opens(other))
        try await host.stop()
    }

    @Test("rows that were changed behind its back are not made right in passing")
    func changedRows() async throws {
        let session = try await session()
        let service = try host.service()
        let id = try session.rowID(.item(0))
        let body = try #require(try await service.row(id))
        try await session.requireVault().change { try $0.makeEmpty(0) }
        let before = try ids(session)
        try await service.tamper { try $0.putRow(id, body) }
        await #expect(throws: VaultError.damaged) { _ = try await rotate(session) }
        #expect(try ids(session) == before)
        let next = try await host.restart()
        let again = try await next.open(other)
        #expect(again.damage?.isSetBack == true)
        await #expect(throws: VaultError.readOnly) { _ = try await rotate(again) }
        try await host.stop()
    }
}

extension Session {
    fileprivate func row(_ id: String) async throws -> LibraryPhoto? {
        try await requireVault().library.photoOrKept(serial: try serial(id))
    }
}
