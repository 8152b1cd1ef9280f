import Bytes
import Foundation
import HostSupport
import Media
import Store
import TestSupport
import Testing

@testable import Records
@testable import Vaults

@Suite("Listing, deleting and restoring photos")
struct GalleryTests {
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session(_ count: Int = 0) async throws -> Session {
        let session = try await host.start().make("violet tram seven")
        for number in 0..<count { try await session.upload([UInt8(number)], name: "\(number)") }
        return session
    }

    @Test("a block's state is another one after each change of a photo in it, over a new opening too, and no other's")
    func blocks() async throws {
        let session = try await session(3)
        let photos = try await session.photos.page(cursor: nil).photos
        try await session.settle()
        var states = [try await session.photos.blocks()]
        #expect(states[0].map(\.number) == [0])
        func note(_ session: Session) async throws {
            try await session.settle()
            states.append(try await session.photos.blocks())
            #expect(!states.dropLast().contains(states[states.count - 1]))
        }
        _ = try await session.photos.setFavourite([photos[1].id], true)
        try await note(session)
        _ = try await session.trash.move([photos[0].id])
        try await note(session)
        #expect(try await session.photos.page(ofBlock: 0).photos.map(\.name) == ["1", "0"])
        try await session.upload([9], name: "later")
        try await note(session)
        let next = try await host.restart().open("violet tram seven")
        try await next.settle()
        #expect(try await next.photos.blocks() == states[states.count - 1])
        #expect(try await next.photos.page(ofBlock: 1).photos.isEmpty)
        await #expect(throws: VaultError.invalidCursor) { _ = try await next.photos.page(ofBlock: .max) }
        try await host.stop()
    }

    @Test("pages follow each other, newest first, without a gap or a photo twice")
    func pages() async throws {
        let session = try await session(7)
        var cursor: String?
        var pages: [[String]] = []
        repeat {
            let page = try await session.photos.page(cursor: cursor, limit: 3)
            pages.append(page.photos.map(\.name))
            cursor = page.cursor
            // What arrives in between stands on no later page.
            try await session.upload([1], name: "later")
        } while cursor != nil
        #expect(pages == [["6", "5", "4"], ["3", "2", "1"], ["0"]])
        await #expect(throws: VaultError.invalidCursor) { _ = try await session.photos.page(cursor: "nonsense") }
        try await host.stop()
    }

    @Test("a deleted photo lies in the trash, and comes back where it was")
    func trashAndRestore() async throws {
        let session = try await session(3)
        let middle = try await session.photos.page(cursor: nil).photos[1]
        #expect(try await session.trash.move([middle.id, middle.id]) == 1)
        #expect(try await session.trash.move([middle.id]) == 0)
        #expect(try await session.names() == ["2", "0"])
        let deleted = try await session.trash.all()
        #expect(deleted.map(\.name) == ["1"])
        #expect(deleted.first?.deletedAt != nil)
        #expect(try await session.content(middle.id) == [1])
        #expect(try await session.trash.restore([middle.id]) == 1)
        #expect(try await session.trash.restore([middle.id]) == 0)
        #expect(try await session.names() == ["2", "1", "0"])
        #expect(try await session.trash.all().isEmpty)
        try await host.stop()
    }

    @Test("emptying the trash unlinks what lay there, at once and for good, and nothing else")
    func emptyTrash() async throws {
        let session = try await session(3)
        let photos = try await session.photos.page(cursor: nil).photos
        _ = try await session.trash.move([photos[0].id, photos[1].id])
        #expect(try await session.trash.empty().count == 2)
        #expect(try await session.trash.empty().count == 0)
        #expect(try host.objectFiles().count == 1)
        await #expect(throws: VaultError.noSuchPhoto) { _ = try await session.content(photos[0].id) }
        await #expect(throws: VaultError.noSuchPhoto) { _ = try await session.photos.photo(photos[0].id) }
        #expect(try await session.trash.restore([photos[0].id]) == 0)
        #expect(try await session.content(photos[2].id) == [0])
        // The numbers of rows that are free again are used again, and nothing gets mixed up.
        let next = try await session.upload([9], name: "next")
        #expect(try await session.content(next.id) == [9])
        #expect(try await session.names() == ["next", "0"])
        try await host.stop()
    }

