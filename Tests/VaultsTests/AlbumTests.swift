import Foundation
import HostSupport
import Media
import NIOCore
import Sealing
import TestSupport
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("Albums, hearts, captions and dates")
struct AlbumTests {
    private let text = "violet tram seven"
    let host: TestHost

    init() throws { host = try TestHost() }

    private func session() async throws -> Session { try await host.start().make(text) }

    private func reopened() async throws -> Session { try await host.restart().open(text) }

    private func names(of album: String, _ session: Session) async throws -> [String] {
        let scope = try await session.albums.scope(of: album)
        var names: [String] = []
        for (month, _) in try await session.photos.months(of: scope) {
            names += try await session.photos.page(of: month, in: scope, cursor: nil).photos.map(\.name)
        }
        return names
    }

    @Test("An album keeps its photos over a restart, and is gone without them when it is deleted")
    func life() async throws {
        var session = try await session()
        let one = try await session.upload([1], name: "one")
        let two = try await session.upload([2, 2], name: "two")
        try await session.upload([3, 3, 3], name: "three")
        let made = try await session.albums.make("Rome", with: [one.id])
        #expect(try await session.albums.add([one.id, two.id], to: made.id) == 1)
        #expect(try await session.albums.all().map(\.count) == [2])
        session = try await reopened()
        let album = try #require(try await session.albums.all().first)
        #expect((album.id, album.name, album.count) == (made.id, "Rome", 2))
        #expect(try await names(of: album.id, session) == ["two", "one"])
        let ids = try await session.photos.page(cursor: nil).photos.map(\.id)
        #expect(try await session.photos.photo(ids[1]).details.albums.map(\.name) == ["Rome"])
        #expect(try await session.albums.remove(album.id, deletesPhotos: false) == 0)
        await #expect(throws: VaultError.noSuchAlbum) { try await session.albums.album(album.id) }
        #expect(try await session.names().count == 3)
        #expect(try await session.photos.photo(ids[1]).details.albums.isEmpty)
        session = try await reopened()
        #expect(try await session.albums.all().isEmpty)
        #expect(session.damage == nil)
    }

    /// What a page shows that sorts by hand: those with a place, the least first, then the others as they are listed.
    private func byHand(_ session: Session) async throws -> String {
        let all = try await session.albums.all()
        let moved = all.filter { $0.place != nil }.sorted { ($0.place ?? 0) < ($1.place ?? 0) }
        return (moved + all.filter { $0.place == nil }).compactMap(\.name).joined()
    }

