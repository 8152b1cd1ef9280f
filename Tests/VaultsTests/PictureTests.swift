import Foundation
import HostSupport
import Imaging
import ImagingProtocol
import Media
import Sealing
import Store
import Testing

@testable import Content
@testable import Records
@testable import Vaults

@Suite("Pictures of photos")
struct PictureTests {
    private let text = "violet tram seven"
    private let maker = SampleMaker()
    let host: TestHost

    init() throws {
        let making = PictureMaking(maker: maker)
        host = try TestHost { $0.pictures = making }
    }

    private func session() async throws -> Session { try await host.start().make(text) }

    private func settle(_ session: Session) async throws { await (try session.requireVault()).pictures.pause() }

    private func bytes(_ answer: PictureAnswer) -> [UInt8]? {
        if case .made(let picture) = answer { picture.bytes } else { nil }
    }

    @Test("are made after the upload, sealed, and there after a restart without being made again")
    func made() async throws {
        let session = try await session()
        let id = try await session.upload(photoBytes(0x41, 0x42)).id
        try await settle(session)
        #expect(bytes(try await session.pictures.picture(id, .thumbnail)) == photoBytes(0x41, 0x42, 1))
        #expect(bytes(try await session.pictures.picture(id, .preview)) == photoBytes(0x41, 0x42, 2))
        let next = try await host.restart().open(text)
        try await settle(next)
        let photo = try #require(try await next.photos.page(cursor: nil).photos.first)
        #expect(photo.details.picture == .made(isIncomplete: false))
        #expect(bytes(try await next.pictures.picture(photo.id, .thumbnail)) == photoBytes(0x41, 0x42, 1))
        #expect(maker.seen.count == 1)
        try await host.stop()
    }

    @Test("those in sight come first, in their order, then the newest")
    func order() async throws {
        let session = try await session()
        maker.setAvailable(false)
        var ids: [String] = []
        for number in 0..<6 { ids.append(try await session.upload(photoBytes(UInt8(number))).id) }
        try await settle(session)
        let before = maker.seen.count
        maker.setAvailable(true)
        try await session.pictures.wish(for: [ids[1], ids[0]])
        try await settle(session)
        #expect(maker.seen.dropFirst(before).map(\.first) == [1, 0, 5, 4, 3, 2])
        try await host.stop()
    }

    @Test("a file that cannot be decoded is marked once, with the reason, and not tried again")
    func unreadable() async throws {
        let session = try await session()
        let id = try await session.upload(photoBytes(0xEE)).id
        try await settle(session)
        #expect(try await session.photos.photo(id).details.picture == .unreadable(.damaged))
        guard case .unreadable(.damaged) = try await session.pictures.picture(id, .thumbnail) else {
            Issue.record("no reason")
            return
        }
        let next = try await host.restart().open(text)
        try await next.pictures.wish(for: try await next.photos.page(cursor: nil).photos.map(\.id))
        try await settle(next)
        #expect(maker.seen.count == 1)
        try await host.stop()
    }

    @Test("a file that cannot be decoded stands where it says that it was taken, and is not tried again")
    func unreadableFacts() async throws {
        let session = try await session()
        var facts = MediaFacts()
        facts.takenAt = CaptureTime(milliseconds: 1_441_710_137_000, isInstant: false, source: .exif)
        facts.cameraModel = "u1020"
        maker.facts = facts
        let id = try await session.upload(photoBytes(0xED)).id
        try await settle(session)
        let details = try await session.photos.photo(id).details
        #expect(details.picture == .unreadable(.damaged))
        #expect(details.facts.cameraModel == "u1020")
        #expect(try await session.photos.months().map(\.month.text) == ["2015-09"])
        let next = try await host.restart().open(text)
        try await settle(next)
        #expect(maker.seen.count == 1)
        try await host.stop()
    }

