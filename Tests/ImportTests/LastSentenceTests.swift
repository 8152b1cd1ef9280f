import Media
import Testing

@testable import Import

@Suite("What somebody who attacks the last sentence of an import hides in an export is brought, or named")
struct LastSentenceTests {
    private static let root = "Takeout/Google Photos"
    private static let folder = "\(root)/Photos from 2017"
    private static let apple = "iCloud Photos Part 1 of 1/Photos"
    private static let head = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate"

    private func text(_ path: String, _ text: String, source: Int = 0) -> ImportFile {
        bytes(path, Array(text.utf8), source: source)
    }

    private func bytes(_ path: String, _ bytes: [UInt8], source: Int = 0) -> ImportFile {
        ImportFile(source: source, path: path, content: SidecarContent(bytes, path: path), digest: Array(path.utf8))
    }

    private func photo(_ path: String, source: Int = 0, type: MediaType = .jpeg, digest: String? = nil) -> ImportFile {
        ImportFile(source: source, path: path, type: type, digest: Array((digest ?? "\(source) \(path)").utf8))
    }

    private func reason(_ fate: ImportFate?) -> String { if case .unread(let reason) = fate { reason } else { "" } }

    private func google(_ title: String, _ members: String = "", seconds: Int = 1_500_000_000) -> String {
        #"{"title": "\#(title)", "photoTakenTime": {"timestamp": "\#(seconds)"}, "url": "x"\#(members.isEmpty ? "" : ", \(members)")}"#
    }

    private func album(_ title: String, _ description: String = "") -> String {
        #"{"title": "\#(title)", "description": "\#(description)", "access": "", "date": {"timestamp": "1"}}"#
    }

    // MARK: Whose it is

