import Foundation
import HostSupport
import Import
import Media
import NIOCore
import Sealing
import Store
import TestSupport
import Testing

@testable import Content
@testable import Records
@testable import Vault
@testable import Vaults

@Suite("What lies beside photos is told them, whichever comes first")
struct SidecarSettlingTests {
    private static let text = "violet tram seven"
    /// 2012-03-04 05:06:07.
    private static let taken: Int64 = 1_330_837_567
    private let host: TestHost

    init() throws {
        host = try TestHost()
        host.configuration.limits.quietBeforeReread = .zero
        host.configuration.limits.doorQuiet = .seconds(3600)
    }

    // MARK: What is sent

    @discardableResult
    private func send(
        _ path: String, _ bytes: [UInt8], to session: Session, batch: String? = nil
    ) async throws -> Photo {
        let name = String(path.split(separator: "/").last ?? "")
        let upload = try await session.uploads.begin(
            name: name, declaredByteCount: UInt64(bytes.count), lastModified: nil, batch: batch,
            path: name == path ? nil : path)
        try await upload.append(ByteBuffer(bytes: bytes))
        return try await upload.finish()
    }

    private func photo(_ seed: String) -> [UInt8] { SampleMaker.head + Array(seed.utf8) }

    private func google(_ title: String, caption: String = "Oma", heart: Bool = true, trashed: Bool = false) -> [UInt8]
    {
        Array(
            """
            {"title": "\(title)", "description": "\(caption)", "photoTakenTime": {"timestamp": "\(Self.taken)"},
             "geoData": {"latitude": 48.1, "longitude": 11.5, "altitude": 0.0}, "favorited": \(heart),
             "trashed": \(trashed), "url": "x"}
            """.utf8)
    }

