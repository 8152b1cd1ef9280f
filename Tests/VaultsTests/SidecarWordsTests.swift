import HostSupport
import Media
import Store
import Testing

@testable import Records
@testable import Vault
@testable import Vaults

@Suite("What files beside a photo say goes into its row")
struct SidecarWordsTests {
    private static let told = CaptureTime(milliseconds: 1_500_000_000_000, isInstant: true, source: .sidecar)
    private static let other = CaptureTime(milliseconds: 900_000_000_000, isInstant: true, source: .sidecar)
    private static let own = CaptureTime(milliseconds: 1_200_000_000_000, isInstant: false, source: .exif)
    private static let rome = Place(latitude: 41.9, longitude: 12.45)

    private let host: TestHost
    private let session: Session

    init() async throws {
        host = try TestHost()
        session = try await host.start().make("violet tram seven")
    }

    /// - Returns: its serial.
    private func add(
        takenAt: CaptureTime? = nil, _ adjust: (inout PhotoRecord) -> Void = { _ in }
    ) async throws -> UInt64 {
        var record = PhotoRecord(
            serial: 0, object: .random(), byteCount: 1, runs: [], name: "a.jpg", type: MediaType.jpeg.mimeType,
            receivedAt: 1_714_521_600_000)
        record.takenAt = takenAt?.encoded
        record.facts = FactsCoding.encode(MediaFacts())
        adjust(&record)
        let vault = try session.requireVault()
        let serial = vault.head.nextSerial
        try await vault.addForTests(record)
        return serial
    }

    private func tell(_ words: SidecarWords, of serial: UInt64) async throws {
        _ = try await session.requireVault().change { try $0.tell(words, of: serial) }
    }