    @Test(
        "what is given to a photo of another part, of which nothing says that it is of the same person, is named",
        arguments: [
            (["/d/anna", "/d/bob"], false), (["/d/Takeout", "/d/Takeout 2"], false),
            (["/d/takeout-20240101T000000Z-001.zip", "/d/bob.zip"], false),
            (["/d/takeout-20240101T000000Z-001.zip", "/d/takeout-20240101T000000Z-002.zip"], true),
        ])
    func people(sources: [String], isSure: Bool) {
        let sidecar = text("\(Self.folder)/IMG_1.jpg.json", google("IMG_1.jpg", #""description": "Anna""#))
        let plan = ImportPlan([sidecar, photo("\(Self.folder)/IMG_1.jpg", source: 1)], sources: sources)
        #expect(plan.photos[0].note.caption == "Anna" && plan.saysAll == isSure)
        #expect(isSure || reason(plan.fates[0]).contains("another part"))
        let title = text("\(Self.root)/Rome/metadata.json", album("Rome: 2019"))
        let titled = ImportPlan([title, photo("\(Self.root)/Rome/a.jpg", source: 1)], sources: sources)
        #expect(titled.photos[0].note.albums == ["Rome: 2019"] && titled.saysAll == isSure)
    }

    @Test("two people's parts of Apple's, with one number twice, are two exports")
    func apples() {
        let list = "Images\nIMG_1.JPG\nIMG_7.JPG\n"
        func plan(_ sources: [String], _ second: String) -> ImportPlan {
            ImportPlan(
                [
                    photo("\(Self.apple)/IMG_1.JPG"), text("iCloud Photos Part 1 of 1/Albums/Trip.csv", list),
                    photo("\(second)/Photos/IMG_7.JPG", source: 1),
                ], sources: sources)
        }
        let two = plan(
            ["/anna/iCloud Photos Part 1 of 1.zip", "/bob/iCloud Photos Part 1 of 1.zip"], "iCloud Photos Part 1 of 1")
        #expect(two.photos.map(\.note.albums) == [["Trip"], []] && reason(two.fates[1]).contains("IMG_7.JPG"))
        #expect(!plan(["/d/a.zip", "/d/b.zip"], "iCloud Photos Part 1 of 1").saysAll)
        let one = ImportPlan([
            photo("iCloud Photos Part 1 of 2/Photos/IMG_1.JPG"),
            text("iCloud Photos Part 1 of 2/Albums/Trip.csv", list),
            photo("iCloud Photos Part 2 of 2/Photos/IMG_7.JPG", source: 1),
        ])
        #expect(one.photos.map(\.note.albums) == [["Trip"], ["Trip"]] && one.saysAll)
    }

    @Test("the only moment of a day says nothing of another person's picture of Snapchat's")
    func snaps() {
        let list = #"{"Saved Media": [{"Date": "2021-03-04 10:11:12 UTC", "Media Type": "Image"}]}"#
        let files = [
            text("json/memories_history.json", list), photo("memories/2021-03-04_0A1B-main.jpg", source: 1),
        ]
        let two = ImportPlan(files, sources: ["/d/mydata~1.zip", "/d/mydata~2.zip"])
        #expect(two.photos[0].note.takenAt == nil && !two.saysAll)
        let one = ImportPlan(files, sources: ["/d/mydata~1.zip", "/d/mydata~1-2.zip"])
        #expect(one.photos[0].note.takenAt != nil && one.saysAll)
    }

    @Test(
        "a sidecar whose own photo is not here counts for none, whatever else has its words",
        arguments: [
            ("IMG_6.MP4", "IMG_6.JPG"), ("IMG_5-edited.jpg", "IMG_5.jpg"), ("IMG_6.JPG", "IMG_6.HEIC"),
            ("PXL_1.MP", "PXL_1.MP.jpg"),
        ])
    func owners(other: String, own: String) {
        let sidecar = text("\(Self.folder)/\(own).json", google(own, #""description": "Oma""#))
        let media = photo("\(Self.folder)/\(other)", type: other.hasSuffix("g") || other.hasSuffix("G") ? .jpeg : .mp4)
        let alone = ImportPlan([media, sidecar])
        let given = "what it says was given to \(other) alone"
        #expect(alone.photos[0].note.caption == "Oma" && alone.fates[1] == .ownerless(reason: given))
        #expect(!alone.saysAll && !alone.joined.contains(1))
        let both = ImportPlan([media, sidecar, photo("\(Self.folder)/\(own)")])
        #expect(both.photos.map(\.note.caption) == ["Oma", "Oma"] && both.saysAll && both.joined.contains(1))
        // An ending that was put right is none of another photo.
        let right = ImportPlan([
            photo("\(Self.folder)/IMG_7.heic.jpg"), text("\(Self.folder)/IMG_7.heic.json", google("IMG_7.heic")),
        ])
        #expect(right.saysAll)
    }

    @Test("two long names that begin alike are two photos")
    func beginnings() {
        let stem = "Geburtstag von Oma Erna mit allen Enkeln "
        let plan = ImportPlan([
            photo("\(Self.folder)/\(stem)B2.jpg"),
            text("\(Self.folder)/\(stem)A1.jpg.json", google("\(stem)A1.jpg", #""description": "A1""#)),
        ])
        #expect(plan.photos[0].note.caption == nil && plan.fates[1] == .orphan)
    }

    @Test("names that differ in the form of letters alone have each their own words")
    func forms() {
        let names = ["Ko\u{308}ln.jpg", "K\u{F6}ln.jpg"]
        let plan = ImportPlan(
            names.map { photo("\(Self.folder)/\($0)") }
                + names.enumerated().map { number, name in
                    text("\(Self.folder)/\(name).json", google(name, #""description": "\#(number)""#))
                })
        #expect(plan.photos.map(\.note.caption) == ["0", "1"] && plan.saysAll)
    }

    // MARK: Albums

    private func albums(_ folders: [(name: String, title: String?)]) -> ImportPlan {
        ImportPlan(
            folders.map { photo("\(Self.root)/\($0.name)/a.jpg") }
                + folders.compactMap { folder in
                    folder.title.map { text("\(Self.root)/\(folder.name)/metadata.json", album($0)) }
                })
    }

    @Test("albums that are called like the folder of a year are a person's beside those of years")
    func years() {
        let named = albums([
            ("Fotos von 2019", nil), ("Fotos aus 2019", "Fotos aus 2019"), ("Fotos de 2018", "Fotos de 2018"),
            ("Fotos von 2019(1)", "Fotos von 2019"),
        ])
        #expect(
            named.photos.map(\.note.albums) == [[], ["Fotos aus 2019"], ["Fotos de 2018"], ["Fotos von 2019 (1)"]]
                && named.saysAll)
        // Where nothing tells which it is, nobody says that all was brought.
        #expect(!albums([("Fotos aus 2019", "Fotos aus 2019")]).saysAll)
        #expect(!albums([("Sommer 2018", nil), ("Sommer 2019", nil)]).saysAll)
        #expect(
            albums([("Photos from 2019", nil), ("Sommer 2018", nil), ("Sommer 2019", nil)]).photos.map(\.note.albums)
                == [[], ["Sommer 2018"], ["Sommer 2019"]])
        #expect(!albums([("2019-05-04", "2019-05-04"), ("2019-06-01", "2019-06-01"), ("2019-07-01", nil)]).saysAll)
        #expect(albums([("2019-05-04", nil), ("2019-06-01", nil), ("2019-07-01", nil)]).saysAll)
        #expect(!albums([("Photos from 2019", nil), ("2019-05-04", nil)]).saysAll)
    }

    @Test("folders that count as no album although their file may lie in another part are named")
    func doubtful() {
        #expect(!albums([("Untitled(2)", nil)]).saysAll && !albums([("Archive", nil)]).saysAll)
        func archived(_ folder: String) -> ImportPlan {
            ImportPlan([
                photo("\(Self.root)/\(folder)/a.jpg"),
                text("\(Self.root)/\(folder)/a.jpg.json", google("a.jpg", #""archived": true"#)),
            ])
        }
        #expect(archived("Archive").saysAll && archived("Arkiv").saysAll && !archived("Urlaub").saysAll)
    }

    @Test("two albums of one name stay two")
    func equal() {
        let google = albums([
            ("Christmas", "Christmas"), ("Christmas(1)", "Christmas"), ("rome", "rome"), ("Rome", "Rome"),
        ])
        #expect(google.photos.map(\.note.albums) == [["Christmas"], ["Christmas (1)"], ["rome (2)"], ["Rome"]])
        #expect(google.saysAll)
        let facebook = ImportPlan(
            (1...2).flatMap { number in
                [
                    photo("p/media/\(number).jpg"),
                    text(
                        "p/album/\(number).json",
                        #"{"name": "Rome", "photos": [{"uri": "p/media/\#(number).jpg", "creation_timestamp": 1440000000}]}"#
                    ),
                ]
            })
        #expect(facebook.photos.map(\.note.albums) == [["Rome"], ["Rome (2)"]] && facebook.saysAll)
        let lists = ["Albums/Trip.csv", "Albums/Europe/Trip.csv"].map {
            text("iCloud Photos Part 1 of 1/\($0)", "Images\n\($0.contains("Europe") ? "b" : "a").jpg\n")
        }
        let apple = ImportPlan([photo("\(Self.apple)/a.jpg"), photo("\(Self.apple)/b.jpg")] + lists)
        #expect(apple.photos.map(\.note.albums) == [["Trip"], ["Trip (2)"]] && apple.saysAll)
        let flickr = ImportPlan([
            photo("x_51234567890_o.jpg"), photo("x_51234567891_o.jpg"),
            text(
                "albums.json",
                #"{"albums": [{"id": "1", "title": "Sea", "photos": ["51234567890"]}, {"id": "2", "title": "Sea", "photos": ["51234567891"]}]}"#
            ),
            text(
                "photo_51234567891.json",
                #"{"id": "51234567891", "license": "x", "date_taken": "2009-05-06 07:08:09", "albums": [{"id": "2", "title": "Sea"}]}"#
            ),
        ])
        #expect(flickr.photos.map(\.note.albums) == [["Sea"], ["Sea (2)"]] && flickr.saysAll)
        let empty =
            #"{"albums": [{"id": "1", "title": "Sea", "photos": ["51234567890"]}, {"title": "Later", "photos": []}]}"#
        #expect(!ImportPlan([photo("x_51234567890_o.jpg"), text("albums.json", empty)]).saysAll)
    }

    // MARK: Words

    @Test("a caption within another one is kept, as long as it is no line of it")
    func contained() {
        #expect(SidecarNote.both("Annabelle und Max", "Anna") == "Annabelle und Max\nAnna")
        #expect(SidecarNote.both("Max", "Maximal gut") == "Max\nMaximal gut")
        #expect(SidecarNote.both("Anna\nam Strand", "Anna") == "Anna\nam Strand" && SidecarNote.both("x", "x") == "x")
        let plan = ImportPlan([
            photo("\(Self.folder)/A.jpg", digest: "x"), photo("\(Self.root)/Rome/B.jpg", digest: "x"),
            text("\(Self.folder)/A.jpg.json", google("A.jpg", #""description": "Annabelle""#)),
            text("\(Self.root)/Rome/B.jpg.json", google("B.jpg", #""description": "Anna""#)),
        ])
        #expect(plan.photos[0].note.caption == "Annabelle\nAnna" && plan.remarks[1]?.contains("A.jpg") == true)
    }

    @Test("of one content under several names the one that tells a day is kept")
    func names() {
        func plan(_ names: String...) -> ImportPlan { ImportPlan(names.map { photo($0, digest: "x") }) }
        #expect(plan("scan1.jpg", "Oma/1962-07-01 Hochzeit.jpg").photos[0].name == "1962-07-01 Hochzeit.jpg")
        let two = plan("1962-07-01.jpg", "scan1.jpg", "1963-08-02.jpg").photos[0]
        #expect(two.name == "1962-07-01.jpg" && two.otherDates.count == 1)
        #expect(plan("IMG_20190504_101112.jpg", "2019-05-04.jpg").photos[0].otherDates.isEmpty)
    }

    @Test(
        "words of signs, of emoji and of numbers alone are words",
        arguments: ["1985", "❤️", "14.-21.7.2018", "†", "?"])
    func signs(words: String) {
        let json = google("a.jpg", #""notes": "\#(words)""#)
        #expect(!ImportPlan([photo("\(Self.folder)/a.jpg"), text("\(Self.folder)/a.jpg.json", json)]).saysAll)
        let described = [
            photo("\(Self.root)/Rome/a.jpg"), text("\(Self.root)/Rome/metadata.json", album("Rome", words)),
        ]
        #expect(reason(ImportPlan(described).fates[1]).contains("descriptions"))
        for (path, content) in [
            ("user-generated-memory-titles.json", #"{"memories": [{"title": "\#(words)"}]}"#),
            ("shared_album_comments.json", #"{"sharedAlbumComments": [{"text": "\#(words)"}]}"#),
        ] {
            #expect(!ImportPlan([photo("\(Self.folder)/a.jpg"), text("\(Self.root)/\(path)", content)]).saysAll)
        }
        let list =
            #"{"name": "Alps", "photos": [{"uri": "m/1.jpg", "creation_timestamp": 1440000000, "comments": [{"comment": "\#(words)"}]}]}"#
        #expect(reason(ImportPlan([photo("m/1.jpg"), text("album/0.json", list)]).fates[1]).contains("comment"))
    }

    @Test("a caption that is a number is one, and of two members of one name none is lost")
    func numbers() {
        func note(_ members: String) -> SidecarNote {
            ImportPlan([
                photo("\(Self.folder)/a.jpg"), text("\(Self.folder)/a.jpg.json", google("a.jpg", members)),
            ]).photos[0].note
        }
        #expect(note(#""description": 1985"#).caption == "1985")
        #expect(note(#""description": "wichtig", "description": """#).caption == "wichtig")
        #expect(note(#""description": "one", "description": "two""#).unkept == ["texts under description"])
        let old = ImportPlan([
            photo("\(Self.folder)/a.jpg"),
            text("\(Self.folder)/a.jpg.json", google("a.jpg", seconds: -5_000_000_000)),
        ])
        #expect(old.photos[0].note.unkept == [SidecarNote.unreadDate])
    }

    // MARK: Encodings

    @Test("texts of Windows are read, and signs of an encoding that nobody knows are named")
    func encodings() {
        let json = google("a.jpg", #""description": "Grüße""#)
        func plan(_ bytes: [UInt8]) -> ImportPlan {
            ImportPlan([photo("\(Self.folder)/a.jpg"), self.bytes("\(Self.folder)/a.jpg.json", bytes)])
        }
        func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        func wide(_ text: String, isMarked: Bool) -> [UInt8] {
            (isMarked ? [0xFF, 0xFE] : []) + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        for bytes in [latin(json), wide(json, isMarked: true), wide(json, isMarked: false), Array(json.utf8)] {
            let plan = plan(bytes)
            #expect(plan.photos[0].note.caption == "Grüße" && plan.saysAll)
        }
        // Shift JIS: 京都.
        let foreign =
            Array(#"{"title": "a.jpg", "photoTakenTime": {"timestamp": "5"}, "description": ""#.utf8)
            + [0x8B, 0x9E, 0x93, 0x73] + Array(#""}"#.utf8)
        #expect(plan(foreign).photos[0].note.unkept == [SidecarNote.damagedWords])
        let list = latin("Images\nKöln.JPG\n")
        for bytes in [list, wide("Images\nKöln.JPG\n", isMarked: true), list.map { $0 == 0x0A ? 0x0D : $0 }] {
            let plan = ImportPlan([
                photo("\(Self.apple)/Köln.JPG"), self.bytes("iCloud Photos Part 1 of 1/Albums/Trip.csv", bytes),
            ])
            #expect(plan.photos[0].note.albums == ["Trip"] && plan.saysAll)
        }
    }

    @Test(
        "names in archives are read in whichever encoding they are, or it is said that nobody knows",
        arguments: [
            ([0x4B, 0x94, 0x6C, 0x6E], "Köln", false), ([0x4B, 0xF6, 0x6C, 0x6E], "Köln", false),
            ([0x53, 0x74, 0x72, 0x61, 0xDF, 0x65], "Straße", false),
            ([0x53, 0x74, 0x72, 0x61, 0xE1, 0x65], "Straße", false),
            ([0x8B, 0x9E, 0x93, 0x73], nil, true), ([0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2], nil, true),
            (Array("京都".utf8), "京都", false),
        ] as [([UInt8], String?, Bool)])
    func archiveNames(bytes: [UInt8], expected: String?, isGuess: Bool) {
        #expect(EntryName.isGuess(bytes) == isGuess)
        if let expected { #expect(EntryName.text(bytes) == expected) }
        var file = photo("a.jpg")
        file.isPathGuessed = isGuess
        #expect(ImportPlan([file]).saysAll != isGuess)
    }

    @Test("rows end as on any system, and quotes that swallow rows are named")
    func rows() {
        func row(_ name: String, _ favourite: String = "no") -> String {
            #"\#(name),x,\#(favourite),no,no,"Friday June 7,2019 1:20 PM GMT",1,x"#
        }
        func plan(_ text: String) -> ImportPlan {
            ImportPlan([
                photo("\(Self.apple)/a.jpg"), photo("\(Self.apple)/b.jpg"),
                self.text("\(Self.apple)/Photo Details.csv", text),
            ])
        }
        let rows = [Self.head, row("a.jpg", "yes"), row("b.jpg")]
        for end in ["\r", "\n", "\r\n"] {
            let plan = plan(rows.joined(separator: end) + end)
            #expect(plan.photos.map(\.note.isFavourite) == [true, false] && plan.saysAll, "\(end.debugDescription)")
        }
        #expect(!plan("\(Self.head)\n\(row("a.jpg").dropLast())\"x\n\(row("b.jpg", "yes"))\n").saysAll)
        #expect(!plan("\(Self.head)\n\(row("a.jpg"))\n\(row("", "yes"))\n").saysAll)
    }

    // MARK: Other places

    private func media(_ number: Int, _ members: String = "") -> String {
        #"{"uri": "m/\#(number).jpg", "creation_timestamp": 1700000000\#(members.isEmpty ? "" : ", \(members)")}"#
    }

    @Test("Facebook's day to which somebody moved a post is that of its photos")
    func backdated() {
        let posts =
            #"[{"timestamp": 1700000000, "attachments": [{"data": [{"media": \#(media(1))}]}], "data": [{"post": "Opa"}, {"backdated_timestamp": -631152000}]}]"#
        let plan = ImportPlan([photo("m/1.jpg"), text("posts.json", posts)])
        #expect(plan.photos[0].note.takenAt?.milliseconds == -631_152_000_000 && plan.photos[0].note.correctsTime)
        #expect(plan.saysAll)
        let labels =
            #"[{"timestamp": 1700000000, "media": [\#(media(1))], "label_values": [{"label": "Aufnahmedatum", "timestamp_value": -631152000}]}]"#
        #expect(reason(ImportPlan([photo("m/1.jpg"), text("posts.json", labels)]).fates[1]).contains("Aufnahmedatum"))
    }

    @Test("words of a network count where they stand, also where the same are said of another photo")
    func sameWords() {
        for (members, member) in [
            (#""place": {"name": "Trevi"}"#, "place.name"), (#""comments": [{"comment": "Rome"}]"#, "comment"),
            (#""tags": [{"name": "Trevi"}]"#, "tags.name"),
        ] {
            let first = media(1, #""description": "Trevi""#)
            let list = #"{"name": "Rome", "photos": [\#(first), \#(media(2, members))]}"#
            let plan = ImportPlan([photo("m/1.jpg"), photo("m/2.jpg"), text("album/0.json", list)])
            #expect(plan.photos.map(\.note.caption) == ["Trevi", nil], "\(member)")
            #expect(reason(plan.fates[2]).contains(member), "\(plan.fates[2])")
        }
    }

    @Test(
        "titles of Flickr's are captions unless they are names of cameras",
        arguments: [
            ("京都の紅葉", true), ("Weihnachten", true), ("1985", true), ("Rom2019", true), ("IMG_1234", false),
            ("DSC00012", false), ("P1010001", false), ("20190504_101112", false), ("PXL_20230101_101010123", false),
            ("IMG-20190101-WA0001", false), ("DSCN0001.JPG", false), ("Screenshot_2019-05-04-10-11-12", false),
        ])
    func titles(title: String, isWord: Bool) {
        let json =
            #"{"id": "51234567890", "name": "\#(title)", "license": "x", "date_taken": "2009-05-06 07:08:09", "count_views": "1", "groups": [], "notes": []}"#
        let plan = ImportPlan([photo("x_51234567890_o.jpg"), text("photo_51234567890.json", json)])
        #expect(plan.photos[0].note.caption == (isWord ? title : nil) && plan.saysAll)
        for (members, unkept) in [
            (#""groups": [{"id": "1", "name": "Familie"}]"#, "texts under groups"),
            (#""notes": [{"text": "❤️"}]"#, "texts under notes"),
            (#""geo": [{"latitude": "95000000", "longitude": "10000000"}]"#, SidecarNote.unreadPlace),
        ] {
            let json = #"{"id": "51234567890", "license": "x", "date_taken": "2009-05-06 07:08:09", \#(members)}"#
            let plan = ImportPlan([photo("x_51234567890_o.jpg"), text("photo_51234567890.json", json)])
            #expect(plan.photos[0].note.unkept == [unkept])
        }
    }

    @Test(
        "what Immich and immich-go say, and is not kept, is named",
        arguments: [
            (#""notes": "wichtig""#, "texts under notes"), (#""rating": -1"#, "stars"),
            (#""albums": [{"title": "Rome", "description": "Our trip"}]"#, SidecarNote.descriptions),
            (#""latitude": "48,1 N", "longitude": "11,5 E""#, SidecarNote.unreadPlace),
            (#""exifInfo": {"city": "Rome"}"#, SidecarNote.unreadPlace),
            (#""exifInfo": {"lens": "x"}"#, "texts under lens"),
            (#""isFavorite": "perhaps""#, "texts under isFavorite"),
            (
                #""latitude": 48.1, "longitude": 11.5, "isFavorite": "true", "visibility": "archive", "albums": [{"title": "Rome"}], "ownerId": "x", "exifInfo": {"make": "x", "city": "Rome", "description": "too"}"#,
                nil
            ),
        ] as [(String, String?)])
    func immich(members: String, expected: String?) {
        let json =
            #"{"originalFileName": "a.jpg", "fileCreatedAt": "2019-06-08T13:20:00.000Z", "description": "B", \#(members)}"#
        let note = ImportPlan([photo("x/a.jpg"), text("x/a.jpg.json", json)]).photos[0].note
        #expect(note.unkept == Set([expected].compactMap(\.self)))
        guard expected == nil else { return }
        #expect(note.isFavourite && note.isArchived && note.albums == ["Rome"] && note.caption == "B\ntoo")
    }

    @Test("Immich's dates and captions of another form")
    func immichForms() {
        let json =
            #"{"originalFileName": "a.jpg", "fileCreatedAt": "8. Juni 1950", "description": 1950, "latitude": "48,1", "longitude": "11,5"}"#
        let note = ImportPlan([photo("x/a.jpg"), text("x/a.jpg.json", json)]).photos[0].note
        #expect(note.caption == "1950" && note.unkept == [SidecarNote.unreadDate])
        #expect(note.place == Place(latitude: 48.1, longitude: 11.5))
    }

    @Test(
        "Snapchat's places are read in every form, or named",
        arguments: [
            ("Latitude, Longitude: 48.1, 11.5", true), ("Latitude, Longitude: 48,1, 11,5", true),
            ("48.1, 11.5, 0", true),
            ("48.1,11.5", true), ("Munich", false),
        ])
    func snapPlaces(text: String, isRead: Bool) {
        let list =
            #"{"Saved Media": [{"Date": "2021-03-04 10:11:12 UTC", "Media Type": "Image", "Location": "\#(text)", "Download Link": "https://x?mid=0a1b"}]}"#
        let plan = ImportPlan([photo("2021-03-04_0A1B-main.jpg"), self.text("memories_history.json", list)])
        #expect(plan.photos[0].note.place == (isRead ? Place(latitude: 48.1, longitude: 11.5) : nil))
        #expect(plan.saysAll == isRead)
    }

    @Test("Snapchat's moments without a day, and what was written beside pictures in chats")
    func snapChats() {
        let list =
            #"{"Saved Media": [{"Media Type": "Image", "Download Link": "https://x?mid=bbbb", "Location": "1.0, 2.0"}, {"Date": "2021-03-04 10:11:12 UTC", "Media Type": "Image", "Download Link": "https://x?mid=0a1b"}]}"#
        let moments = ImportPlan([photo("2021-03-04_0A1B-main.jpg"), text("memories_history.json", list)])
        #expect(reason(moments.fates[1]).contains("an unknown day"))
        let chats =
            #"{"oma": [{"From": "oma", "Media Type": "MEDIA", "Created": "2021-03-05 18:30:00 UTC", "Content": "Da!", "Media IDs": "b~EiQSFTM0SEdm"}, {"From": "oma", "Media Type": "TEXT", "Created": "2021-03-05 18:31:00 UTC", "Content": "Ja", "Media IDs": ""}]}"#
        let chat = ImportPlan([
            photo("chat_media/2021-03-05_b~EiQSFTM0SEdm.jpg"), text("json/chat_history.json", chats),
        ])
        #expect(chat.photos[0].note.caption == "Da!" && !chat.photos[0].note.correctsTime && chat.saysAll)
        // Of another form it names the photo nevertheless.
        let other = #"{"messages": [{"text": "Da!", "media": "b~EiQSFTM0SEdm"}]}"#
        #expect(!ImportPlan([photo("chat_media/2021-03-05_b~EiQSFTM0SEdm.jpg"), text("other.json", other)]).saysAll)
    }

    @Test("texts of an export of Apple's that are not known are named")
    func appleTexts() {
        for (path, content) in [
            ("Shared Albums/Us/AlbumInfo.json", #"{"name": "Us: 2019/20", "comments": [{"text": "Toll"}]}"#),
            ("Shared Albums/Us/comments.txt", "Oma: Toll! (Bild 1)"),
        ] {
            let plan = ImportPlan([
                photo("iCloud Photos Part 1 of 1/Shared Albums/Us/IMG_9.JPG"),
                text("iCloud Photos Part 1 of 1/\(path)", content),
            ])
            #expect(!plan.saysAll, "\(path)")
        }
    }
}
