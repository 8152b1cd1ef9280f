import Dispatch
import Foundation
import HostSupport
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Records
@testable import Store
@testable import Vaults

/// Hands a value that only one task uses to that task.
private final class SingleUse<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

@Suite("A guest moves into a vault")
struct MigrationTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws {
        host = try TestHost()
        host.configuration.limits.quietBeforeReread = .zero
    }

    @Test("photos that the vault has are dropped, the others move with bytes and times, and the guest is gone")
    func moving() async throws {
        var service = try await host.start()
        let vault = try await service.make(text)
        for seed in 1...3 { try await vault.upload(sampleBytes(1000, seed: UInt64(seed)), name: "vault \(seed)") }
        try await vault.settle()
        let guest = try await service.guest()
        var received: [String: Date] = [:]
        for seed in 1...15 {
            let photo = try await guest.session.upload(sampleBytes(1000, seed: UInt64(seed)), name: "guest \(seed)")
            received[photo.name] = photo.receivedAt
        }
        try await guest.session.settle()
        let sessions = try service.sessionRows()
        let opening: Opening = try await service.open(text, guest: guest.session)
        #expect(opening.migration == Migration(moved: 12, duplicates: 3, pending: 0))
        #expect(opening.migrationRefusal == nil)
        #expect(try service.guestRows() == 0)
        #expect(try service.sessionRows() == sessions - 1)
        #expect(try host.objectFiles().count == 15)
        #expect(guest.session.isEnded)
        service = try await host.restart()
        #expect(try await service.session(token: guest.token, .guest) == nil)
        let again: Session = try await service.open(text)
        #expect(again.damage == nil)
        let photos = try await again.photos.page(cursor: nil).photos
        #expect(Set(photos.map(\.name)) == Set((1...3).map { "vault \($0)" } + (4...15).map { "guest \($0)" }))
        for photo in photos {
            let seed = try #require(photo.name.split(separator: " ").last.flatMap { UInt64($0) })
            #expect(try await again.content(photo.id) == sampleBytes(1000, seed: seed))
            if seed > 3 { #expect(photo.receivedAt == received[photo.name]) }
        }
        #expect(try host.objectFiles().count == 15)
        try await host.stop()
    }

    @Test("the ids that the guest had name its photos in the session into which they moved, and in no other")
    func ids() async throws {
        let service = try await host.start()
        let vault = try await service.make(text)
        let kept = try await vault.upload(sampleBytes(1000, seed: 1), name: "kept")
        try await vault.settle()
        let guest = try await service.guest()
        let same = try await guest.session.upload(sampleBytes(1000, seed: 1), name: "same")
        let other = try await guest.session.upload(sampleBytes(1000, seed: 2), name: "other")
        let deleted = try await guest.session.upload(sampleBytes(1000, seed: 3), name: "deleted")
        _ = try await guest.session.trash.move([deleted.id])
        try await guest.session.settle()
        let opening: Opening = try await service.open(text, guest: guest.session)
        let session = opening.session
        #expect(try await session.photos.photo(other.id).name == "other")
        #expect(try await session.photos.photo(same.id).name == "kept")
        #expect(try await session.content(same.id) == sampleBytes(1000, seed: 1))
        let archive = try await session.archives.make([same.id, other.id, session.photos.photo(same.id).id])
        #expect(try await session.archives.photos(of: session.archives.archive(archive)).photos.count == 2)
        #expect(try await session.trash.restore([deleted.id]) == 1)
        #expect(try await session.content(deleted.id) == sampleBytes(1000, seed: 3))
        await #expect(throws: VaultError.noSuchPhoto) { try await vault.photos.photo(other.id) }
        await #expect(throws: VaultError.noSuchPhoto) { try await session.photos.photo(kept.id) }
    }

    @Test("into a vault that is made for it")
    func creating() async throws {
        let service = try await host.start()
        let guest = try await service.guest()
        try await guest.session.upload([1], name: "a")
        let opening = try await service.create(
            password: password(text), confirmation: password(text), code: nil, client: .here,
            options: OpeningOptions(keep: true, guest: guest.session))
        #expect(opening.migration?.moved == 1)
        #expect(try await opening.session.names() == ["a"])
        #expect(opening.session.isKept)
        try await host.stop()
    }

    @Test("what lies in the guest's trash lies in the vault's afterwards, and nothing is the duplicate of such a one")
    func trash() async throws {
        let service = try await host.start()
        let vault = try await service.make(text)
        let old = try await vault.upload(sampleBytes(10), name: "deleted")
        try await vault.settle()
        _ = try await vault.trash.move([old.id])
        let guest = try await service.guest()
        try await guest.session.upload(sampleBytes(10), name: "again")
        let gone = try await guest.session.upload(sampleBytes(20), name: "gone")
        let twice = try await guest.session.upload(sampleBytes(10), name: "twice")
        try await guest.session.settle()
        _ = try await guest.session.trash.move([gone.id, twice.id])
        let opening: Opening = try await service.open(text, guest: guest.session)
        // What was deleted is not said to have come; what is there as well is kept once.
        #expect(opening.migration == Migration(moved: 1, duplicates: 0, pending: 0))
        #expect(try await opening.session.names() == ["again"])
        let trash = try await opening.session.trash.all()
        #expect(Set(trash.map(\.name)) == ["deleted", "gone"])
        #expect(try host.objectFiles().count == 3)
        #expect(try await opening.session.trash.restore([gone.id]) == 1)
        #expect(try await opening.session.content(gone.id) == sampleBytes(20))
        // Back out of it, the older of the two stays.
        #expect(try await opening.session.trash.restore(trash.filter { $0.name == "deleted" }.map(\.id)) == 1)
        #expect(Set(try await opening.session.names()) == ["deleted", "gone"])
        #expect(try host.objectFiles().count == 2)
        try await host.stop()
    }

    @Test("rows that were damaged since the space was opened keep nothing else from moving")
    func damagedSince() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        let guest = try await service.guest()
        try await guest.session.upload(sampleBytes(10), name: "kept")
        try await guest.session.upload(sampleBytes(20), name: "damaged")
        let status = try await guest.session.announce(9000)
        try await guest.session.send(sampleBytes(9000)[..<5000], to: status.id, at: 0)
        let space = try guest.session.requireVault()
        try await service.damageRow(of: "damaged", in: space)
        let row = try #require(space.uploads.all.first).rowID
        try await service.tamper { transaction in
            guard let upload = try transaction.upload(row) else { throw VaultError.noSuchUpload }
            try transaction.putUpload(
                row, body: sampleBytes(upload.body.count), part: upload.part, expiresDay: upload.expiresDay)
        }
        let opening: Opening = try await service.open(text, guest: guest.session)
        #expect(opening.migration?.moved == 1 && opening.migration?.lost == 1 && opening.migrationRefusal == nil)
        #expect(try await opening.session.names() == ["kept"])
        try await host.stop()
    }

    @Test("the file of a photo whose row is damaged is put aside by the next start, and takes no place for ever")
    func damagedRow() async throws {
        var service = try await host.start()
        try await service.lock(try await service.make(text))
        let guest = try await service.guest()
        try await guest.session.upload(sampleBytes(10), name: "sound")
        try await guest.session.upload(sampleBytes(20), name: "damaged")
        try await service.damageRow(of: "damaged", in: guest.session.requireVault())
        service = try await host.restart()
        let again = try #require(try await service.session(token: guest.token, .guest))
        let opening: Opening = try await service.open(text, guest: again)
        #expect(opening.migration?.moved == 1 && opening.migration?.lost == 1)
        #expect(try host.objectFiles().count == 2)
        service = try await host.restart()
        #expect(try host.objectFiles().count == 1)
        #expect(try await service.open(text).names() == ["sound"])
        let aside = try FileManager.default.subpathsOfDirectory(atPath: host.dataPath + "/quarantine")
        #expect(aside.count { $0.contains("/") } == 1)
        try await host.stop()
    }

    @Test("a photo whose bytes are gone moves under its name, and the vault says so")
    func lostObject() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(text))
        let guest = try await service.guest()
        try await guest.session.upload(sampleBytes(20), name: "gone")
        try await guest.session.settle()
        try await host.stop()
        try host.removeObjects()
        let next = try await host.start()
        let again = try #require(try await next.session(token: guest.token, .guest))
        let opening: Opening = try await next.open(text, guest: again)
        #expect(opening.migration?.lost == 1)
        #expect(opening.session.damage?.unreadable == ["gone"])
        // The same content is wanted again.
        let fresh = try await opening.session.upload(sampleBytes(20), name: "again")
        #expect(try await opening.session.content(fresh.id) == sampleBytes(20))
        try await opening.session.settle()
        let last: Session = try await (try await host.restart()).open(text)
        #expect(try await last.names() == ["gone"])
        #expect(last.damage == nil)
        let mended = try #require(try await last.photos.page(cursor: nil).photos.first)
        #expect(try await last.content(mended.id) == sampleBytes(20))
        try await host.stop()
    }

    @Test("a photo whose bytes are gone, and which the vault has whole, is no loss")
    func lostDuplicate() async throws {
        let service = try await host.start()
        let owner = try await service.make(text)
        try await owner.upload(sampleBytes(20), name: "there")
        try await owner.settle()
        let kept = try host.objectFiles()
        let guest = try await service.guest()
        try await guest.session.upload(sampleBytes(20), name: "again")
        try await guest.session.settle()
        try await host.stop()
        try host.removeObjects(except: kept)
        let next = try await host.start()
        let again = try #require(try await next.session(token: guest.token, .guest))
        #expect(again.damage?.unreadable == ["again"])
        let opening: Opening = try await next.open(text, guest: again)
        #expect(opening.migration == Migration(duplicates: 1))
        #expect(opening.session.damage == nil)
        #expect(try opening.session.requireVault().lostSerials.isEmpty)
        #expect(try await opening.session.names() == ["there"])
        try await host.stop()
    }

    @Test("batches keep their ids, with duplicates counted as such")
    func batches() async throws {
        let service = try await host.start()
        let vault = try await service.make(text)
        try await vault.upload(sampleBytes(10), name: "there")
        try await vault.settle()
        let guest = try await service.guest().session
        let batch = try await guest.batches.create()
        for count in [10, 11] {
            let upload = try await guest.uploads.begin(
                name: "\(count)", declaredByteCount: UInt64(count), lastModified: nil, batch: batch)
            try await upload.append(ByteBuffer(bytes: sampleBytes(count)))
            _ = try await upload.finish()
        }
        try await guest.settle()
        let session = try await (service.open(text, guest: guest) as Opening).session
        let status = try await session.batches.finish(batch)
        #expect((status.saved, status.duplicates, status.isDone) == (1, 1, true))
        try await host.stop()
    }

    @Test("a guest that is not asked to move stays as it is")
    func staying() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        try await guest.session.upload([1])
        let opening: Opening = try await service.open(text)
        #expect(opening.migration == nil && opening.migrationRefusal == nil)
        #expect(try await guest.session.names().count == 1)
        #expect(try await opening.session.names().isEmpty)
        try await host.stop()
    }

    @Test("a vault without room opens, says so, and the guest stays as it is")
    func refused() async throws {
        var service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        let bytes = sampleBytes(200_000)
        let photo = try await guest.session.upload(bytes)
        host.configuration.limits.vaultShareOfDisk = 1e-9
        service = try await host.restart()
        let session = try #require(try await service.session(token: guest.token, .guest))
        let opening: Opening = try await service.open(text, guest: session)
        #expect(opening.migration == nil && opening.migrationRefusal == .vaultFull)
        #expect(try await opening.session.names().isEmpty)
        #expect(try await session.content(photo.id) == bytes)
        #expect(opening.session.damage == nil)
        let again = try #require(try await (try await host.restart()).session(token: guest.token, .guest))
        #expect(try await again.content(photo.id) == bytes)
        try await host.stop()
    }

    // MARK: What is under way

    @Test("an unfinished upload goes on in the vault under its id, over a restart")
    func unfinished() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        let bytes = sampleBytes(100_000)
        let status = try await guest.session.announce(bytes.count, clientID: "one")
        try await guest.session.sendCut(bytes[..<30_000], to: status.id, at: 0)
        let opening: Opening = try await service.open(text, guest: guest.session)
        #expect(try await opening.session.uploads.status(of: status.id).offset == 30_000)
        let next: Session = try await host.restart().open(text)
        try await next.sendCut(bytes[30_000..<50_000], to: status.id, at: 30_000)
        let again: Session = try await host.restart().open(text)
        #expect(try await again.announce(bytes.count, clientID: "one").id == status.id)
        let end = try await again.send(bytes[50_000...], to: status.id, at: 50_000)
        #expect(try await again.content(try #require(end.photo).id) == bytes)
        #expect(try host.objectFiles().count == 1)
        try await host.stop()
    }

    @Test("a request that writes to an upload goes on, and its photo is the vault's")
    func runningRun() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        let bytes = sampleBytes(2_000_000)
        let status = try await guest.session.announce(bytes.count)
        let run = try await guest.session.uploads.resume(status.id, at: 0)
        try await run.append(ByteBuffer(bytes: bytes[..<1_200_000]))
        let session = try await (service.open(text, guest: guest.session) as Opening).session
        try await run.append(ByteBuffer(bytes: bytes[1_200_000...]))
        let end = try await run.finish()
        #expect(try await session.content(try #require(end.photo).id) == bytes)
        #expect(try await session.uploads.status(of: status.id).photo != nil)
        let again: Session = try await host.restart().open(text)
        #expect(again.damage == nil)
        #expect(try await again.names() == ["photo.jpg"])
        try await host.stop()
    }

    @Test("a request whose upload nobody has stored yet goes on too")
    func runningCreation() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        let bytes = sampleBytes(500_000)
        let creation = try await guest.session.uploads.create(
            UploadRequest(name: "a", byteCount: UInt64(bytes.count)), body: UploadBody())
        let run = try #require(creation.run)
        try await run.append(ByteBuffer(bytes: bytes[..<300_000]))
        let session = try await (service.open(text, guest: guest.session) as Opening).session
        await run.abandon()
        #expect(try await session.uploads.status(of: creation.status.id).offset == 300_000)
        let end = try await session.send(bytes[300_000...], to: creation.status.id, at: 300_000)
        #expect(try await session.content(try #require(end.photo).id) == bytes)
        try await host.stop()
    }

    @Test("a photo in one piece that is on its way ends in the vault, and locking the vault ends it")
    func runningUpload() async throws {
        let service = try await host.start()
        try await service.make(text)
        let guest = try await service.guest()
        let bytes = sampleBytes(1_000_000)
        let uploads = [
            try await guest.session.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil),
            try await guest.session.uploads.begin(name: "b", declaredByteCount: nil, lastModified: nil),
        ]
        for upload in uploads { try await upload.append(ByteBuffer(bytes: bytes[..<600_000])) }
        let session = try await (service.open(text, guest: guest.session) as Opening).session
        try await uploads[0].append(ByteBuffer(bytes: bytes[600_000...]))
        let photo = try await uploads[0].finish()
        #expect(try await session.content(photo.id) == bytes)
        // The next file of the same form.
        let next = try await guest.session.uploads.begin(name: "c", declaredByteCount: 0, lastModified: nil)
        _ = try await next.finish()
        #expect(try await session.names() == ["c", "a"])
        try await service.lock(session)
        await #expect(throws: VaultError.sessionEnded) {
            try await uploads[1].append(ByteBuffer(bytes: bytes[600_000...]))
        }
        await uploads[1].abandon()
        try await host.stop()
    }

    @Test("what is committed in the same transaction as the move is the vault's", arguments: [true, false])
    func sameTransaction(isMoveFirst: Bool) async throws {
        let service = try await host.start()
        let session = try await service.make(text)
        let guest = try await service.guest().session
        let (bytes, others) = (sampleBytes(1000), sampleBytes(1000, seed: 2))
        let upload = try await guest.uploads.begin(name: "a", declaredByteCount: nil, lastModified: nil)
        try await upload.append(ByteBuffer(bytes: bytes))
        let status = try await guest.announce(1000, name: "b")
        let steps: [@Sendable () async throws -> Void] = [
            { _ = try await service.move(guest, into: session) },
            { try await guest.send(others, to: status.id, at: 0) },
        ]
        let box = SingleUse(upload)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let gate = DispatchSemaphore(value: 0)
            let (begun, began) = AsyncStream.makeStream(of: Void.self)
            let ledger = service.store.ledger
            group.addTask {
                try await ledger.commit(
                    LedgerChange { _, _ in
                        began.yield()
                        gate.wait()
                    })
            }
            for await _ in begun { break }
            let all: [@Sendable () async throws -> Void] = steps + [{ _ = try await box.value.finish() }]
            for (count, step) in (isMoveFirst ? all : all.reversed()).enumerated() {
                group.addTask { try await step() }
                while ledger.pendingCount <= count { await Task.yield() }
            }
            gate.signal()
            try await group.waitForAll()
        }
        #expect(try await Set(session.names()) == ["a", "b"])
        #expect(try service.guestRows() == 0)
        let again: Session = try await host.restart().open(text)
        #expect(again.damage == nil)
        for photo in try await again.photos.page(cursor: nil).photos {
            #expect(try await again.content(photo.id) == (photo.name == "a" ? bytes : others))
        }
        try await host.stop()
    }

    @Test("photos that arrive while it moves are in the vault, each once, whenever they come")
    func race() async throws {
        host.configuration.limits.quietBeforeReread = nil
        let service = try await host.start()
        try await service.make(text)
        for round in 0..<5 {
            let guest = try await service.guest().session
            for number in 0..<10 { try await guest.upload([UInt8(number)], name: "\(round) before \(number)") }
            let answered = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            if number % 2 == 0 {
                                return try await guest.upload(sampleBytes(200), name: "\(round) during \(number)").name
                            }
                            let end = try await guest.resume(
                                sampleBytes(300), in: 150, name: "\(round) parts \(number)")
                            return end.photo?.name
                        } catch VaultError.sessionEnded {
                            return nil
                        }
                    }
                }
                let opening: Opening = try await service.open(text, guest: guest)
                #expect(opening.migrationRefusal == nil)
                return try await group.reduce(into: Set<String>()) { names, name in
                    if let name { names.insert(name) }
                }
            }
            let session: Session = try await service.open(text)
            let names = try await session.photos.page(cursor: nil, limit: 1000).photos.map(\.name)
            #expect(names.count == Set(names).count)
            #expect(Set(names).isSuperset(of: answered))
            #expect(names.count { $0.hasPrefix("\(round) before") } == 10)
            #expect(try service.guestRows() == 0)
        }
        let again: Session = try await host.restart().open(text)
        #expect(again.damage == nil)
        try await host.stop()
    }
}