    @Test("what earlier decoders could not read is looked into again by others, once, and nothing else is")
    func laterVersion() async throws {
        let session = try await session()
        for content: UInt8 in [0xEE, 1] {
            try await session.upload(photoBytes(content))
            try await settle(session)
        }
        let vault = try session.requireVault()
        let serials = try vault.library.allBlocking().map(\.serial)
        _ = try await vault.update(
            serials, where: { $0.picture?.state == .unreadable(.damaged) },
            { $0.picture = PictureNote(.damaged, version: imagingVersion &- 1) })
        maker.readEverything()
        for _ in 0..<2 {
            let next = try await host.restart().open(text)
            try await settle(next)
            let states = try await next.photos.page(cursor: nil).photos.map(\.details.picture)
            #expect(states == [.made(isIncomplete: false), .made(isIncomplete: false)])
            #expect(maker.seen == [[0xEE], [1], [0xEE]])
        }
        try await host.stop()
    }

    @Test("videos for which there was no player get their posters at an opening after there is one")
    func laterPlayer() async throws {
        let session = try await session()
        maker.setPlaysVideos(false)
        for number in 0..<3 { try await session.upload(video(UInt8(number)), name: "\(number).mp4") }
        try await settle(session)
        #expect(try await session.photos.page(cursor: nil).photos.allSatisfy { $0.details.picture == .none })
        // One is tried, and shows that there is still none.
        let second = try await host.restart().open(text)
        try await settle(second)
        #expect(maker.seen.count == 4)
        #expect(try await second.photos.page(cursor: nil).photos.allSatisfy { $0.details.picture == .none })
        maker.setPlaysVideos(true)
        let third = try await host.restart().open(text)
        try await settle(third)
        let made = try await third.photos.page(cursor: nil).photos
        #expect(made.allSatisfy { $0.details.picture == .made(isIncomplete: false) })
        #expect(bytes(try await third.pictures.picture(made[0].id, .thumbnail)) == photoBytes(1))
        #expect(maker.seen.count == 7)
        try await host.stop()
    }

    @Test("a player that comes while the vault is open plays what came before, too, with the next video")
    func playerMeanwhile() async throws {
        let session = try await session()
        maker.setPlaysVideos(false)
        try await session.upload(video(1), name: "1.mp4")
        try await settle(session)
        maker.setPlaysVideos(true)
        try await session.upload(video(2), name: "2.mp4")
        try await settle(session)
        let photos = try await session.photos.page(cursor: nil).photos
        #expect(photos.map(\.details.picture) == [.made(isIncomplete: false), .made(isIncomplete: false)])
        try await host.stop()
    }

    private func video(_ content: UInt8) -> [UInt8] {
        [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0, content]
    }

    @Test(
        "what is no picture, and a file without content, are marked without asking anybody", arguments: [true, false])
    func noPicture(isEmpty: Bool) async throws {
        let session = try await session()
        let id = try await session.upload(isEmpty ? [] : Array("words".utf8), name: "notes.txt").id
        try await settle(session)
        #expect(try await session.photos.photo(id).details.picture == .unreadable(isEmpty ? .empty : .unknownFormat))
        #expect(maker.seen.isEmpty)
        try await host.stop()
    }

    @Test("while they cannot be made the photo stays pending, and the next opening goes on")
    func unavailable() async throws {
        let session = try await session()
        maker.setAvailable(false)
        let id = try await session.upload(photoBytes(7)).id
        try await settle(session)
        #expect(try await session.photos.photo(id).details.picture == .pending)
        maker.setAvailable(true)
        let next = try await host.restart().open(text)
        try await settle(next)
        #expect(try await next.photos.page(cursor: nil).photos.first?.details.picture == .made(isIncomplete: false))
        try await host.stop()
    }

    @Test("with the vault's last session the work stops, and goes on at the next opening")
    func stops() async throws {
        let session = try await session()
        maker.hold()
        try await session.upload(photoBytes(1))
        while maker.seen.isEmpty { await Task.yield() }
        let service = try host.service()
        weak let vault = try session.requireVault()
        try await service.lock(session)
        // Whoever still holds it for a moment, as the upload does that has just ended, would be given it again below.
        while vault != nil { await Task.yield() }
        maker.release()
        let next = try await service.open(text)
        try await settle(next)
        #expect(maker.seen.count == 2)
        #expect(try await next.photos.page(cursor: nil).photos.first?.details.picture == .made(isIncomplete: false))
        try await host.stop()
    }