    private func photo(_ serial: UInt64) async throws -> Photo {
        session.photo(try #require(try await session.requireVault().library.photoOrKept(serial: serial)))
    }

    private func albums(_ serial: UInt64) async throws -> [String] {
        let ids = try await photo(serial).details.keeping.albums
        let albums = try await session.albums.all().filter { album in ids.contains { $0.text == album.id } }
        return albums.compactMap(\.name).sorted()
    }

    @Test("a date that somebody put right in another vault leads here, too, before that of the photo")
    func putRight() async throws {
        let serial = try await add(takenAt: Self.own)
        var right = Self.told
        right.source = .person
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: right, place: nil)), of: serial)
        #expect(try await photo(serial).details.takenAt == right)
        // And what somebody said here stays.
        var other = Self.other
        other.source = .person
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: other, place: nil)), of: serial)
        #expect(try await photo(serial).details.takenAt == right)
    }

    @Test("date, place, caption, heart and albums, where the photo says nothing")
    func all() async throws {
        let serial = try await add()
        try await tell(
            SidecarWords(
                facts: SidecarFacts(takenAt: Self.told, place: Self.rome), caption: "Oma am See", isFavourite: true,
                albums: [try AlbumName("Rome"), try AlbumName("Oma")]), of: serial)
        let details = try await photo(serial).details
        #expect(details.takenAt?.milliseconds == Self.told.milliseconds && details.takenAt?.source == .sidecar)
        #expect(details.facts.place == Self.rome)
        #expect(details.keeping.caption == "Oma am See" && details.keeping.isFavourite)
        #expect(try await albums(serial) == ["Oma", "Rome"])
    }

    @Test("the part that is shown elsewhere is shown here, unless somebody has said another one")
    func crop() async throws {
        let serial = try await add()
        var words = SidecarWords(facts: SidecarFacts(takenAt: nil, place: nil))
        words.crop = XMPCrop(left: 0, top: 0.5, right: 1, bottom: 1, angle: 0)
        try await tell(words, of: serial)
        let told = try #require(PhotoEdit(left: 0, top: 0.5, right: 1, bottom: 1, angle: 0))
        #expect(try await photo(serial).details.keeping.edit == told)
        words.crop = XMPCrop(left: 0.5, top: 0, right: 1, bottom: 1, angle: 0)
        try await tell(words, of: serial)
        #expect(try await photo(serial).details.keeping.edit == told)
    }

    @Test("what is surely said of a photo takes the place of what may have been another one's, and not the other way")
    func guesses() async throws {
        var guess = SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: Self.rome))
        guess.facts.isUncertain = true
        let sure = SidecarWords(
            facts: SidecarFacts(takenAt: Self.other, place: Place(latitude: 1, longitude: 2)))
        let serial = try await add()
        try await tell(guess, of: serial)
        #expect(try await photo(serial).details.takenAt?.milliseconds == Self.told.milliseconds)
        for words in [sure, guess] {
            try await tell(words, of: serial)
            #expect(try await photo(serial).details.takenAt?.milliseconds == Self.other.milliseconds)
            #expect(try await photo(serial).details.facts.place == sure.facts.place)
        }
        // It says neither.
        let silent = try await add()
        try await tell(guess, of: silent)
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: nil, place: nil, said: [1]), caption: "x"), of: silent)
        #expect(try await photo(silent).details.takenAt?.source != .sidecar)
        #expect(try await photo(silent).details.facts.place == nil)
    }

    @Test("what is not kept is told to whoever says it")
    func unkept() async throws {
        func told(_ words: SidecarWords, of serial: UInt64) async throws -> ToldSidecars {
            try await session.requireVault().change { try $0.tell(words, of: serial) }
        }
        func words(_ caption: String?, _ albums: [String] = []) -> SidecarWords {
            SidecarWords(
                takenAt: nil, place: nil, caption: caption, isFavourite: false, isArchived: false, albums: albums,
                crop: nil)
        }
        let serial = try await add()
        #expect(try await told(words("Oma"), of: serial).unkept.isEmpty)
        #expect(try await told(words("Oma"), of: serial).unkept.isEmpty)
        #expect(try await told(words("Opa"), of: serial).unkept.isEmpty)
        let mine = try await add { $0.keeping.caption = "Opa" }
        #expect(try await told(words("Oma"), of: mine).unkept == .caption)
        #expect(try await told(words("Op"), of: mine).unkept == .caption)
        let long = String(repeating: "x", count: Keeping.longestCaption + 1)
        #expect(try await told(words(long), of: try await add()).unkept == .captionEnd)
        let name = String(repeating: "x", count: AlbumRecord.longestName + 1)
        #expect(try await told(words(nil, [name]), of: serial).unkept == .nameEnd)
        let many = (0..<Keeping.mostAlbums + 6).map { "Album \($0)" }
        let full = try await told(words(nil, many), of: try await add())
        #expect(full.albums == many.suffix(6) && full.unkept.isEmpty)
        // An album that nothing joined was not made.
        #expect(try await session.albums.all().contains { $0.name == many.last } == false)
        let dated = try await add()
        _ = try await told(SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: Self.rome)), of: dated)
        let differing = SidecarFacts(takenAt: Self.other, place: Place(latitude: 1, longitude: 2))
        #expect(try await told(SidecarWords(facts: differing), of: dated).unkept == [.date, .place])
    }

    @Test("the file's own date leads, and what was told is kept beside it")
    func ownDate() async throws {
        let serial = try await add(takenAt: Self.own)
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: Self.rome)), of: serial)
        let details = try await photo(serial).details
        #expect(details.takenAt == Self.own && details.facts.place == Self.rome)
        let record = try await session.requireVault().change { change in
            let row = try #require(try change.currentOrKept(serial)).rowNumber
            return try PhotoRecord.decode(try change.chain(from: row).flatMap(\.piece.payload))
        }
        #expect(record.told.map(SidecarFacts.init(encoded:))?.takenAt == Self.told)
    }

    private func record(_ serial: UInt64) async throws -> PhotoRecord {
        try await session.requireVault().change { change in
            let row = try #require(try change.currentOrKept(serial)).rowNumber
            return try PhotoRecord.decode(try change.chain(from: row).flatMap(\.piece.payload))
        }
    }

    /// Reads the file once more, as another version does.
    private func read(_ facts: MediaFacts, of serial: UInt64) async throws {
        let vault = try session.requireVault()
        let row = try #require(try await vault.library.photoOrKept(serial: serial)).rowNumber
        try await vault.change { change in
            let library = vault.library
            try change.update(at: row) { try VaultChange.note(facts, in: &$0, library) }
        }
    }

    private static let corrected = SidecarWords(
        facts: SidecarFacts(takenAt: told, place: rome, corrections: [.date, .place]))

    @Test("a date that was put right leads by more than a day, also once the file is read again")
    func corrections() async throws {
        for source in [CaptureTime.Source.exif, .exifWithOffset, .container, .digitized] {
            let own = CaptureTime(milliseconds: 1_200_000_000_000, isInstant: source != .exif, source: source)
            let serial = try await add(takenAt: own)
            try await tell(Self.corrected, of: serial)
            #expect(try await photo(serial).details.takenAt?.source == .sidecar)
            #expect(try await photo(serial).details.takenAt?.milliseconds == Self.told.milliseconds)
            #expect(try await record(serial).told.map(SidecarFacts.init(encoded:))?.ownTakenAt == own)
            var facts = MediaFacts()
            facts.takenAt = own
            try await read(facts, of: serial)
            #expect(try await photo(serial).details.takenAt?.milliseconds == Self.told.milliseconds)
        }
        let near = CaptureTime(milliseconds: Self.told.milliseconds + 50_000_000, isInstant: false, source: .exif)
        let serial = try await add(takenAt: near)
        try await tell(Self.corrected, of: serial)
        #expect(try await photo(serial).details.takenAt == near)
        #expect(try await record(serial).told.map(SidecarFacts.init(encoded:))?.ownTakenAt == nil)
    }

    @Test("a place that was put right leads; one that was rounded does not")
    func correctedPlace() async throws {
        var facts = MediaFacts()
        facts.place = Place(latitude: -33.8, longitude: 151.2)
        let serial = try await add { [facts] in $0.facts = FactsCoding.encode(facts) }
        try await tell(Self.corrected, of: serial)
        #expect(try await photo(serial).details.facts.place == Self.rome)
        try await read(facts, of: serial)
        #expect(try await photo(serial).details.facts.place == Self.rome)
        #expect(try await record(serial).told.map(SidecarFacts.init(encoded:))?.ownPlace == facts.place)
        let near = Place(latitude: 41.9001, longitude: 12.4501, altitude: 20)
        facts.place = near
        let other = try await add { [facts] in $0.facts = FactsCoding.encode(facts) }
        try await tell(Self.corrected, of: other)
        #expect(try await photo(other).details.facts.place == near)
    }

    @Test("whether the sidecar leads is as it was said last, and the file's own word comes back")
    func toldAgain() async throws {
        var facts = MediaFacts()
        facts.place = Place(latitude: -33.8, longitude: 151.2)
        let serial = try await add(takenAt: Self.own) { [facts] in $0.facts = FactsCoding.encode(facts) }
        let plain = SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: Self.rome))
        for _ in 0..<2 {
            try await tell(plain, of: serial)
            #expect(try await photo(serial).details.takenAt == Self.own)
            #expect(try await photo(serial).details.facts.place == facts.place)
            try await tell(Self.corrected, of: serial)
            #expect(try await photo(serial).details.takenAt?.source == .sidecar)
            #expect(try await photo(serial).details.facts.place == Self.rome)
        }
    }

    @Test("a date before that of the file system, of the name, and of the last change alone")
    func weakerDates() async throws {
        for source in [CaptureTime.Source.fileTime, .name, .changed] {
            let weak = CaptureTime(milliseconds: 1_300_000_000_000, isInstant: true, source: source)
            let serial = try await add(takenAt: weak)
            try await tell(SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: nil)), of: serial)
            #expect(try await photo(serial).details.takenAt?.source == .sidecar)
        }
        let changed = CaptureTime(milliseconds: 1_300_000_000_000, isInstant: false, source: .changed)
        let serial = try await add(takenAt: changed)
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: nil, place: Self.rome)), of: serial)
        #expect(try await photo(serial).details.takenAt == changed)
    }

    @Test("of two that contradict each other the first counts, and each adds what the other lacks")
    func conflict() async throws {
        let serial = try await add()
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: nil), caption: "first"), of: serial)
        try await tell(
            SidecarWords(facts: SidecarFacts(takenAt: Self.other, place: Self.rome), caption: "second"), of: serial)
        let details = try await photo(serial).details
        #expect(details.takenAt?.milliseconds == Self.told.milliseconds && details.facts.place == Self.rome)
        #expect(details.keeping.caption == "first\nsecond")
    }

    @Test("a caption that was told grows by what is told beside it, until a person changes it or there is no more room")
    func growing() async throws {
        func told(_ caption: String, of serial: UInt64) async throws -> ToldSidecars.Unkept {
            let words = SidecarWords(facts: SidecarFacts(takenAt: nil, place: nil), caption: caption)
            return try await session.requireVault().change { try $0.tell(words, of: serial) }.unkept
        }
        let serial = try await add()
        for caption in ["Annabelle", "Anna", "Annabelle\nAnna", "Max", "Anna"] {
            #expect(try await told(caption, of: serial) == [])
        }
        #expect(try await photo(serial).details.keeping.caption == "Annabelle\nAnna\nMax")
        let long = String(repeating: "x", count: Keeping.longestCaption - 1)
        #expect(try await told(long, of: serial) == .caption)
        _ = try await session.requireVault().update([serial], where: { _ in true }, { $0.keeping.caption = "Anna" })
        #expect(try await told("Max", of: serial) == .caption)
        #expect(try await photo(serial).details.keeping.caption == "Anna")
    }

    @Test("what a person wrote here stays: caption, heart, albums, date")
    func people() async throws {
        let date = CaptureTime(milliseconds: 1, isInstant: true, source: .person)
        let serial = try await add { record in
            record.keeping.caption = "mine"
            record.keeping.isFavourite = true
            record.keeping.takenAt = date.encoded
        }
        let mine = SidecarWords(facts: SidecarFacts(takenAt: nil, place: nil), albums: [try AlbumName("Mine")])
        try await tell(mine, of: serial)
        try await tell(
            SidecarWords(
                facts: SidecarFacts(takenAt: Self.told, place: nil), caption: "theirs", isFavourite: false,
                albums: [try AlbumName("Theirs")]), of: serial)
        let details = try await photo(serial).details
        #expect(details.keeping.caption == "mine" && details.keeping.isFavourite)
        #expect(details.takenAt?.source == .person && details.takenAt?.milliseconds == date.milliseconds)
        #expect(try await albums(serial) == ["Mine", "Theirs"])
    }

    @Test("said again it changes nothing, and makes no second album")
    func again() async throws {
        let serial = try await add()
        let words = SidecarWords(
            facts: SidecarFacts(takenAt: Self.told, place: Self.rome), caption: "x", isFavourite: true,
            albums: [try AlbumName("Rome")])
        try await tell(words, of: serial)
        let before = try await photo(serial)
        try await tell(words, of: serial)
        let after = try await photo(serial)
        #expect(before.details.keeping == after.details.keeping && before.details.takenAt == after.details.takenAt)
        #expect(try await session.albums.all().count(where: { $0.name == "Rome" }) == 1)
    }

    @Test("past the most albums there is no room, and the first ones stay")
    func manyAlbums() async throws {
        let serial = try await add()
        let names = try (0..<Keeping.mostAlbums + 3).map { try AlbumName("Album \($0)") }
        try await tell(SidecarWords(facts: SidecarFacts(takenAt: nil, place: nil), albums: names), of: serial)
        #expect(try await photo(serial).details.keeping.albums.count == Keeping.mostAlbums)
    }

    @Test("a photo that was deleted takes nothing")
    func deleted() async throws {
        let serial = try await add { $0.deletedAt = 1 }
        let words = SidecarWords(facts: SidecarFacts(takenAt: Self.told, place: nil))
        await #expect(throws: VaultError.noSuchPhoto) { try await tell(words, of: serial) }
    }
}