    private func title(_ text: String) -> [UInt8] {
        Array(#"{"title": "\#(text)", "description": "", "access": "protected", "date": {"timestamp": "0"}}"#.utf8)
    }

    private func settle(_ session: Session) async throws {
        let vault = try session.requireVault()
        // A round may end for want of what the next brings.
        for _ in 0..<100_000 where !vault.library.isSettled { await vault.sidecars.pause() }
        #expect(vault.library.isSettled)
    }

    private func details(_ photo: Photo, _ session: Session) async throws -> PhotoDetails {
        try await settle(session)
        return try await session.photos.photo(photo.id).details
    }

    private func isTold(_ details: PhotoDetails) -> Bool {
        details.takenAt?.milliseconds == Self.taken * 1000 && details.keeping.caption == "Oma"
            && details.keeping.isFavourite && details.facts.place?.latitude == 48.1
    }

    private func albums(_ session: Session) async throws -> [String: Int] {
        let albums = try await session.albums.all().filter { $0.id != Album.favourites }
        return Dictionary(uniqueKeysWithValues: albums.map { ($0.name ?? "", $0.count) })
    }

    private func waiting(_ session: Session) async throws -> Int { try await session.sidecars.waiting().count }

    // MARK: One photo

    @Test("by name alone, in whatever order; what waits is in no list", arguments: [true, false])
    func byName(sidecarFirst: Bool) async throws {
        let session = try await host.start().make(Self.text)
        if sidecarFirst {
            let held = try await send("a.jpg.json", google("a.jpg"), to: session)
            #expect(held.isUnderstood && held.isHeld)
            try await settle(session)
            #expect(try await session.photos.page(cursor: nil).photos.isEmpty)
            #expect(try await session.photos.count() == 0)
            #expect(try await session.trash.page(cursor: nil).photos.isEmpty)
            #expect(try await waiting(session) == 1)
        }
        let sent = try await send("a.jpg", photo("a"), to: session)
        if !sidecarFirst { try await send("a.jpg.json", google("a.jpg"), to: session) }
        #expect(isTold(try await details(sent, session)))
        #expect(try await waiting(session) == 0)
        #expect(try await session.names() == ["a.jpg"])
        try await host.stop()
    }

    @Test("what was archived there is kept out of the timeline, and a person who brings it back is not overruled")
    func archived() async throws {
        let session = try await host.start().make(Self.text)
        let words = Array(
            #"{"title": "a.jpg", "photoTakenTime": {"timestamp": "1"}, "archived": true, "url": "x"}"#.utf8)
        let sent = try await send("a.jpg", photo("a"), to: session)
        try await send("a.jpg.json", words, to: session)
        #expect(try await details(sent, session).keeping.isArchived)
        #expect(try await session.photos.months().isEmpty)
        _ = try await session.photos.setArchived([sent.id], false)
        try await send("a.jpg.json", words, to: session)
        #expect(!(try await details(sent, session).keeping.isArchived))
        try await host.stop()
    }

    @Test("over a restart, and sent again nothing changes")
    func restart() async throws {
        var service = try await host.start()
        var session: Session = try await service.make(Self.text)
        try await send("t.zip/Takeout/Photos/Rome/a.jpg.json", google("a.jpg"), to: session)
        try await settle(session)
        service = try await host.restart()
        session = try await service.open(Self.text)
        #expect(try await waiting(session) == 1)
        let sent = try await send("t.zip/Takeout/Photos/Rome/a.jpg", photo("a"), to: session)
        #expect(isTold(try await details(sent, session)))
        // A person takes the heart back; what is said once more does not bring it.
        _ = try await session.photos.setFavourite([sent.id], false)
        try await send("t.zip/Takeout/Photos/Rome/a.jpg.json", google("a.jpg"), to: session)
        #expect(!(try await details(sent, session).keeping.isFavourite))
        #expect(try await waiting(session) == 0)
        #expect(try await albums(session) == ["Rome": 1])
        try await host.stop()
    }

    @Test("what is not understood stays a file, and so does what is too long")
    func files() async throws {
        let session = try await host.start().make(Self.text)
        let long = google("c.jpg", caption: String(repeating: "x", count: 5 << 20))
        for (name, bytes) in [
            ("a.json", Array("{}".utf8)), ("a.aae", Array("<plist/>".utf8)), ("b.json", Array("{\"title\": ".utf8)),
            ("metadata.json", title("Rome")), ("c.jpg.json", long),
        ] {
            let sent = try await send(name, bytes, to: session)
            #expect(!sent.isUnderstood && !sent.isHeld, "\(name)")
        }
        #expect(try await session.photos.page(cursor: nil).photos.count == 5)
        try await host.stop()
    }

    @Test("an editor's file is read, and kept beside its photo")
    func edits() async throws {
        let session = try await host.start().make(Self.text)
        let xmp = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
            exif:DateTimeOriginal="2011-02-03T04:05:06Z"/></rdf:RDF></x:xmpmeta>
            """
        let held = try await send("a.xmp", Array(xmp.utf8), to: session)
        #expect(held.isUnderstood && !held.isHeld)
        let sent = try await send("a.jpg", photo("a"), to: session)
        try await settle(session)
        let found = try await session.photos.photo(sent.id)
        #expect(found.details.takenAt?.milliseconds == 1_296_705_906_000)
        #expect(found.details.sidecars.map(\.name) == ["a.xmp"])
        try await host.stop()
    }

    @Test("an old photo of the same name is not meant where its own date is another")
    func namesakes() async throws {
        let session = try await host.start().make(Self.text)
        let old = try await send("a.jpg", photo("old"), to: session)
        let own = CaptureTime(milliseconds: 1_000_000_000_000, isInstant: true, source: .exif)
        let serial = try session.serial(old.id)
        _ = try await session.requireVault().update([serial], where: { _ in true }, { $0.takenAt = own.encoded })
        try await send("a.jpg.json", google("a.jpg"), to: session)
        #expect(try await details(old, session).keeping.caption == nil)
        #expect(try await waiting(session) == 1)
        let sent = try await send("a.jpg", photo("new"), to: session)
        #expect(isTold(try await details(sent, session)))
        #expect(try await details(old, session).keeping.caption == nil)
        try await host.stop()
    }

    @Test("what was chosen together belongs together, whatever date is put right there; namesakes do not")
    func correctedDates() async throws {
        let session = try await host.start().make(Self.text)
        let own = CaptureTime(milliseconds: 1_000_000_000_000, isInstant: true, source: .exif)
        func old(_ name: String, _ seed: String, in batch: String?) async throws -> Photo {
            let sent = try await send(name, photo(seed), to: session, batch: batch)
            let serial = try session.serial(sent.id)
            _ = try await session.requireVault().update([serial], where: { _ in true }, { $0.takenAt = own.encoded })
            return sent
        }
        let batch = try await session.batches.create()
        let chosen = try await old("a.jpg", "a", in: batch)
        let alone = try await old("b.jpg", "b", in: nil)
        let twice = [try await old("c.jpg", "c", in: batch), try await old("c.jpg", "d", in: batch)]
        for name in ["a.jpg", "b.jpg", "c.jpg"] {
            try await send("\(name).json", google(name), to: session, batch: batch)
        }
        #expect(try await details(chosen, session).keeping.caption == "Oma")
        #expect(try await details(alone, session).keeping.caption == nil)
        for photo in twice { #expect(try await details(photo, session).keeping.caption == nil) }
        #expect(try await waiting(session) == 2)
        try await host.stop()
    }

    @Test("what was sent to be beside photos, and says nothing, is no file, and goes", arguments: [nil, "Takeout/x"])
    func nothing(folder: String?) async throws {
        let session = try await host.start().make(Self.text)
        let beside = "filename YQ==,beside MQ=="
        func send(_ name: String, _ bytes: [UInt8], _ metadata: String?) async throws -> Photo? {
            let request = UploadRequest(
                name: name, byteCount: UInt64(bytes.count), metadata: metadata, path: folder.map { "\($0)/\(name)" })
            let run = try #require(try await session.uploads.create(request, body: UploadBody()).run)
            try await run.append(ByteBuffer(bytes: bytes))
            return try await run.finish().photo
        }
        let objects = try host.objectFiles().count
        let said = try #require(try await send("a.jpg.json", google("a.jpg"), beside))
        #expect(said.isUnderstood && said.isHeld)
        let odd = try #require(try await send("odd.json", Array("[1]".utf8), beside))
        #expect(!odd.isUnderstood && odd.isHeld)
        // A picture is one, however it was sent, and what was not sent so is a file.
        let picture = try #require(try await send("b.jpg", photo("b"), beside))
        let file = try #require(try await send("kept.json", Array("[2]".utf8), "filename YQ=="))
        #expect(!picture.isHeld && !file.isHeld)
        try await settle(session)
        #expect(try await waiting(session) == 1)
        #expect(try host.objectFiles().count == objects + 3)
        try await host.stop()
    }

    // MARK: Exports

    @Test("a photo that was changed, and one of the same name in another folder, have their own")
    func folders() async throws {
        let session = try await host.start().make(Self.text)
        let root = "takeout-20260901T101112Z-001.zip/Takeout/Google Photos"
        try await send("\(root)/Photos from 2012/a.jpg.json", google("a.jpg"), to: session)
        let one = try await send("\(root)/Photos from 2012/a.jpg", photo("a"), to: session)
        #expect(isTold(try await details(one, session)))
        let part = "takeout-20260901T101112Z-002.zip/Takeout/Google Photos"
        let edited = try await send("\(part)/Photos from 2012/a-edited.jpg", photo("edited"), to: session)
        let other = try await send("\(part)/Photos from 2013/a.jpg", photo("b"), to: session)
        #expect(isTold(try await details(edited, session)))
        #expect(try await details(other, session).keeping.caption == nil)
        #expect(try await albums(session).isEmpty)
        try await host.stop()
    }

    @Test("an album's title that comes later names the album that was called after its folder")
    func titles() async throws {
        var service = try await host.start()
        var session: Session = try await service.make(Self.text)
        let root = "Takeout/Google Photos/Rome_ 2012"
        for name in ["a.jpg", "b.jpg"] { try await send("\(root)/\(name)", photo(name), to: session) }
        try await settle(session)
        #expect(try await albums(session) == ["Rome_ 2012": 2])
        service = try await host.restart()
        session = try await service.open(Self.text)
        try await send("\(root)/metadata.json", title("Rome? 2012"), to: session)
        try await send("\(root)/c.jpg", photo("c"), to: session)
        try await settle(session)
        #expect(try await albums(session) == ["Rome? 2012": 3])
        #expect(try await waiting(session) == 0)
        try await host.stop()
    }

    @Test("a title that comes first waits for its photos")
    func titleFirst() async throws {
        let session = try await host.start().make(Self.text)
        try await send("Takeout/Google Photos/Rom/metadata.json", title("Rome"), to: session)
        try await settle(session)
        #expect(try await waiting(session) == 1)
        #expect(try await albums(session).isEmpty)
        try await send("Takeout/Google Photos/Rom/a.jpg", photo("a"), to: session)
        try await settle(session)
        #expect(try await albums(session) == ["Rome": 1])
        try await host.stop()
    }

    @Test("what lay in the trash there lies there here, too; what was here before stays", arguments: [true, false])
    func trash(sidecarFirst: Bool) async throws {
        let session = try await host.start().make(Self.text)
        let known = try await session.upload(photo("known"), name: "known.jpg")
        try await session.settle()
        let folder = "Takeout/Google Photos/Photos from 2012"
        for name in ["a.jpg", "known.jpg"] {
            let sidecar = google(name, trashed: true)
            if sidecarFirst { try await send("\(folder)/\(name).json", sidecar, to: session) }
            try await send("\(folder)/\(name)", photo(name == "a.jpg" ? "a" : "known"), to: session)
            if !sidecarFirst { try await send("\(folder)/\(name).json", sidecar, to: session) }
        }
        try await session.settle()
        try await settle(session)
        #expect(try await session.photos.page(cursor: nil).photos.map(\.id) == [known.id])
        let trash = try await session.trash.page(cursor: nil).photos
        #expect(trash.map(\.name) == ["a.jpg"])
        // A person wants it after all.
        _ = try await session.trash.restore(trash.map(\.id))
        try await send("\(folder)/b.jpg", photo("b"), to: session)
        try await settle(session)
        #expect(try await session.names().sorted() == ["a.jpg", "b.jpg", "known.jpg"])
        try await host.stop()
    }

    @Test("what is known already and not sent lies where it lies, too")
    func knownContent() async throws {
        let session = try await host.start().make(Self.text)
        let known = try await session.upload(photo("a"), name: "known.jpg")
        try await session.settle()
        try await send("Takeout/Google Photos/Rome/a.jpg.json", google("a.jpg", trashed: true), to: session)
        try await send("Takeout/Google Photos/Rome/b.jpg.json", google("b.jpg"), to: session)
        let bytes = photo("a")
        let question = ContentQuestion.whole(
            byteCount: UInt64(bytes.count), sha256: try bytes.withUnsafeBytes { try SHA256Hasher.hash($0) })
        for name in ["a.jpg", "b.jpg"] {
            let path = "Takeout/Google Photos/Rome/\(name)"
            #expect(try await session.uploads.answers(to: [question], at: [path]) == [.known])
        }
        #expect(isTold(try await details(known, session)))
        #expect(try await albums(session) == ["Rome": 1])
        #expect(try await waiting(session) == 0)
        #expect(try await session.trash.page(cursor: nil).photos.isEmpty)
        try await host.stop()
    }

    @Test("Apple's lists, before their photos and behind them")
    func lists() async throws {
        let session = try await host.start().make(Self.text)
        let head = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate\n"
        let line = "IMG_1.JPG,x,yes,no,no,\"Sunday March 4,2012 5:06 AM GMT\",1,\"Sunday March 4,2012 5:06 AM GMT\"\n"
        let first = try await send("iCloud Photos Part 1 of 2/Photos/IMG_1.JPG", photo("a"), to: session)
        try await send("iCloud Photos Part 1 of 2/Photos/Photo Details.csv", Array((head + line).utf8), to: session)
        try await send("iCloud Photos Part 1 of 2/Albums/Rome.csv", Array("Images\nIMG_2.JPG\n".utf8), to: session)
        try await settle(session)
        #expect(try await session.photos.photo(first.id).details.keeping.isFavourite)
        #expect(try await session.photos.photo(first.id).details.takenAt?.milliseconds == 1_330_837_560_000)
        #expect(try await albums(session).isEmpty)
        try await send("iCloud Photos Part 2 of 2/Photos/IMG_2.JPG", photo("b"), to: session)
        try await settle(session)
        #expect(try await albums(session) == ["Rome": 1])
        #expect(try await waiting(session) == 0)
        try await host.stop()
    }

    @Test("a guess by the beginning of a name gives way to the photo's own sidecar, weeks later")
    func guess() async throws {
        let session = try await host.start().make(Self.text)
        let folder = "t.zip/Takeout/Google Photos/Photos from 2012"
        let sent = try await send("\(folder)/Summer-Rome.jpg", photo("r"), to: session)
        try await send("\(folder)/Summer.jpg", photo("s"), to: session)
        try await send("\(folder)/Summer.jpg.json", google("Summer.jpg"), to: session)
        let guessed = try await details(sent, session)
        #expect(guessed.takenAt?.milliseconds == Self.taken * 1000)
        #expect(guessed.keeping.caption == nil && !guessed.keeping.isFavourite)
        let own = String(decoding: google("Summer-Rome.jpg", caption: "Rome", heart: false), as: UTF8.self)
            .replacing("\(Self.taken)", with: "\(Self.taken + 864_000)")
        try await send("\(folder)/Summer-Rome.jpg.json", Array(own.utf8), to: session)
        let told = try await details(sent, session)
        #expect(told.takenAt?.milliseconds == (Self.taken + 864_000) * 1000)
        #expect(told.keeping.caption == "Rome" && !told.keeping.isFavourite)
        try await host.stop()
    }

    @Test("what says more than is kept is counted, as long as that is so")
    func partial() async throws {
        let session = try await host.start().make(Self.text)
        let batch = try await session.batches.create()
        let part = "iCloud Photos Part 1 of 2"
        try await send("\(part)/Photos/A.JPG", photo("a"), to: session, batch: batch)
        try await send("\(part)/Albums/Rome.csv", Array("Images\nA.JPG\nB.JPG\n".utf8), to: session, batch: batch)
        try await settle(session)
        func tally() async throws -> (Int, Int) {
            let status = try await session.batches.status(of: batch)
            return (status.movingIn.joined, status.movingIn.partial)
        }
        #expect(try await tally() == (1, 1))
        try await send("iCloud Photos Part 2 of 2/Photos/B.JPG", photo("b"), to: session, batch: batch)
        try await settle(session)
        #expect(try await tally() == (1, 0))
        try await host.stop()
    }

    @Test("a text that comes with a later part stands under that of the first")
    func captions() async throws {
        let session = try await host.start().make(Self.text)
        let folder = "Takeout/Google Photos"
        let sent = try await send("\(folder)/Photos from 2012/a.jpg", photo("a"), to: session)
        try await send("\(folder)/Photos from 2012/a.jpg.json", google("a.jpg", caption: "Annabelle"), to: session)
        #expect(try await details(sent, session).keeping.caption == "Annabelle")
        try await send("\(folder)/Rome/a.jpg", photo("a"), to: session)
        try await send("\(folder)/Rome/a.jpg.json", google("a.jpg", caption: "Anna"), to: session)
        #expect(try await details(sent, session).keeping.caption == "Annabelle\nAnna")
        try await host.stop()
    }

    @Test("a caption that is not kept, for a person has written another one, is counted")
    func unkeptCaption() async throws {
        let session = try await host.start().make(Self.text)
        let batch = try await session.batches.create()
        let folder = "Takeout/Google Photos/Photos from 2012"
        let sent = try await send("\(folder)/a.jpg", photo("a"), to: session, batch: batch)
        var correction = PhotoCorrection()
        correction.caption = .said("mine")
        _ = try await session.photos.correct(sent.id, correction)
        try await send("\(folder)/a.jpg.json", google("a.jpg"), to: session, batch: batch)
        #expect(try await details(sent, session).keeping.caption == "mine")
        #expect(try await session.batches.status(of: batch).movingIn.partial == 1)
        try await host.stop()
    }

    @Test("a batch tells what became of all that came with it, and what waits can be given up")
    func proof() async throws {
        let session = try await host.start().make(Self.text)
        let batch = try await session.batches.create()
        let folder = "Takeout/Google Photos/Rome"
        for (name, bytes) in [
            ("a.jpg", photo("a")), ("a.jpg.json", google("a.jpg")), ("late.jpg.json", google("late.jpg")),
            ("b.jpg", photo("b")), ("b.jpg.json", google("b.jpg", trashed: true)), ("odd.json", Array("[]".utf8)),
        ] { try await send("\(folder)/\(name)", bytes, to: session, batch: batch) }
        _ = try await session.batches.finish(batch)
        try await session.settle()
        try await settle(session)
        let status = try await session.batches.status(of: batch)
        #expect(status.isDone && status.movingIn.isSettled)
        #expect((status.saved, status.movingIn.files) == (3, 1))
        #expect((status.movingIn.joined, status.movingIn.waiting) == (2, 1))
        #expect((status.movingIn.albums, status.movingIn.trashed) == (1, 1))
        let objects = try host.objectFiles().count
        try await session.sidecars.forget()
        #expect(try await waiting(session) == 0)
        #expect(try host.objectFiles().count == objects - 1)
        try await host.stop()
    }

    // MARK: Guests and givers

    @Test("a guest's wait in the guest's space, and move along")
    func guests() async throws {
        let service = try await host.start()
        try await service.lock(try await service.make(Self.text))
        let guest = try await service.guest()
        let folder = "Takeout/Google Photos/Rome"
        let one = try await send("\(folder)/a.jpg", photo("a"), to: guest.session)
        try await send("\(folder)/a.jpg.json", google("a.jpg"), to: guest.session)
        try await send("\(folder)/b.jpg.json", google("b.jpg"), to: guest.session)
        #expect(try await details(one, guest.session).keeping.caption == "Oma")
        #expect(try await waiting(guest.session) == 1)
        let opening: Opening = try await service.open(Self.text, guest: guest.session)
        #expect(opening.migration?.moved == 1)
        let session = opening.session
        #expect(try await waiting(session) == 1)
        let two = try await send("\(folder)/b.jpg", photo("b"), to: session)
        #expect(isTold(try await details(two, session)))
        #expect(isTold(try await details(one, session)))
        #expect(try await albums(session) == ["Rome": 2])
        try await host.stop()
    }

    @Test("a giver's word is not the owner's", arguments: [true, false])
    func givenDates(isGiven: Bool) throws {
        var note = SidecarNote()
        note.takenAt = CaptureTime(milliseconds: Self.taken, isInstant: true, source: .person)
        let words = try SidecarWords(note, isGiven: isGiven, isGuest: false, mayBeTrashed: false)
        #expect(words.facts.takenAt?.source == (isGiven ? .sidecar : .person))
    }

    @Test("at a door they say the date, the caption and the place, of what the same giver brings alone")
    func doors() async throws {
        let service = try await host.start()
        let owner = try await service.make(Self.text)
        var wanted = DoorChange()
        wanted.name = "Anna & Tom"
        wanted.lastDay = service.store.today + 3
        let door = try await service.makeDoor(wanted, of: owner)
        let code = try #require(Array(door.code.utf8).withUnsafeBytes { DoorToken(ofCredential: $0) })
        let own = try await send("Rome/a.jpg", photo("own"), to: owner)
        let visitor = try await service.enter(try code.typed, giver: "Mia", present: nil, client: .here).session
        try await send("Rome/metadata.json", title("Mine now"), to: visitor)
        try await send("Rome/a.jpg", photo("given"), to: visitor)
        try await send("Rome/a.jpg.json", google("a.jpg", trashed: true), to: visitor)
        try await send("Rome/late.jpg.json", google("late.jpg"), to: visitor)
        try await settle(visitor)
        await service.doors.takeAll(into: try owner.requireVault())
        try await settle(owner)
        let listed = try await owner.photos.page(cursor: nil).photos
        #expect(listed.count == 2)
        let given = try #require(listed.first { $0.details.given != nil }).details
        #expect(given.takenAt?.milliseconds == Self.taken * 1000 && given.keeping.caption == "Oma")
        #expect(given.facts.place?.latitude == 48.1 && !given.keeping.isFavourite)
        #expect(try await albums(owner) == ["Anna & Tom": 1])
        #expect(try await details(own, owner).keeping.caption == nil)
        #expect(try await service.doorNews(of: owner).first?.door.newsCount == 1)
        try await host.stop()
    }
}