    @Test("a picture that was lost is made again when somebody asks for it")
    func lost() async throws {
        let session = try await session()
        let id = try await session.upload(photoBytes(9)).id
        try await settle(session)
        try await host.stop()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: host.file("previews.sqlite\(suffix)"))
        }
        let next = try await host.start().open(text)
        let again = try #require(try await next.photos.page(cursor: nil).photos.first?.id)
        guard case .pending = try await next.pictures.picture(again, .thumbnail) else {
            Issue.record("it is there")
            return
        }
        try await settle(next)
        #expect(bytes(try await next.pictures.picture(again, .thumbnail)) == photoBytes(9, 1))
        #expect(id != again)
        try await host.stop()
    }

    @Test("who waits for a thumbnail gets it as soon as it is made, or hears that it is not there in time")
    func waiting() async throws {
        let session = try await session()
        maker.hold()
        let id = try await session.upload(photoBytes(3)).id
        while maker.seen.isEmpty { await Task.yield() }
        guard case .pending = try await session.pictures.thumbnail(id, until: .now + .milliseconds(1)) else {
            Issue.record("it is there")
            return
        }
        async let answer = session.pictures.thumbnail(id, until: .now + .seconds(600))
        maker.release()
        #expect(bytes(try await answer) == photoBytes(3, 1))
        guard case .unknown = try await session.pictures.thumbnail("AAAAAAAAAAAAAAAAAAAAAA", until: nil) else {
            Issue.record("a photo of nobody")
            return
        }
        try await host.stop()
    }

    @Test("what the page made of a photo stands for it until there is one of the host's, and never again")
    func provisional() async throws {
        let session = try await session()
        maker.setAvailable(false)
        let id = try await session.upload(photoBytes(7)).id
        let early = Task { try await session.pictures.thumbnail(id, until: .now + .seconds(600)) }
        try await session.pictures.keep(provisional: given(1), of: id)
        // Another one sends a picture of the same photo.
        try await session.pictures.keep(provisional: given(2), of: id)
        #expect(provisional(try await session.pictures.thumbnail(id)) == photoBytes(1))
        let seen = try await early.value
        #expect(provisional(seen) == photoBytes(1) || isPending(seen))
        #expect(isPending(try await session.pictures.thumbnail(id, until: nil, own: true)))
        #expect(isPending(try await session.pictures.preview(id)))
        #expect(try await session.photos.photo(id).details.picture == .pending)
        #expect(try host.service().store.previews.count() == 1)

        let next = try await host.restart().open(text)
        let again = try #require(try await next.photos.page(cursor: nil).photos.first).id
        #expect(provisional(try await next.pictures.thumbnail(again)) == photoBytes(1))
        maker.setAvailable(true)
        try await next.pictures.wish(for: [again])
        try await settle(next)
        #expect(bytes(try await next.pictures.thumbnail(again)) == photoBytes(7, 1))
        try await next.pictures.keep(provisional: given(3), of: again)
        #expect(bytes(try await next.pictures.thumbnail(again)) == photoBytes(7, 1))
        #expect(try host.service().store.previews.count() == 2)
        try await host.stop()
    }

    @Test("of a file that shows nothing here, nothing stays that a page made of it; nor of one that is deleted")
    func provisionalEnds() async throws {
        let session = try await session()
        maker.setAvailable(false)
        let broken = try await session.upload(photoBytes(0xEE)).id
        let deleted = try await session.upload(photoBytes(8)).id
        for id in [broken, deleted] { try await session.pictures.keep(provisional: given(1), of: id) }
        #expect(try host.service().store.previews.count() == 2)
        // While one is looked into, what is there of it stays until that ends.
        try await settle(session)
        _ = try await session.trash.move([deleted])
        _ = try await session.trash.delete([deleted])
        #expect(try host.service().store.previews.count() == 1)
        await #expect(throws: VaultError.noSuchPhoto) {
            try await session.pictures.keep(provisional: given(1), of: deleted)
        }
        maker.setAvailable(true)
        try await session.pictures.wish(for: [broken])
        try await settle(session)
        guard case .unreadable(.damaged) = try await session.pictures.thumbnail(broken) else {
            Issue.record("no reason")
            return
        }
        #expect(try host.service().store.previews.count() == 0)
        try await host.stop()
    }

    private func given(_ content: UInt8) -> Rendition {
        Rendition(bytes: photoBytes(content), type: .jpeg, width: 320, height: 240)
    }

    private func provisional(_ answer: PictureAnswer) -> [UInt8]? {
        if case .provisional(let picture) = answer { picture.bytes } else { nil }
    }

    private func isPending(_ answer: PictureAnswer) -> Bool {
        if case .pending = answer { true } else { false }
    }

    @Test("those in sight wait neither for uploads nor for a picture that nobody asked for; the others wait for both")
    func uploadsUnderWay() async throws {
        let making = PictureMaking(maker: maker)
        let host = try TestHost {
            $0.pictures = making
            $0.limits.quietBeforeReread = .milliseconds(10)
            $0.limits.patienceBeforeReread = .seconds(86_400)
        }
        let session = try await host.start().make(text)
        let pictures = try session.requireVault().pictures
        maker.hold()
        let begun = try await session.upload(photoBytes(1)).id
        while maker.seen.count < 1 { await Task.yield() }
        // An upload that goes on: beside it nothing is begun that may wait.
        let permit = try host.service().engine.admit(ObjectIdentifier(session), to: session.requireVault())
        let unseen = try await session.upload(photoBytes(2)).id
        let wished = try await session.upload(photoBytes(3)).id
        try await session.pictures.wish(for: [wished])
        while maker.seen.count < 2 { await Task.yield() }
        let answer = Task { try await session.pictures.thumbnail(wished, until: .now + .seconds(600)) }
        // Of the one under way, too, which begins again.
        try await session.pictures.wish(for: [begun])
        maker.release()
        #expect(bytes(try await answer.value) == photoBytes(3, 1))
        #expect(bytes(try await session.pictures.thumbnail(begun, until: .now + .seconds(600))) == photoBytes(1, 1))
        #expect(maker.seen == [[1], [3], [1]])
        #expect(maker.awaited == [[3], [1]])
        #expect(try await session.photos.photo(unseen).details.picture == .pending)
        withExtendedLifetime(permit) {}
        _ = consume permit
        await pictures.pause()
        #expect(bytes(try await session.pictures.picture(unseen, .thumbnail)) == photoBytes(2, 1))
        try await host.stop()
    }

    @Test("several workers look into every photo of a vault, those in sight first", arguments: [true, false])
    func severalWorkers(hasWishes: Bool) async throws {
        let making = PictureMaking(maker: maker, workerCount: 4)
        let host = try TestHost { $0.pictures = making }
        let session = try await host.start().make(text)
        var ids: [String] = []
        for number in 0..<40 {
            ids.append(try await session.upload(photoBytes(UInt8(number))).id)
            if hasWishes, number % 8 == 7 { try await session.pictures.wish(for: Array(ids.suffix(16))) }
        }
        try await settle(session)
        for (number, id) in ids.enumerated() {
            #expect(bytes(try await session.pictures.picture(id, .thumbnail)) == photoBytes(UInt8(number), 1))
        }
        #expect(try host.service().store.previews.count() == 80)
        // One that was begun when somebody asked for it begins again.
        if !hasWishes { #expect(maker.seen.count == 40) }
        try await host.stop()
    }

    @Test("go with their photo, whether it is deleted, erased with the vault or dropped as a duplicate")
    func removed() async throws {
        let session = try await session()
        let store = try host.service().store
        let first = try await session.upload(photoBytes(1)).id
        try await session.upload(photoBytes(2))
        try await settle(session)
        #expect(try store.previews.count() == 4)
        _ = try await session.trash.move([first])
        #expect(try store.previews.count() == 4)
        _ = try await session.trash.empty()
        #expect(try store.previews.count() == 2)
        try await host.service().erase(session, password: password(text), client: .here)
        #expect(try store.previews.count() == 0)
        try await host.stop()
    }

    @Test("a photo that is deleted while somebody looks into it leaves none behind")
    func removedMeanwhile() async throws {
        let session = try await session()
        maker.hold()
        let id = try await session.upload(photoBytes(1)).id
        while maker.seen.isEmpty { await Task.yield() }
        _ = try await session.trash.move([id])
        _ = try await session.trash.empty()
        maker.release()
        try await settle(session)
        let store = try host.service().store
        #expect(try store.previews.count() == 0)
        try await host.stop()
    }
}