    @Test("what was chosen in the trash goes for good, and nothing that does not lie there")
    func deleteForGood() async throws {
        let session = try await session(3)
        let photos = try await session.photos.page(cursor: nil).photos
        _ = try await session.trash.move([photos[0].id, photos[1].id])
        #expect(try await session.trash.delete([photos[0].id, photos[2].id]).count == 1)
        #expect(try await session.trash.all().map(\.id) == [photos[1].id])
        #expect(try await session.content(photos[2].id) == [0])
        #expect(try host.objectFiles().count == 2)
        try await host.stop()
    }

    @Test("what was deleted for good is gone when the copies of the ledger cannot be renewed, and that is told")
    func remains() async throws {
        let session = try await session(3)
        let photos = try await session.photos.page(cursor: nil).photos
        _ = try await session.trash.move([photos[0].id, photos[1].id])
        let obstacle = host.file("ledger.copy-new")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        let one = try await session.trash.delete([photos[0].id])
        #expect(one.count == 1 && one.obstacle != nil)
        let rest = try await session.trash.empty()
        #expect(rest.count == 1 && rest.obstacle != nil)
        #expect(try await session.trash.all().isEmpty)
        #expect(try host.objectFiles().count == 1)
        try FileManager.default.removeItem(at: obstacle)
        let nothing = try await session.trash.empty()
        #expect(nothing.count == 0 && nothing.obstacle == nil)
        try await host.stop()
    }

