import Media
import Testing

@testable import Import

@Suite("What a source says and is not taken over is named, and then nobody is told to delete it")
struct LossTests {
    private func text(_ path: String, _ text: String, source: Int = 0) -> ImportFile {
        ImportFile(
            source: source, path: path, content: SidecarContent(Array(text.utf8), path: path), digest: Array(path.utf8))
    }

    private func photo(_ path: String, source: Int = 0, type: MediaType = .jpeg, digest: String? = nil) -> ImportFile {
        ImportFile(source: source, path: path, type: type, digest: Array((digest ?? "\(source) \(path)").utf8))
    }

    private func reason(_ fate: ImportFate) -> String { if case .unread(let reason) = fate { reason } else { "" } }

    private func google(_ title: String, _ members: String = "") -> String {
        #"{"title": "\#(title)", "photoTakenTime": {"timestamp": "1500000000"}, "url": "x"\#(members.isEmpty ? "" : ", \(members)")}"#
    }

    private static let folder = "Takeout/Google Photos/Photos from 2017"
    private static let apple = "iCloud Photos Part 1 of 1/Photos"
    private static let head = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate"

    private func row(_ name: String, favourite: String = "no", date: String = "Friday June 7,2019 1:20 PM GMT")
        -> String
    {
        #"\#(name),x,\#(favourite),no,no,"\#(date)",1,x"#
    }

    // MARK: Lists