    @Test("An order by hand is kept over a restart, and albums that nobody has moved follow it")
    func orderByHand() async throws {
        var session = try await session()
        var ids: [String: String] = [:]
        for name in ["a", "b", "c", "d"] { ids[name] = try await session.albums.make(name).id }
        func move(_ name: String, behind other: String?) async throws {
            let behind: PhotoCorrection.Word<String> = if let other { .said(try #require(ids[other])) } else { .none }
            _ = try await session.albums.change(try #require(ids[name]), behind: .some(behind))
        }
        #expect(try await byHand(session) == "dcba")
        try await move("a", behind: nil)
        #expect(try await byHand(session) == "adcb")
        try await move("b", behind: "c")
        #expect(try await byHand(session) == "adcb")
        try await move("d", behind: "b")
        #expect(try await byHand(session) == "acbd")
        ids["e"] = try await session.albums.make("e").id
        #expect(try await byHand(session) == "acbde")
        // However often one moves between two others, there is room.
        for turn in 0..<60 { try await move(turn.isMultiple(of: 2) ? "b" : "c", behind: "a") }
        #expect(try await byHand(session) == "acbde")
        try await move("b", behind: "a")
        await #expect(throws: VaultError.noSuchAlbum) {
            _ = try await session.albums.change(try #require(ids["a"]), behind: .said("AAAAAAAAAAAAAAAAAAAAAA"))
        }
        session = try await reopened()
        #expect(try await byHand(session) == "abcde")
    }

    private func upload(_ byte: UInt8, takenAt text: String, to session: Session) async throws -> Photo {
        let photo = try await session.upload([byte], name: text)
        var moment = PhotoCorrection()
        moment.takenAt = .said(try #require(CaptureTime(said: text)))
        return try await session.photos.correct(photo.id, moment)
    }

    @Test("What is archived leaves the timeline and no other list, is counted, and comes back")
    func archive() async throws {
        var session = try await session()
        let one = try await upload(1, takenAt: "2021-11-29T08:00", to: session)
        _ = try await upload(2, takenAt: "2020-11-29T08:00", to: session)
        let album = try await session.albums.make("Rome", with: [one.id])
        await #expect(throws: VaultError.noSuchAlbum) { try await session.albums.album(Album.archived) }
        #expect(try await session.photos.setArchived([one.id], true) == 1)
        #expect(try await session.photos.setArchived([one.id], true) == 0)
        session = try await reopened()
        let timeline = try await session.photos.months()
        #expect(timeline.map(\.month.text) == ["2020-11"] && timeline.map(\.count) == [1])
        #expect(
            try await session.photos.page(of: timeline[0].month, cursor: nil).photos.map(\.name) == ["2020-11-29T08:00"]
        )
        #expect(try await names(of: Album.archived, session) == ["2021-11-29T08:00"])
        #expect(try await names(of: "on-2026-11-29", session) == ["2020-11-29T08:00"])
        #expect(try await names(of: album.id, session) == ["2021-11-29T08:00"])
        #expect(try await session.photos.count() == 2)
        #expect(try await session.names().count == 2)
        let found = try await session.search.find("archived").page.photos
        #expect(found.map(\.details.keeping.isArchived) == [true])
        #expect(try await session.albums.all().map(\.name) == ["Rome"])
        #expect(try await session.albums.takeOut(found.map(\.id), of: Album.archived) == 1)
        #expect(try await session.photos.months().map(\.month.text) == ["2021-11", "2020-11"])
        await #expect(throws: VaultError.noSuchAlbum) { try await session.albums.album(Album.archived) }
    }

    @Test("On a day stand the photos of that day in the years before, by the clock of where they were taken")
    func anniversaries() async throws {
        let session = try await session()
        let times = [
            "2026-11-29T08:00", "2025-11-28T23:59:59", "2025-11-29T00:00", "2025-11-29T23:59:59+09:00",
            "2024-11-30T00:00",
            "1965-11-29T12:00", "1826-11-29T12:00",
        ]
        for (number, time) in times.enumerated() { _ = try await upload(UInt8(number + 1), takenAt: time, to: session) }
        let expected = ["2025-11-29T23:59:59+09:00", "2025-11-29T00:00", "1965-11-29T12:00", "1826-11-29T12:00"]
        #expect(try await names(of: "on-2026-11-29", session) == expected)
        let album = try await session.albums.album("on-2026-11-29")
        #expect((album.count, album.name, album.usedAt == nil) == (4, nil, true))
        #expect(try await names(of: "on-1826-11-29", session).isEmpty)
        for id in ["on-2026-11-31", "on-2026-1-01", "on-", "on-2026-11-2x", "on-2025-02-29"] {
            await #expect(throws: VaultError.noSuchAlbum) { try await session.albums.scope(of: id) }
        }
        await #expect(throws: VaultError.noSuchAlbum) {
            try await session.albums.add(
                try await session.photos.page(cursor: nil).photos.map(\.id), to: "on-2026-11-29")
        }
    }

    @Test("On a leap day stand those of leap years alone")
    func leapDay() async throws {
        let session = try await session()
        for (number, time) in ["2020-02-29", "2019-03-01", "2019-02-28"].enumerated() {
            _ = try await upload(UInt8(number + 1), takenAt: time, to: session)
        }
        #expect(try await names(of: "on-2024-02-29", session) == ["2020-02-29"])
    }

    @Test("Of photos of the same moment the cover is the one that stands first in the album")
    func coverOfBurst() async throws {
        let session = try await session()
        let album = try await session.albums.make("Rome")
        var moment = PhotoCorrection()
        moment.takenAt = .said(try #require(CaptureTime(said: "2026-06-30T14:05")))
        for byte in UInt8(1)...3 {
            let photo = try await session.upload([byte], name: "\(byte)")
            _ = try await session.photos.correct(photo.id, moment)
            _ = try await session.albums.add([photo.id], to: album.id)
            #expect(try await session.albums.album(album.id).cover == photo.id)
        }
    }

    @Test("A photo in 64 albums joins no other, and then none of the request does")
    func mostAlbums() async throws {
        host.configuration.limits.quietBeforeReread = .zero
        let session = try await session()
        let (full, other) = (try await session.upload([1]), try await session.upload([2, 2]))
        var last = ""
        for number in 1...64 { last = try await session.albums.make("\(number)", with: [full.id]).id }
        let one = try await session.albums.make("one more")
        await #expect(throws: VaultError.tooManyAlbums) {
            try await session.albums.add([other.id, full.id], to: one.id)
        }
        #expect(try await session.albums.album(one.id).count == 0)
        try await session.settle()
        // What comes once more is saved all the same, and makes no album that it cannot join.
        for album in ["one more", "of no use"] {
            let again = try await session.uploads.begin(
                name: "again", declaredByteCount: 1, lastModified: nil, album: album)
            try await again.append(ByteBuffer(bytes: [1]))
            #expect(try await again.finish().id == full.id)
        }
        #expect(try await session.albums.all().filter { $0.count == 0 }.map(\.name) == ["one more"])
        _ = try await session.albums.remove(last, deletesPhotos: false)
        #expect(try await session.albums.add([other.id, full.id], to: one.id) == 2)
    }

    @Test("A move of 500 photos into an album is one change of the ledger")
    func oneTransaction() async throws {
        let session = try await session()
        let vault = try session.requireVault()
        vault.stopWorkers()
        for number in 0..<500 {
            var record = PhotoRecord(
                serial: 0, object: .random(), byteCount: 1, runs: [], name: "\(number)", type: "image/jpeg",
                receivedAt: 1)
            record.sha256 = [UInt8](repeating: 1, count: 32)
            try await vault.addForTests(record)
        }
        let ids = try await session.photos.page(cursor: nil).photos.map(\.id)
        let album = try await session.albums.make("All")
        let before = vault.head.generation
        #expect(try await session.albums.add(ids, to: album.id) == 500)
        #expect(vault.head.generation == before + 1)
        #expect(try await session.albums.album(album.id).count == 500)
    }

    @Test("Hearts, captions, rotation and dates survive the trash, a restart and another key")
    func surviving() async throws {
        var session = try await session()
        let photo = try await session.upload([1, 2, 3], name: "IMG_20240131_123456.jpg")
        var correction = PhotoCorrection()
        correction.caption = .said("Am Meer\n海")
        correction.takenAt = .said(try #require(CaptureTime(said: "1965-06-30T14:05")))
        correction.rotation = 270
        let edit = try #require(PhotoEdit(left: 0.1, top: 0, right: 0.9, bottom: 0.5, angle: -2.5))
        correction.edit = .said(edit)
        _ = try await session.photos.correct(photo.id, correction)
        #expect(try await session.photos.setFavourite([photo.id, photo.id], true) == 1)
        _ = try await session.trash.move([photo.id])
        #expect(try await session.albums.all().isEmpty)
        _ = try await session.trash.restore([photo.id])
        _ = try await host.service().rotateKey(session, password: try password(text), client: .here)
        session = try await reopened()
        let found = try #require(try await session.photos.page(cursor: nil).photos.first)
        #expect(found.details.keeping.caption == "Am Meer\n海")
        #expect((found.details.keeping.rotation, found.details.keeping.isFavourite) == (270, true))
        #expect(found.details.keeping.edit == edit)
        let cover = try await session.albums.album(Album.favourites).coverKeeping
        #expect((cover.rotation, cover.edit) == (270, edit))
        #expect(found.details.takenAt?.source == .person)
        #expect(try await session.photos.months().map(\.month.text) == ["1965-06"])
        #expect(try await session.albums.all().map(\.id) == ["favourites"])
        var back = PhotoCorrection()
        back.takenAt = .some(.none)
        let again = try await session.photos.correct(found.id, back)
        #expect(again.details.takenAt?.source == .name)
        #expect(again.details.keeping.caption != nil)
        #expect(again.details.keeping.edit == edit)
        // All of a photo is no part of it.
        back.edit = .said(try #require(PhotoEdit(left: 0, top: 0, right: 1, bottom: 1, angle: 0)))
        #expect(try await session.photos.correct(found.id, back).details.keeping.edit == nil)
    }

    @Test("Two sessions that change one album at once lose nothing")
    func twoSessions() async throws {
        let service = try await host.start()
        let one = try await service.make(text)
        let two = try await service.open(text)
        for number in 0..<20 { try await one.upload([UInt8(number), 1], name: "\(number)") }
        let album = try await one.albums.make("Both")
        let (mine, theirs) = (
            try await one.photos.page(cursor: nil).photos.map(\.id),
            try await two.photos.page(cursor: nil).photos.map(\.id)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask { _ = try await one.albums.add([mine[number]], to: album.id) }
                group.addTask { _ = try await two.albums.add([theirs[19 - number]], to: album.id) }
            }
            group.addTask { _ = try await two.albums.change(album.id, name: "Ours") }
            try await group.waitForAll()
        }
        let found = try await two.albums.album(album.id)
        #expect((found.count, found.name) == (20, "Ours"))
        #expect(one.listingNumber == two.listingNumber)
    }

    @Test("The listing is another one after each change")
    func listing() async throws {
        let session = try await session()
        let photo = try await session.upload([1])
        try await session.settle()
        let album = try await session.albums.make("Rome")
        var turned = PhotoCorrection()
        turned.rotation = 90
        var cropped = PhotoCorrection()
        cropped.edit = .said(try #require(PhotoEdit(left: 0, top: 0, right: 0.5, bottom: 1, angle: 0)))
        let changes: [() async throws -> Void] = [
            { _ = try await session.albums.make("Another") },
            { _ = try await session.albums.add([photo.id], to: album.id) },
            { _ = try await session.albums.change(album.id, name: "Roma") },
            { _ = try await session.albums.change(album.id, cover: .said(photo.id)) },
            { _ = try await session.albums.takeOut([photo.id], of: album.id) },
            { _ = try await session.photos.setFavourite([photo.id], true) },
            { _ = try await session.photos.correct(photo.id, turned) },
            { _ = try await session.photos.correct(photo.id, cropped) },
            { _ = try await session.photos.shift([photo.id], minutes: -60) },
            { _ = try await session.albums.remove(album.id, deletesPhotos: false) },
        ]
        for (number, change) in changes.enumerated() {
            let before = session.listingNumber
            try await change()
            #expect(session.listingNumber != before, "change \(number)")
        }
    }

    @Test("A guest has no album and no heart, and is told to open a vault")
    func guests() async throws {
        let guest = try await host.start().guest().session
        let photo = try await guest.upload([1])
        #expect(try await guest.albums.all().isEmpty)
        await #expect(throws: VaultError.vaultNeeded) { try await guest.albums.make("Rome") }
        await #expect(throws: VaultError.vaultNeeded) { try await guest.photos.setFavourite([photo.id], true) }
        await #expect(throws: VaultError.vaultNeeded) { try await guest.photos.shift([photo.id], minutes: 1) }
        await #expect(throws: VaultError.vaultNeeded) { try await guest.photos.correct(photo.id, PhotoCorrection()) }
        await #expect(throws: VaultError.vaultNeeded) {
            try await guest.uploads.begin(name: "a", declaredByteCount: 1, lastModified: nil, album: "Rome")
        }
    }

    @Test("An album whose row is lost is gone, and its photos are there once the loss is accepted")
    func lostAlbum() async throws {
        var service = try await host.start()
        var session = try await service.make(text)
        let photo = try await session.upload([1], name: "one")
        let album = try await session.albums.make("Rome", with: [photo.id])
        let vault = try session.requireVault()
        let row = try #require(vault.draft.albums.values.first).rowNumber
        let id = try vault.rowID(.item(row))
        try await service.tamperEverywhere { try $0.replaceBody(of: id, sampleBytes(512)) }
        session = try await reopened()
        service = try host.service()
        #expect(session.damage?.missingEntries == 1)
        #expect(try await session.albums.all().isEmpty)
        try await service.acceptLoss(session)
        #expect(try await session.names() == ["one"])
        #expect(try await session.albums.make("Rome").id != album.id)
        session = try await reopened()
        #expect(session.damage == nil)
    }
}
