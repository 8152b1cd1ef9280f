import Foundation
import HostSupport
import Sealing
import Store
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("What an opening finds damaged")
struct DamageTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    /// A vault with three photos, locked, and the ids of its rows.
    private func lockedVault(longName: Bool = false) async throws -> (service: VaultService, rows: [RowID], head: RowID)
    {
        let service = try await host.start()
        let session = try await service.make(text)
        for number in 0..<3 {
            let name = longName ? String(repeating: "\(number)", count: 1024) : "\(number)"
            try await session.upload([UInt8(number)], name: name)
        }
        let count = try session.requireVault().head.rowCount
        let rows = try (0..<count).map { try session.rowID(.item($0)) }
        let head = try session.rowID(.head)
        try await service.lock(session)
        return (service, rows, head)
    }

    /// The row that holds a certain photo.
    private func rowNumber(of name: String, _ service: VaultService) async throws -> Int {
        let session = try await service.open(text)
        let photos = try session.requireVault().library
        let serial = try await photos.photos(after: nil, before: nil, limit: 10).first { $0.name == name }
        try await service.lock(session)
        return Int(try #require(serial).rowNumber)
    }

    private func expectSound(names: [String]) async throws {
        for _ in 0..<2 {
            let session = try await host.service().open(text)
            #expect(session.damage == nil)
            #expect(try await session.names() == names)
            for photo in try await session.photos.page(cursor: nil).photos { _ = try await session.content(photo.id) }
            try await host.service().lock(session)
            _ = try await host.restart()
        }
    }

    @Test("a row that is gone or changed is noticed; the rest is open, and stays writable", arguments: [true, false])
    func lostRow(isDeleted: Bool) async throws {
        let (service, rows, _) = try await lockedVault()
        let id = rows[try await rowNumber(of: "1", service)]
        var body = try #require(try await service.row(id))
        body[300] ^= 1
        let changed = body
        try await service.tamperEverywhere { isDeleted ? try $0.deleteRow(id) : try $0.putRow(id, changed) }
        let session = try await service.open(text)
        #expect(session.damage == VaultDamage(missingEntries: 1))
        #expect(try await session.names() == ["2", "0"])
        try await session.upload([9], name: "new")
        try await service.lock(session)

        let again = try await service.open(text)
        #expect(again.damage == VaultDamage(missingEntries: 1))
        try await service.acceptLoss(again)
        #expect(again.damage == nil)
        try await again.upload([9], name: "newer")
        try await service.lock(again)
        try await expectSound(names: ["newer", "new", "2", "0"])
        try await host.stop()
    }

    @Test("a lost row is put back from a copy of the ledger when that is provably the newest state")
    func healedFromCopy() async throws {
        let (service, rows, _) = try await lockedVault()
        try service.store.ledger.renewCopies()
        let lost = [rows[try await rowNumber(of: "1", service)], rows[try await rowNumber(of: "2", service)]]
        try await service.tamper { for id in lost { try $0.deleteRow(id) } }
        try await expectSound(names: ["2", "1", "0"])
        try await host.stop()
    }

    @Test("an older state in a copy is not taken for the newest")
    func staleCopy() async throws {
        let (service, rows, _) = try await lockedVault()
        let number = try await rowNumber(of: "1", service)
        let copies = try ["ledger.copy-0", "ledger.copy-1"].map { ($0, try host.read($0)) }
        let session = try await service.open(text)
        let photo = try await session.photos.page(cursor: nil).photos[1]
        _ = try await session.trash.move([photo.id])
        try await service.lock(session)
        let id = rows[number]
        try await service.tamper { try $0.deleteRow(id) }
        for (name, content) in copies { try content.write(to: host.file(name)) }
        let again = try await service.open(text)
        #expect(again.damage == VaultDamage(missingEntries: 1))
        #expect(try await again.trash.all().isEmpty)
        try await host.stop()
    }

    @Test("a row set back to an older state of itself is noticed")
    func setBackRow() async throws {
        let (service, rows, _) = try await lockedVault()
        let number = try await rowNumber(of: "1", service)
        let old = try #require(try await service.row(rows[number]))
        let session = try await service.open(text)
        _ = try await session.trash.move([try await session.photos.page(cursor: nil).photos[1].id])
        try await service.lock(session)
        let id = rows[number]
        try await service.tamper { try $0.putRow(id, old) }
        let again = try await service.open(text)
        #expect(again.damage == VaultDamage(isSetBack: true))
        try await service.acceptLoss(again)
        try await service.lock(again)
        try await expectSound(names: ["2", "1", "0"])
        try await host.stop()
    }

    @Test("a head set back to an older state is noticed, and no later row is written over")
    func setBackHead() async throws {
        let (service, _, head) = try await lockedVault()
        let old = try #require(try await service.row(head))
        let session = try await service.open(text)
        let names = (3..<30).map { "\($0)" }
        for name in names { try await session.upload(Array(name.utf8), name: name) }
        try await service.lock(session)
        try await service.tamper { try $0.putRow(head, old) }
        let again = try await service.open(text)
        #expect(again.damage?.isSetBack == true)
        let all = names.reversed() + ["2", "1", "0"]
        #expect(try await again.names() == all)
        for number in 0..<20 { try await again.upload([1], name: "later \(number)") }
        #expect(try await again.names().suffix(30) == all)
        try await service.acceptLoss(again)
        try await service.lock(again)
        try await expectSound(names: (0..<20).reversed().map { "later \($0)" } + all)
        try await host.stop()
    }

    @Test("rows of another vault and rubbish put in its place count as missing; beside it they are nothing")
    func injected() async throws {
        let (service, rows, _) = try await lockedVault()
        let other = try await service.make("seven violet trams")
        let foreign = try #require(try await service.row(try other.rowID(.item(0))))
        try await service.tamper { try $0.putRow(.random(), foreign) }
        try await service.tamper { try $0.putRow(.random(), sampleBytes(512)) }
        let session = try await service.open(text)
        #expect(session.damage == nil)
        try await service.lock(session)
        let id = rows[try await rowNumber(of: "0", service)]
        try await service.tamperEverywhere { try $0.putRow(id, foreign) }
        #expect(try await service.open(text).damage == VaultDamage(missingEntries: 1))
        try await host.stop()
    }

    @Test("without its head a vault is open for reading; accepting the loss makes a new one", arguments: [true, false])
    func lostHead(isDeleted: Bool) async throws {
        let (service, _, head) = try await lockedVault()
        try await service.tamperEverywhere {
            isDeleted ? try $0.deleteRow(head) : try $0.putRow(head, sampleBytes(512))
        }
        let session = try await service.open(text)
        #expect(session.damage?.isSetBack == true)
        #expect(try await session.names() == ["2", "1", "0"])
        let photo = try await session.photos.page(cursor: nil).photos[0]
        #expect(try await session.content(photo.id) == [2])
        await #expect(throws: VaultError.readOnly) { try await session.upload([1]) }
        await #expect(throws: VaultError.readOnly) { _ = try await session.trash.move([photo.id]) }
        #expect(try await service.row(head) == (isDeleted ? nil : sampleBytes(512)))
        try await service.acceptLoss(session)
        #expect(session.damage == nil)
        try await session.upload([9], name: "new")
        try await service.lock(session)
        try await expectSound(names: ["new", "2", "1", "0"])
        try await host.stop()
    }

    @Test("without its head and with a damaged row in the end, new rows still add up")
    func lostHeadAndLastRow() async throws {
        let (service, rows, head) = try await lockedVault(longName: true)
        let last = try #require(rows.last)
        var body = try #require(try await service.row(last))
        body[400] ^= 1
        let changed = body
        try await service.tamper {
            try $0.deleteRow(head)
            try $0.putRow(last, changed)
        }
        let session = try await service.open(text)
        try await service.acceptLoss(session)
        for number in 0..<20 { try await session.upload([1], name: "later \(number)") }
        try await service.lock(session)
        let again = try await service.open(text)
        #expect(again.damage == nil)
        #expect(try await again.names().filter { $0.hasPrefix("later") }.count == 20)
        try await host.stop()
    }

    @Test("a long record that lost a part counts as missing, and accepting takes all of it away", arguments: [1, 2])
    func brokenChain(part: Int) async throws {
        let (service, rows, _) = try await lockedVault(longName: true)
        let name = String(repeating: "1", count: 1024)
        let first = try await rowNumber(of: name, service)
        let session = try await service.open(text)
        var id = rows[first]
        for _ in 0..<part {
            let body = try #require(try await service.row(id))
            id = rows[Int(try #require(try session.requireVault().open(body, id: id).next))]
        }
        try await service.lock(session)
        let lost = id
        try await service.tamperEverywhere { try $0.deleteRow(lost) }
        let again = try await service.open(text)
        #expect((again.damage?.missingEntries ?? 0) > 0)
        #expect(try await again.names().count == 2)
        try await service.acceptLoss(again)
        try await service.lock(again)
        try await expectSound(names: ["2", "0"].map { String(repeating: $0, count: 1024) })
        #expect(try host.objectFiles().count == 2)
        try await host.stop()
    }

    @Test("an empty row that is damaged after the opening is one place for a photo, not two, when the loss is accepted")
    func damagedEmptyRow() async throws {
        let (service, rows, _) = try await lockedVault()
        let empty = rows[try await rowNumber(of: "0", service)]
        let owner = try await service.open(text)
        let photo = try #require(try await owner.photos.page(cursor: nil).photos.first { $0.name == "0" })
        _ = try await owner.trash.move([photo.id])
        #expect(try await owner.trash.empty().count == 1)
        try await service.damageRow(of: "1", in: try owner.requireVault())
        try await service.lock(owner)
        let session = try await service.open(text)
        #expect(session.damage == VaultDamage(missingEntries: 1))
        try await service.tamper { try $0.putRow(empty, sampleBytes(512)) }
        try await service.acceptLoss(session)
        // As many as there are empty rows, and some more.
        for number in 3..<23 { try await session.upload([UInt8(number)], name: "\(number)") }
        try await service.lock(session)
        try await expectSound(names: (2..<23).reversed().map(String.init))
        try await host.stop()
    }

    @Test("what stood in rows that were damaged after the opening is forgotten when the loss is accepted")
    func rowsDamagedSince() async throws {
        let (service, _, _) = try await lockedVault()
        let owner = try await service.open(text)
        try await service.damageRow(of: "1", in: try owner.requireVault())
        try await service.lock(owner)
        let session: Session = try await service.open(text)
        #expect(session.damage == VaultDamage(missingEntries: 1))
        let kept: Opening = try await service.open(text, keep: true)
        let batch = try await session.batches.create()
        let vault = try session.requireVault()
        let photo = try #require(try vault.library.allBlocking().first { $0.name == "0" })
        let listed = try #require(vault.keptSessions.first).rowNumber
        let batchRow = try #require(try vault.library.allBatchesBlocking().first).rowNumber
        let ids = try [photo.rowNumber, listed, batchRow].map { try vault.rowID(.item($0)) }
        try await service.tamper { for id in ids { try $0.replaceBody(of: id, sampleBytes(512), in: .vault) } }
        try await service.acceptLoss(session)
        #expect(try await session.names() == ["2"])
        #expect(vault.keptSessions.isEmpty)
        let left = try #require(try vault.library.allBlocking().first)
        #expect(try service.store.objects.byteCount(of: left.object) == vault.head.storedByteCount)
        await #expect(throws: VaultError.noSuchBatch) { _ = try await session.batches.status(of: batch) }
        // Their rows are new photos' now, and nothing that was there before reaches them.
        for number in 3..<30 { try await session.upload([UInt8(number)], name: "\(number)") }
        try await service.lock(kept.session)
        try await service.lockEverywhere(session)
        try await expectSound(names: (2..<30).reversed().map(String.init))
        // The objects of the other two are put aside.
        #expect(try host.objectFiles().count == 29)
        try await host.stop()
    }

    @Test("a photo whose file is gone is named; accepting takes it off the list")
    func lostObject() async throws {
        let (_, _, _) = try await lockedVault()
        try await host.stop()
        let name = try #require(try host.objectFiles().first)
        try FileManager.default.removeItem(at: host.file("objects/" + name))
        let service = try await host.start()
        let session = try await service.open(text)
        #expect(session.damage?.unreadable.count == 1)
        let lost = try #require(session.damage?.unreadable.first)
        #expect(try await session.names().contains(lost))
        try await service.acceptLoss(session)
        try await service.lock(session)
        try await expectSound(names: ["2", "1", "0"].filter { $0 != lost })
        try await host.stop()
    }

    @Test("a photo whose file cannot be looked at is named as well, and keeps nobody from the others")
    func unreadableObject() async throws {
        _ = try await lockedVault()
        try await host.stop()
        let names = try host.objectFiles()
        // Files are looked at only where one is missing.
        try FileManager.default.removeItem(at: host.file("objects/\(names[0])"))
        let service = try await host.start()
        try FileManager.default.removeItem(at: host.file("objects/\(names[1].prefix(2))"))
        let gone = 3 - (try host.objectFiles().count)
        let session = try await service.open(text)
        #expect(session.damage?.unreadable.count == gone)
        #expect(try await session.names() == ["2", "1", "0"])
        try await host.stop()
    }

    @Test("a photo whose file has come back stays when the loss is accepted")
    func foundObject() async throws {
        _ = try await lockedVault()
        try await host.stop()
        let file = host.file("objects/" + (try #require(try host.objectFiles().first)))
        let elsewhere = host.file("elsewhere")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        let service = try await host.start()
        let session = try await service.open(text)
        #expect(session.damage?.unreadable.count == 1)
        try FileManager.default.moveItem(at: elsewhere, to: file)
        try await service.acceptLoss(session)
        #expect(session.damage == nil)
        try await service.lock(session)
        try await expectSound(names: ["2", "1", "0"])
        try await host.stop()
    }

    @Test("files put into quarantine by an older ledger come back with the newer one")
    func quarantine() async throws {
        try await host.start()
        try await host.stop()
        let older = try host.read("ledger.sqlite")
        _ = try await lockedVault()
        try await host.stop()
        let newer = try host.read("ledger.sqlite")
        try older.write(to: host.file("ledger.sqlite"))
        try await host.start()
        #expect(try host.objectFiles() == [])
        try await host.stop()
        try newer.write(to: host.file("ledger.sqlite"))
        try await host.start()
        try await expectSound(names: ["2", "1", "0"])
        #expect(try host.objectFiles().count == 3)
        try await host.stop()
    }

    @Test("accepting a loss while another session uploads loses nothing")
    func acceptWhileUploading() async throws {
        let (service, rows, _) = try await lockedVault()
        let id = rows[try await (rowNumber(of: "0", service))]
        try await service.tamperEverywhere { try $0.deleteRow(id) }
        let one = try await service.open(text)
        let two = try await service.open(text)
        #expect(one.damage != nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<60 {
                    try await two.upload([UInt8(number)], name: "new \(number)" + String(repeating: "x", count: 500))
                }
            }
            group.addTask { try await service.acceptLoss(one) }
            try await group.waitForAll()
        }
        try await service.lockEverywhere(one)
        let again = try await service.open(text)
        #expect(again.damage == nil)
        #expect(try await again.names().count == 62)
        try await host.stop()
    }
}