    @Test("of a list that names a photo which is here and others that are not, those are named")
    func absent() {
        let list = #"""
            {"name": "Alps", "photos": [{"uri": "p/media/1.jpg", "creation_timestamp": 1440000000},
             {"uri": "p/media/gone.jpg", "creation_timestamp": 1440000000, "description": "x"}]}
            """#
        let facebook = ImportPlan([photo("p/media/1.jpg"), text("p/album/0.json", list)])
        #expect(facebook.photos[0].note.albums == ["Alps"] && reason(facebook.fates[1]).contains("p/media/gone.jpg"))
        let details = ([Self.head, row("a.jpg"), row("gone.jpg", favourite: "yes")]).joined(separator: "\n")
        for (path, content) in [
            ("\(Self.apple)/Photo Details.csv", details),
            ("\(Self.apple)/Albums/Trip.csv", "Images\na.jpg\ngone.jpg\n"),
            ("\(Self.apple)/Albums/Trip.csv", "imgName\na.jpg\ngone.jpg\n"),
            ("\(Self.apple)/Albums/Europe/Trip.csv", "imgName\na.jpg\ngone.jpg\n"),
            ("\(Self.apple)/Albums/Trip.csv", "imgName\ngone.jpg\n"),
        ] {
            let plan = ImportPlan([photo("\(Self.apple)/a.jpg"), text(path, content)])
            #expect(reason(plan.fates[1]).contains("gone.jpg") && !plan.saysAll, "\(path)")
        }
        let snaps =
            #"{"Saved Media": [{"Date": "2021-03-04 15:16:17 UTC", "Media Type": "Image"}, {"Date": "2021-03-05 15:16:17 UTC", "Media Type": "Image"}]}"#
        let snapchat = ImportPlan([photo("m/2021-03-04_0A-main.jpg"), text("json/memories_history.json", snaps)])
        #expect(snapchat.photos[0].note.takenAt != nil && reason(snapchat.fates[1]).contains("2021-03-05"))
        let albums = #"{"albums": [{"title": "Meer", "photos": ["51234567890", "51234567891"]}]}"#
        let flickr = ImportPlan([photo("x_51234567890_o.jpg"), text("albums.json", albums)])
        #expect(flickr.photos[0].note.albums == ["Meer"] && reason(flickr.fates[1]).contains("51234567891"))
    }

    @Test("an album of Apple's is read whatever its heading is, with commas in names, and without a heading")
    func appleAlbums() {
        for content in ["imgName\na.jpg\nB, c.jpg\n", "Bilder\na.jpg\n\"B, c.jpg\"\n", "a.jpg\nB, c.jpg\n"] {
            let plan = ImportPlan([
                photo("\(Self.apple)/a.jpg"), photo("\(Self.apple)/B, c.jpg"),
                text("\(Self.apple)/Albums/Trip.csv", content),
            ])
            #expect(plan.photos.map(\.note.albums) == [["Trip"], ["Trip"]] && plan.saysAll, "\(content)")
        }
    }

    @Test("what stands in a column of Apple's list and is not understood is named")
    func appleColumns() {
        func plan(_ head: String, _ rows: [String]) -> ImportPlan {
            ImportPlan([
                photo("\(Self.apple)/a.jpg"),
                text("\(Self.apple)/Photo Details.csv", ([head] + rows).joined(separator: "\n")),
            ])
        }
        for yes in ["yes", "Yes", "true", "1"] {
            let plan = plan(Self.head, [row("a.jpg", favourite: yes)])
            #expect(plan.photos[0].note.isFavourite && plan.saysAll, "\(yes)")
        }
        #expect(reason(plan(Self.head, [row("a.jpg", favourite: "ja")]).fates[1]).contains("favorite"))
        #expect(reason(plan(Self.head + ",caption", [row("a.jpg") + ",\"Oma\""]).fates[1]).contains("caption"))
        #expect(plan(Self.head + ",caption", [row("a.jpg") + ","]).saysAll)
        // Two of one name, of which nobody knows which photo is meant.
        let two = plan(
            Self.head, [row("a.jpg", favourite: "yes"), row("a.jpg", date: "Friday June 7,2013 1:20 PM GMT")])
        #expect(two.photos[0].note == SidecarNote() && reason(two.fates[1]).contains("a.jpg"))
        #expect(plan(Self.head, [row("a.jpg"), row("a.jpg")]).saysAll)
    }

    @Test(
        "a date of Apple's is right or not read",
        arguments: [
            ("Friday June 7,2019 1:20 PM GMT", 1_559_913_600), ("Friday June 7,2019 11:30 PM PDT", 1_559_975_400),
            ("Friday June 7,2019 12:05 AM CEST", 1_559_858_700), ("Friday June 7,2019 1:20 PM GMT+2", 1_559_906_400),
            ("Friday June 7,2019 1:20 PM GMT-03:30", 1_559_926_200), ("Friday June 7,2019 1:20 PM CST", nil),
            ("Friday June 7,2019 1:20 PM IST", nil), ("Friday June 7,2019 1:20 PM", nil),
            ("martes 7 junio,2019 1:20 PM GMT", nil), ("Friday June 7,2019 13:20 GMT", nil),
            ("Friday June 7,2019 13:20 PM GMT", nil),
        ] as [(String, Int64?)])
    func appleDates(text: String, seconds: Int64?) {
        #expect(AppleDetail.time(text)?.milliseconds == seconds.map { $0 * 1000 })
    }

    // MARK: Facebook and Instagram

    @Test("of several texts for one photo all are its caption, and what stands elsewhere is named")
    func texts() {
        func caption(_ json: String) -> (String?, String) {
            let plan = ImportPlan([photo("m/posts/1.jpg"), text("m/list.json", json)])
            return (plan.photos[0].note.caption, reason(plan.fates[1]))
        }
        let media = #"{"uri": "m/posts/1.jpg", "creation_timestamp": 1440000000"#
        let post = caption(
            #"[{"attachments": [{"data": [{"media": \#(media), "description": "short"}}]}], "data": [{"post": "first"}, {"post": "second"}]}]"#
        )
        #expect(post == ("short\nfirst\nsecond", ""))
        let labels = caption(
            #"[{"media": [\#(media)}], "label_values": [{"label": "Caption", "value": "Oma"}, {"label": "Mood", "value": "glad"}]}]"#
        )
        #expect(labels.0 == "Oma" && labels.1.contains("Mood"))
        let carousel = caption(
            #"[{"media": [\#(media), "title": "one"}, \#(media), "title": "one"}], "title": "all"}]"#)
        #expect(carousel == ("one\nall", ""))
        let comments = caption(
            #"{"name": "Alps", "photos": [\#(media), "comments": [{"comment": "lovely"}]}], "description": "Our trip"}"#
        )
        #expect(comments.1.contains("comments.comment") && comments.1.contains("description"))
        #expect(
            caption(#"{"other": [\#(media)}, {"uri": "https://x/2.jpg", "description": "afar"}]}"#).1.contains(
                "other.description"))
        // Of another list.
        let plan = ImportPlan([
            photo("m/posts/1.jpg"), text("m/a.json", #"{"ig_stories": [\#(media), "title": "story"}]}"#),
            text("m/b.json", #"[{"media": [\#(media), "title": "post"}]}]"#),
        ])
        #expect(plan.photos[0].note.caption == "story\npost" && plan.saysAll)
    }

    @Test("paths as they stand in pages, and dates as texts")
    func forms() {
        let list =
            #"[{"media": [{"uri": "./m/p%201.jpg", "creation_timestamp": "2020-01-01T10:00:00+02:00", "title": "x"}]}]"#
        let plan = ImportPlan([photo("m/p 1.jpg"), text("posts.json", list)])
        #expect(plan.photos[0].note.caption == "x" && plan.saysAll)
        #expect(plan.photos[0].note.takenAt?.milliseconds == 1_577_865_600_000)
        let camera = #"""
            [{"media": [{"uri": "m/p 1.jpg", "creation_timestamp": 1577900000, "media_metadata": {"photo_metadata":
             {"exif_data": [{"date_time_original": "20191231T100000"}]}}}]}]
            """#
        let taken = ImportPlan([photo("m/p 1.jpg"), text("posts.json", camera)]).photos[0].note.takenAt
        #expect(taken?.milliseconds == 1_577_786_400_000 && taken?.isInstant == false)
    }

    // MARK: Google

    @Test(
        "what stands in a sidecar of Google's and no vault keeps is named",
        arguments: [
            (#""people": [{"name": "Oma"}]"#, "names of people"), (#""caption": "x""#, "texts under caption"),
            (#""comments": [{"text": "x"}]"#, "texts under comments"),
            (#""favorited": "yes""#, "texts under favorited"),
            (#""geoData": {"latitude": 95.0, "longitude": 200.0}"#, SidecarNote.unreadPlace), (#""people": []"#, nil),
            (#""newNumber": 5, "geoData": {"latitude": 0.0, "longitude": 0.0}, "archived": false"#, nil),
        ] as [(String, String?)])
    func members(members: String, expected: String?) {
        let plan = ImportPlan([
            photo("\(Self.folder)/a.jpg"), text("\(Self.folder)/a.jpg.json", google("a.jpg", members)),
        ])
        #expect(plan.photos[0].note.unkept == Set([expected].compactMap(\.self)))
        #expect(plan.saysAll == (expected == nil))
    }

    @Test("a date that is told as a text alone is read where its words are known, else named")
    func formatted() {
        func note(_ text: String) -> SidecarNote? {
            let json = #"{"title": "a.jpg", "url": "x", "photoTakenTime": {"formatted": "\#(text)"}}"#
            return SidecarContent(Array(json.utf8), path: "a.jpg.json").flatMap { content in
                if case .note(let note) = content { note } else { nil }
            }
        }
        #expect(note("Jun 8, 2019, 1:20:00\u{202F}PM UTC")?.takenAt?.milliseconds == 1_560_000_000_000)
        #expect(note("Jun 8, 2019, 12:20:00 AM UTC")?.takenAt?.milliseconds == 1_559_953_200_000)
        #expect(note("08.06.2019, 13:20:00 UTC")?.unkept == [SidecarNote.unreadDate])
    }

    @Test("words of an album, one without a name, one without a photo, and lists that are not known are named")
    func albums() {
        let (root, date) = ("Takeout/Google Photos", #""date": {"timestamp": "1"}"#)
        for (path, content, expected) in [
            ("Trip/metadata.json", #"{"title": "Trip", "description": "Our honeymoon", \#(date)}"#, "descriptions"),
            (
                "Trip/metadata.json", #"{"title": "Trip", "enrichments": [{"text": "Day one"}], \#(date)}"#,
                "texts between"
            ),
            ("Untitled/metadata.json", #"{"title": "", \#(date)}"#, "without a name"),
            ("Trip/metadata.json", #"{"titre": "Trip"}"#, "form that is not known"),
            ("shared_album_comments.json", #"{"sharedAlbumComments": [{"text": "nice"}]}"#, "form that is not known"),
        ] {
            let folder = path.contains("/") ? String(path.split(separator: "/")[0]) : "Trip"
            let plan = ImportPlan([photo("\(root)/\(folder)/a.jpg"), text("\(root)/\(path)", content)])
            #expect(reason(plan.fates[1]).contains(expected) && !plan.saysAll, "\(path) \(plan.fates[1])")
        }
        let empty = ImportPlan([
            photo("\(Self.folder)/a.jpg"), text("\(root)/Trip/metadata.json", #"{"title": "Trip", \#(date)}"#),
        ])
        #expect(empty.fates[1] == .orphan && !empty.saysAll)
        let nothing = [("shared_album_comments.json", #"{"sharedAlbumComments": []}"#), ("x.json", "{}")]
        for (path, content) in nothing {
            #expect(ImportPlan([photo("\(Self.folder)/a.jpg"), text("\(root)/\(path)", content)]).saysAll, "\(path)")
        }
    }

    @Test("two sidecars of one photo both count; where they differ, the date that is left out is named")
    func twoSidecars() {
        let other = google("a.jpg", #""description": "new", "favorited": true"#)
        let plan = ImportPlan([
            photo("\(Self.folder)/a.jpg"), text("\(Self.folder)/a.jpg.json", google("a.jpg", #""description": "old""#)),
            text("\(Self.folder)/a.jpg.supplemental-metadata.json", other),
        ])
        #expect(plan.photos[0].note.caption == "old\nnew" && plan.photos[0].note.isFavourite && plan.saysAll)
        let later = other.replacing("1500000000", with: "1510000000")
        let differing = ImportPlan([
            photo("\(Self.folder)/a.jpg"), text("\(Self.folder)/a.jpg.json", google("a.jpg")),
            text("\(Self.folder)/a.jpg.supplemental-metadata.json", later),
        ])
        #expect(differing.photos[0].note.unkept == [SidecarNote.otherDate] && !differing.saysAll)
        // Names that differ in the size of letters alone are those of two photos.
        let cases = ImportPlan([
            photo("\(Self.folder)/a.jpg"), photo("\(Self.folder)/A.JPG"),
            text("\(Self.folder)/a.jpg.json", google("a.jpg", #""description": "small""#)),
            text("\(Self.folder)/A.JPG.json", google("A.JPG", #""description": "large""#)),
        ])
        #expect(cases.photos.map(\.note.caption) == ["small", "large"])
    }

    @Test("copies of one photo: the words of each are kept")
    func copies() {
        let plan = ImportPlan([
            photo("\(Self.folder)/a.jpg", digest: "x"),
            text("\(Self.folder)/a.jpg.json", google("a.jpg", #""description": "first""#)),
            photo("Takeout/Google Photos/Rome/a.jpg", digest: "x"),
            text("Takeout/Google Photos/Rome/a.jpg.json", google("a.jpg", #""description": "second""#)),
        ])
        #expect(
            plan.photos[0].note.caption == "first\nsecond" && plan.photos[0].note.albums == ["Rome"] && plan.saysAll)
    }

    @Test("of the sidecar of a photo whose name its own begins with, a photo has the date alone, until its own comes")
    func guesses() {
        let said = google("Summer.jpg", #""description": "alone", "favorited": true"#)
        let files = [
            photo("\(Self.folder)/Summer.jpg"), photo("\(Self.folder)/Summer-Rome.jpg"),
            text("\(Self.folder)/Summer.jpg.json", said),
        ]
        let note = ImportPlan(files).photos[1].note
        #expect(note.isUncertain && note.takenAt != nil && note.caption == nil && !note.isFavourite)
        let own = google("Summer-Rome.jpg", #""description": "Rome""#).replacing("1500000000", with: "1510000000")
        let plan = ImportPlan(files + [text("\(Self.folder)/Summer-Rome.jpg.json", own)])
        #expect(plan.photos[1].note.caption == "Rome" && !plan.photos[1].note.isUncertain && plan.saysAll)
        #expect(plan.photos[1].note.takenAt?.milliseconds == 1_510_000_000_000)
        // Its own photo is not here: what is said of that is not said of this one.
        let alone = ImportPlan([files[1], files[2]])
        #expect(alone.fates[1] == .orphan && !alone.saysAll)
    }

    @Test("a sidecar without an ending means the photo of its title")
    func title() {
        let plan = ImportPlan([
            photo("\(Self.folder)/X.png", type: .png), photo("\(Self.folder)/X.jpg"),
            text("\(Self.folder)/X.json", google("X.jpg", #""description": "for the JPEG""#)),
        ])
        #expect(plan.photos.map(\.note.caption) == [nil, "for the JPEG"] && plan.saysAll)
    }

    @Test("a video beside a JPEG that lay in the trash is brought, and named")
    func trashedVideo() {
        let files = [
            photo("\(Self.folder)/IMG_6.JPG"), photo("\(Self.folder)/IMG_6.MP4", type: .mp4),
            text("\(Self.folder)/IMG_6.JPG.json", google("IMG_6.JPG", #""trashed": true"#)),
        ]
        let plan = ImportPlan(files)
        #expect(plan.fates.prefix(2) == [.trashed, .photo(0)] && plan.remarks[1] != nil)
    }

    @Test(
        "what cameras and programs call a picture or a video is one by its name",
        arguments: ["a.tod", "a.MOD", "a.x3f", "a.3fr", "a.JFIF", "a.heics", "a.insv", "a.qt", "a.psb", "a.j2k"])
    func endings(name: String) {
        #expect(ImportPlan([photo(name, type: .other)]).fates == [.photo(0)])
    }
}
