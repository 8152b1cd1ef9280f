import Media
import Testing

@testable import Import

@Suite("What lies beside photos is read")
struct SidecarTests {
    private func content(_ text: String, _ path: String) -> SidecarContent? {
        SidecarContent(Array(text.utf8), path: path)
    }

    @Test("Google Takeout's JSON; a place of 0, 0 is none")
    func takeout() throws {
        let text = """
            {"title": "a.jpg", "description": "Oma am See", "photoTakenTime": {"timestamp": "1500000000"},
             "creationTime": {"timestamp": "1600000000"}, "favorited": true, "archived": true,
             "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0},
             "geoDataExif": {"latitude": 47.3, "longitude": 8.5, "altitude": 0.0}}
            """
        guard case .note(let note) = content(text, "a.jpg.json") else { throw Unexpected() }
        #expect(note.takenAt?.milliseconds == 1_500_000_000_000 && note.takenAt?.source == .sidecar)
        #expect(note.place == Place(latitude: 47.3, longitude: 8.5) && note.caption == "Oma am See")
        #expect(note.isFavourite && note.isArchived && !note.isTrashed)
    }

    @Test(
        "the day of an upload is no date of a photo; milliseconds are understood",
        arguments: [
            (#""photoTakenTime": {"timestamp": "0"}"#, nil), (#""photoTakenTime": {"timestamp": ""}"#, nil),
            (#""photoTakenTime": {}"#, nil), (#""url": "https://photos.google.com/x""#, nil),
            (#""photoTakenTime": {"timestamp": "1500000000123"}"#, 1_500_000_000_123),
            (#""photoTakenTime": {"timestamp": 163000000000}"#, 163_000_000_000),
            (#""photoTakenTime": {"timestamp": "-62135596800"}"#, nil),
            (#""photoTakenTime": {"timestamp": "-300000000000"}"#, -300_000_000_000),
            (#""photoTakenTime": {"timestamp": "-1000"}"#, -1_000_000), (#""description": "Ente""#, 1_600_000_000_000),
        ] as [(String, Int64?)])
    func times(member: String, expected: Int64?) throws {
        let text = #"{"title": "a.jpg", "creationTime": {"timestamp": "1600000000"}, \#(member)}"#
        guard case .note(let note) = content(text, "a.jpg.json") else { throw Unexpected() }
        #expect(note.takenAt?.milliseconds == expected)
    }

    @Test("JSON that is damaged or means harm costs no more than itself")
    func json() throws {
        let said = #"{"title": "\u00fc\ud83d\ude00\n\/ \ud83d", "n": [1, -2.5e3, null, true, {}, []], "a": {"b": ""}}"#
        let value = try #require(JSONValue.parse(Array(said.utf8)))
        #expect(value["title"]?.string == "ü😀\n/ \u{FFFD}" && value["a"]?["b"]?.string?.isEmpty == true)
        #expect(
            value["n"]?.elements == [.number(1), .number(-2500), JSONValue.none, .truth(true), .object([:]), .list([])])
        let bad =
            Array(#"{"title": "a.jpg", "photoTakenTime": {"timestamp": "5"}, "description": "Caf"#.utf8)
            + [0xE9] + Array(#""}"#.utf8)
        guard case .note(let note) = SidecarContent(bad, path: "a.jpg.json") else { throw Unexpected() }
        #expect(note.takenAt?.milliseconds == 5000 && note.caption == "Café")
        for text in ["", "{", #"{"a""#, #"{"a": }"#, "[1 2]", "{} x", #"{"a": "\u12"}"#, "nul", #"{"a": 1,}"#] {
            #expect(JSONValue.parse(Array(text.utf8)) == nil, "\(text)")
        }
        let deep = String(repeating: #"{"a":["#, count: 200_000)
        #expect(JSONValue.parse(Array(deep.utf8)) == nil)
        let wide = "[" + String(repeating: #"{"a":[1]},"#, count: 40_000) + "1]"
        #expect(JSONValue.parse(Array(wide.utf8))?.elements.count == 40_001)
    }

    @Test("albums of Google, old and new, and of Ente")
    func albums() {
        #expect(
            content(#"{"title": "Rom", "access": "protected", "date": {"timestamp": "1"}}"#, "M/Metadaten.json")
                == .album(title: "Rom"))
        #expect(content(#"{"albumData": {"title": "Rom"}}"#, "metadata.json") == .album(title: "Rom"))
        #expect(content(#"{"title": "", "access": "protected"}"#, "元数据.json") == .album(title: ""))
    }

    @Test("Immich's JSON and Ente's")
    func others() throws {
        let immich = """
            {"originalFileName": "b.jpg", "localDateTime": "2021-05-01T10:00:00.123456Z", "isFavorite": true,
             "exifInfo": {"latitude": 1.5, "longitude": 2.5, "description": "x"}}
            """
        guard case .note(let note) = content(immich, "b.jpg.json") else { throw Unexpected() }
        #expect(note.takenAt?.milliseconds == 1_619_863_200_123 && note.isFavourite && note.place?.latitude == 1.5)
        // The clock on the wall, written as if it hung in London.
        #expect(note.takenAt?.isInstant == false && note.takenAt?.offsetMinutes == nil)
        let go = """
            {"fileName": "c.jpg", "dateTaken": "2021-05-01T10:00:00Z", "latitude": 3, "longitude": 4, "rating": 5,
             "albums": [{"title": "Two"}]}
            """
        guard case .note(let second) = content(go, "c.jpg.JSON") else { throw Unexpected() }
        #expect(second.takenAt?.isInstant == true && second.takenAt?.offsetMinutes == nil)
        #expect(second.albums == ["Two"] && second.isFavourite && second.place?.longitude == 4)
        let program = """
            {"title": "e.jpg", "description": null, "location": {"latitude": 5.5, "longitude": 6.5},
             "creationTime": "2021-05-01T10:00:00Z", "modificationTime": "2022-05-01T10:00:00Z", "info": {"hash": "x"}}
            """
        guard case .note(let written) = content(program, "e.jpg.json") else { throw Unexpected() }
        #expect(written.takenAt == second.takenAt && written.place?.latitude == 5.5 && written.unkept.isEmpty)
        let ente = #"{"title": "d.jpg", "creationTime": {"timestamp": 1613532136, "formatted": "x"}}"#
        guard case .note(let third) = content(ente, "A/metadata/d.jpg.json") else { throw Unexpected() }
        #expect(third.takenAt?.milliseconds == 1_613_532_136_000)
        let plan = ImportPlan([
            ImportFile(path: "A/d.jpg", type: .jpeg, digest: [1]),
            ImportFile(path: "A/metadata/d.jpg.json", content: .note(third)),
        ])
        #expect(plan.photos[0].note.albums == ["A"] && plan.photos[0].note.takenAt == third.takenAt)
    }

    @Test("Apple's lists: hearts, dates and albums by names, also from another part")
    func apple() throws {
        let details = """
            imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate
            IMG_1.HEIC,abc,yes,yes,no,"Saturday October 5,2019 1:44 PM GMT",10,"Saturday October 5,2019 1:44 PM GMT"
            "IMG ""2"".HEIC",abd,no,no,yes,"Sunday October 6,2019 12:04 AM GMT",1,x
            """
        let first = "iCloud Photos Part 1 of 2/Photos"
        let second = "iCloud Photos Part 2 of 2"
        let list = content(details, "\(first)/Photo Details.csv")
        guard case .details(let rows) = list else { throw Unexpected() }
        #expect(rows.map(\.name) == ["IMG_1.HEIC", "IMG \"2\".HEIC"])
        #expect(rows[0].note.takenAt?.milliseconds == 1_570_283_040_000)
        #expect(rows[1].note.takenAt?.milliseconds == 1_570_320_240_000 && rows[1].note.isTrashed)
        let plan = ImportPlan([
            ImportFile(path: "\(first)/IMG_1.HEIC", type: .heic, digest: [1]),
            ImportFile(path: "\(first)/IMG \"2\".HEIC", type: .heic, digest: [2]),
            ImportFile(path: "\(first)/Photo Details.csv", content: list),
            ImportFile(path: "\(second)/Albums/Rome.csv", content: content("Images\nIMG_1.HEIC\n", "Albums/Rome.csv")),
            ImportFile(path: "\(second)/Shared Albums/Club/x.jpg", type: .jpeg, digest: [3]),
        ])
        #expect(plan.photos[0].note.albums == ["Rome"] && plan.photos[0].note.isFavourite)
        #expect(plan.photos[1].note.albums == ["Club"])
        #expect(plan.fates[1] == .trashed && plan.remarks[0] != nil)
    }

    @Test("the video of a Live Photo stands in no list, and has the date of its picture")
    func appleVideo() {
        let details = """
            imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate
            IMG_1.HEIC,abc,no,no,no,"Saturday October 5,2019 1:44 PM GMT",10,"Saturday October 5,2019 1:44 PM GMT"
            """
        let folder = "iCloud Photos Part 1 of 1/Photos"
        let plan = ImportPlan([
            ImportFile(path: "\(folder)/IMG_1.HEIC", type: .heic, digest: [1]),
            ImportFile(path: "\(folder)/IMG_1.MOV", type: .quickTime, digest: [2]),
            ImportFile(path: "\(folder)/IMG_2.MOV", type: .quickTime, digest: [3]),
            ImportFile(path: "\(folder)/Photo Details.csv", content: content(details, "\(folder)/Photo Details.csv")),
        ])
        #expect(plan.photos.map { $0.note.takenAt?.milliseconds } == [1_570_283_040_000, 1_570_283_040_000, nil])
    }

    @Test("XMP: date, stars, words, place")
    func xmp() throws {
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmp:Rating="5"
             exif:DateTimeOriginal="2018-02-03T04:05:06" exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,30.0E">
             <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Tom &amp; Oma</rdf:li></rdf:Alt></dc:description>
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """
        guard case .edits(let note) = content(text, "a.xmp") else { throw Unexpected() }
        #expect(
            note.isFavourite && note.caption == "Tom & Oma" && note.place == Place(latitude: 47.375, longitude: 8.5))
        #expect(note.takenAt?.milliseconds == 1_517_630_706_000 && note.takenAt?.isInstant == false)
        let plan = ImportPlan([
            ImportFile(path: "R/a.NEF", type: .nef, digest: [1]),
            ImportFile(path: "R/a.xmp", content: .edits(note), digest: [2]),
        ])
        #expect(plan.photos[0].note.isFavourite && plan.photos.count == 2)
    }

    @Test("XMP: an impossible date does not hide the possible one behind it")
    func impossibleDate() throws {
        let text = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description
             exif:DateTimeOriginal="2036-02-03T04:05:06" xmp:CreateDate = '2012-02-03T04:05:06'/></rdf:RDF></x:xmpmeta>
            """
        guard case .edits(let note) = content(text, "a.xmp") else { throw Unexpected() }
        #expect(note.takenAt?.milliseconds == 1_328_241_906_000 && note.takenAt?.source == .sidecar)
    }

    @Test("a sidecar is found whatever size its letters have, and however they are put together")
    func letters() {
        var note = SidecarNote()
        note.caption = "Oma"
        for name in ["été.xmp", "e\u{301}te\u{301}.XMP", "ÉTÉ.JPG.xmp"] {
            let plan = ImportPlan([
                ImportFile(path: "R/ÉTÉ.jpg", type: .jpeg, digest: [1]),
                ImportFile(path: "R/\(name)", content: .edits(note), digest: [2]),
            ])
            #expect(plan.photos[0].note.caption == "Oma", "\(name)")
        }
    }

    @Test("two sidecars of editors with the same bytes are two sidecars")
    func edits() {
        var note = SidecarNote()
        note.caption = "a"
        let files = ["IMG_1", "IMG_2"].flatMap { name in
            [
                ImportFile(path: "R/\(name).NEF", type: .nef, digest: Array(name.utf8)),
                ImportFile(path: "R/\(name).xmp", content: .edits(note), digest: [9]),
            ]
        }
        let plan = ImportPlan(files)
        #expect(plan.photos.map(\.name) == ["IMG_1.NEF", "IMG_1.xmp", "IMG_2.NEF", "IMG_2.xmp"])
        #expect(plan.remarks.isEmpty)
    }

    @Test("another export of this program: its folders of albums, and its list of them")
    func safelight() {
        let sums = ImportFile(isFromArchive: false, path: "SHA256SUMS", content: .accompaniment)
        let plan = ImportPlan([
            sums, ImportFile(isFromArchive: false, path: "a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums/Rome/a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums/Favourites/a.jpg", type: .jpeg, digest: [1]),
            ImportFile(
                isFromArchive: false, path: "albums.csv",
                content: content("album,file\r\n\"Oma\",\"a.jpg\"\r\n", "albums.csv")),
        ])
        #expect(plan.photos.count == 1 && plan.photos[0].note.isFavourite)
        #expect(Set(plan.photos[0].note.albums) == ["Rome", "Oma"])
    }

    @Test("an album comes back under its own name, of which a folder cannot have every sign")
    func albumNames() {
        let (name, other) = ("Rom / Paris: 2019?", "Rom : Paris: 2019?")
        let list = "album,file\r\n\"\(name)\",\"a.jpg\"\r\n\"\(other)\",\"a.jpg\"\r\n"
        let plan = ImportPlan([
            ImportFile(isFromArchive: false, path: "SHA256SUMS", content: .accompaniment),
            ImportFile(isFromArchive: false, path: "a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums/Rom _ Paris_ 2019_/a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums/Rom _ Paris_ 2019_ (2)/a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums/Oma_/a.jpg", type: .jpeg, digest: [1]),
            ImportFile(isFromArchive: false, path: "albums.csv", content: content(list, "albums.csv")),
        ])
        #expect(plan.photos.count == 1)
        #expect(Set(plan.photos[0].note.albums) == [name, other, "Oma_"])
    }

    @Test("what this program wrote into a packet: albums, and a date that somebody put right")
    func ownPacket() throws {
        var words = XMPWords()
        words.albums = ["Rom / Paris: 2019?", "Oma"]
        words.isFavourite = true
        words.takenAt = CaptureTime(milliseconds: 486_302_400_000, isInstant: false, source: .person)
        let packet = try #require(words.written())
        guard case .edits(let note) = content(String(decoding: packet, as: UTF8.self), "a.jpg.xmp") else {
            throw Unexpected()
        }
        #expect(note.albums == words.albums && note.isFavourite && note.takenAt == words.takenAt)
    }

    private struct Unexpected: Error {}
}