    @Test("where nothing was deleted for good, the copies of the ledger are left as they are")
    func nothingToDelete() async throws {
        let session = try await session(1)
        // The photo stands in none yet: whatever renews them changes them.
        func copy() throws -> Data { try Data(contentsOf: host.file("ledger.copy-0")) }
        let before = try copy()
        for _ in 0..<3 { #expect(try await session.trash.empty().count == 0) }
        let id = try #require(try await session.photos.page(cursor: nil).photos.first?.id)
        #expect(try await session.trash.delete([id]).count == 0)
        #expect(try copy() == before)
        _ = try await session.trash.move([id])
        #expect(try await session.trash.empty().count == 1)
        #expect(try copy() != before)
        try await host.stop()
    }

    @Test("what reads photos and sends nothing of them is done one after the other, whatever becomes of it")
    func readingAhead() async throws {
        let session = try await session()
        let running = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try? await session.archives.readingAhead {
                        let before = running.count
                        await Task.yield()
                        #expect(running.count == before)
                        running.add()
                        if number.isMultiple(of: 3) { throw VaultError.damaged }
                    }
                }
            }
        }
        #expect(running.count == 20)
        try await host.stop()
    }

    @Test("hundreds of photos are deleted and emptied in parts")
    func many() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        for number in 0..<1100 {
            let record = PhotoRecord(
                serial: 0, object: .random(), byteCount: 1, runs: [], name: "\(number)", type: MediaType.other.mimeType,
                receivedAt: 1)
            try await vault.addForTests(record)
        }
        let ids = try await allIDs(of: session)
        #expect(ids.count == 1100)
        #expect(try await session.trash.move(ids) == 1100)
        #expect(try await session.trash.empty().count == 1100)
        #expect(vault.head.rowCount < 1200)
        try await host.stop()
    }

    private func allIDs(of session: Session) async throws -> [String] {
        var ids: [String] = []
        var cursor: String?
        repeat {
            let page = try await session.photos.page(cursor: cursor, limit: 1000)
            ids += page.photos.map(\.id)
            cursor = page.cursor
        } while cursor != nil
        return ids
    }

    @Test("an id names a photo in its own session only, and ids differ from session to session")
    func handles() async throws {
        let one = try await session(1)
        let service = try host.service()
        let two = try await service.open("violet tram seven")
        let mine = try await one.photos.page(cursor: nil).photos[0]
        let theirs = try await two.photos.page(cursor: nil).photos[0]
        #expect(mine.id != theirs.id)
        #expect(mine.id.utf8.count == 22)
        for strange in [theirs.id, "", "x", String(repeating: "A", count: 22)] {
            await #expect(throws: VaultError.noSuchPhoto) { _ = try await one.photos.photo(strange) }
            await #expect(throws: VaultError.noSuchPhoto) { _ = try await one.photos.original(strange) }
            await #expect(throws: VaultError.noSuchPhoto) { _ = try await one.trash.move([strange]) }
        }
        #expect(try await one.names() == ["0"])
        try await host.stop()
    }

    @Test("an archive can be fetched until ten minutes after its last use, in its session")
    func archives() async throws {
        let session = try await session(2)
        let ids = try await session.photos.page(cursor: nil).photos.map(\.id)
        let name = try await session.archives.make(ids)
        for _ in 0..<2 {
            #expect(
                try await session.archives.photos(of: session.archives.archive(name)).photos.map {
                    session.handle($0.serial)
                } == ids)
        }
        #expect(throws: VaultError.archiveGone) { try session.archives.archive("another") }
        await #expect(throws: VaultError.noSuchPhoto) { _ = try await session.archives.make([]) }
        try await host.stop()
    }

    @Test("an archive takes more photos, each once, until it is fetched")
    func growingArchive() async throws {
        let session = try await session(4)
        let ids = try await session.photos.page(cursor: nil).photos.map(\.id)
        let name = try await session.archives.make(Array(ids[..<2]))
        try await session.archives.add(Array(ids[1...]), to: name)
        let archive = try session.archives.archive(name)
        #expect(try await session.archives.photos(of: archive).photos.map { session.handle($0.serial) } == ids)
        #expect(archive.isUnchanged("first layout"))
        await #expect(throws: VaultError.archiveGone) { try await session.archives.add([ids[0]], to: name) }
        await #expect(throws: VaultError.archiveGone) { try await session.archives.add([ids[0]], to: "another") }
        try await host.stop()
    }

    @Test("the trash comes in pages, which go on behind a photo that was put back meanwhile")
    func trashPages() async throws {
        let session = try await session(5)
        let ids = try await session.photos.page(cursor: nil).photos.map(\.id)
        for id in ids { _ = try await session.trash.move([id]) }
        let all = try await session.trash.all().map(\.id)
        #expect(Set(all) == Set(ids))
        let first = try await session.trash.page(cursor: nil, limit: 2)
        #expect(first.photos.map(\.id) == Array(all[..<2]))
        _ = try await session.trash.restore([all[1]])
        let second = try await session.trash.page(cursor: first.cursor, limit: 2)
        let third = try await session.trash.page(cursor: second.cursor, limit: 2)
        #expect((second.photos + third.photos).map(\.id) == Array(all[2...]))
        #expect(third.cursor == nil)
        for cursor in ["", "x", "x.1", "\(all[0])", "\(all[0]).x"] {
            await #expect(throws: VaultError.invalidCursor) { _ = try await session.trash.page(cursor: cursor) }
        }
        try await host.stop()
    }

    @Test("what lay in the trash for its time goes at an opening; a clock that jumped deletes nothing")
    func purge() async throws {
        let first = try await session(2)
        let service = try host.service()
        let old = try await first.photos.page(cursor: nil).photos[1]
        _ = try await first.trash.move([old.id])
        let monthAgo = Milliseconds.now - 31 * 86_400_000
        let serial = try first.serial(old.id)
        _ = try await first.requireVault().update([serial], where: { _ in true }, { $0.deletedAt = monthAgo })
        try await service.lock(first)

        let today = UInt32(Milliseconds.now / 86_400_000)
        try await service.tamper { try $0.setMetaValue("last_day", (today - 40).bigEndianBytes) }
        let running = try await service.open("violet tram seven")
        #expect(try await running.trash.all().count == 1)
        let jumped = try await host.restart()
        let second = try await jumped.open("violet tram seven")
        #expect(try await second.trash.all().count == 1)

        try await jumped.tamper { try $0.setMetaValue("last_day", today.bigEndianBytes) }
        let trusted = try await host.restart()
        let third = try await trusted.open("violet tram seven")
        #expect(try await third.trash.all().isEmpty)
        #expect(try await third.names() == ["1"])
        try await host.stop()
    }

    @Test("a photo deleted while the clock is behind counts as deleted on the last day that was sure")
    func deletedByAClockThatIsBehind() async throws {
        let session = try await session(1)
        let sure = UInt32(Milliseconds.now / 86_400_000) + 40
        try await host.service().tamper { try $0.setMetaValue("last_day", sure.bigEndianBytes) }
        _ = try await session.trash.move(try await session.photos.page(cursor: nil).photos.map(\.id))
        let deletedAt = try #require(try await session.trash.all().first?.deletedAt)
        #expect(Milliseconds.from(deletedAt) == UInt64(sure) * 86_400_000)
        try await host.stop()
    }
}
