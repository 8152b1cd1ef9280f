import Media
import Testing

@testable import Import

@Suite("Lists of other places speak of their photos, and what is not understood is named")
struct ListTests {
    private func text(_ path: String, _ text: String, source: Int = 0) -> ImportFile {
        ImportFile(
            source: source, path: path, content: SidecarContent(Array(text.utf8), path: path), digest: Array(path.utf8))
    }

    private func photo(_ path: String, source: Int = 0, type: MediaType = .jpeg) -> ImportFile {
        ImportFile(source: source, path: path, type: type, digest: Array("\(source) \(path)".utf8))
    }

    private func seconds(_ note: SidecarNote) -> Int64? { note.takenAt.map { $0.milliseconds / 1000 } }

    private func isUnread(_ fate: ImportFate) -> Bool { if case .unread = fate { true } else { false } }

    @Test(
        "Flickr: date, caption, place and albums by the number in the name, from another archive",
        arguments: [
            "beach_51234567890_o.jpg", "51234567890_ab1cd2ef3g_o.jpg", "beach_51234567890.mp4",
            "a_b_51234567890_o(1).jpg",
        ])
    func flickr(name: String) throws {
        let details = """
            {"id": "51234567890", "name": "beach", "description": "Am Strand", "date_taken": "2009-05-06 07:08:09",
             "date_imported": "2015-01-01 00:00:00", "geo": [{"latitude": "54500000", "longitude": "-11200000"}],
             "albums": [{"id": "7", "title": "Sommer"}], "tags": []}
            """
        let albums = #"{"albums": [{"title": "Meer", "photos": ["51234567890", "0"]}]}"#
        let plan = ImportPlan([
            photo("data/\(name)"), photo("data/other_51234567899_o.jpg"),
            text("photo_51234567890.json", details, source: 1), text("albums.json", albums, source: 1),
            text("photo_51234567800.json", details.replacing("51234567890", with: "51234567800"), source: 1),
        ])
        let note = plan.photos[0].note
        // The title stands in the name already.
        let caption = name.hasPrefix("beach_") ? "Am Strand" : "beach\nAm Strand"
        #expect(
            seconds(note) == 1_241_593_689 && note.takenAt?.isInstant == false && note.caption == caption)
        #expect(note.place == Place(latitude: 54.5, longitude: -11.2) && Set(note.albums) == ["Sommer", "Meer"])
        #expect(note.correctsTime && note.correctsPlace && note.unkept.isEmpty)
        #expect(plan.photos[1].note == SidecarNote())
        #expect(plan.fates.suffix(3) == [.sidecar, .sidecar, .orphan])
    }

    @Test("Flickr: a date that nobody knows is none, a title of a person is a caption, keywords are named")
    func flickrGaps() {
        let details =
            #"{"id": 7123456, "name": "Oma am See", "date_taken": "0000-00-00 00:00:00", "geo": {}, "tags": [{"tag": "x"}]}"#
        let note = ImportPlan([photo("x_7123456_o.jpg"), text("photo_7123456.json", details)]).photos[0].note
        #expect(note.takenAt == nil && note.caption == "Oma am See" && note.unkept == ["keywords"])
    }

    @Test("Facebook: albums, posts and their places, whatever the letters; its upload puts no date right")
    func facebook() {
        let album = #"""
            {"name": "Urlaub in K\u00c3\u00b6ln", "photos": [{"uri": "posts/media/U_1/1_n.jpg", "creation_timestamp": 1465286950,
             "media_metadata": {"photo_metadata": {"exif_data": [{"taken_timestamp": 1465200000, "latitude": 50.9, "longitude": 6.9}]}},
             "title": "Urlaub in K\u00c3\u00b6ln", "description": "Sonne \u00e2\u0098\u0080"}], "cover_photo": {"uri": "posts/media/U_1/1_n.jpg"}}
            """#
        let posts = #"""
            [{"timestamp": 1500000000, "attachments": [{"data": [{"media": {"uri": "posts/media/M_2/2_n.jpg",
              "creation_timestamp": 1500000001, "title": "Mobile Uploads"}},
              {"place": {"name": "x", "coordinate": {"latitude": 1.5, "longitude": 2.5}}}]}], "data": [{"post": "Hallo"}]},
             {"timestamp": 5, "data": [{"post": "nothing"}]}]
            """#
        let root = "facebook-anna/your_facebook_activity"
        let plan = ImportPlan([
            photo("\(root)/posts/media/U_1/1_n.jpg"), photo("\(root)/posts/media/M_2/2_n.jpg"),
            text("\(root)/posts/album/0.json", album), text("\(root)/posts/your_posts_1.json", posts),
        ])
        let (first, second) = (plan.photos[0].note, plan.photos[1].note)
        #expect(seconds(first) == 1_465_200_000 && first.albums == ["Urlaub in Köln"] && first.caption == "Sonne ☀")
        #expect(first.place == Place(latitude: 50.9, longitude: 6.9) && !first.correctsTime && !first.correctsPlace)
        #expect(seconds(second) == 1_500_000_001 && second.caption == "Hallo" && second.albums.isEmpty)
        #expect(second.place == Place(latitude: 1.5, longitude: 2.5))
        // A post without a photo is said of none, and lies nowhere in the vault.
        #expect(plan.fates[2] == .sidecar && isUnread(plan.fates[3]))
    }

    @Test("Instagram: posts, their one title for several pictures, stories, and lists of older exports")
    func instagram() {
        let posts = #"""
            [{"media": [{"uri": "media/posts/201606/1.jpg", "creation_timestamp": 1465286950, "title": "#sun"}]},
             {"media": [{"uri": "media/posts/201607/2.jpg", "creation_timestamp": 1467000000, "title": ""},
                        {"uri": "media/posts/201607/3.jpg", "creation_timestamp": 1467000001, "title": ""}], "title": "Both"}]
            """#
        let stories =
            #"{"ig_stories": [{"uri": "media/stories/201801/4.jpg", "creation_timestamp": 1515000000, "title": "S"}]}"#
        let old =
            #"{"photos": [{"caption": "Old", "taken_at": "2018-10-05T12:33:11+00:00", "path": "photos/201810/5.jpg"}]}"#
        let photos = [
            "media/posts/201606/1", "media/posts/201607/2", "media/posts/201607/3", "media/stories/201801/4",
            "photos/201810/5",
        ]
        let plan = ImportPlan(
            photos.map { photo("\($0).jpg") } + [
                text("content/posts_1.json", posts), text("content/stories.json", stories), text("media.json", old),
            ])
        #expect(plan.photos.map(\.note.caption) == ["#sun", "Both", "Both", "S", "Old"])
        #expect(
            plan.photos.map { seconds($0.note) } == [
                1_465_286_950, 1_467_000_000, 1_467_000_001, 1_515_000_000, 1_538_742_791,
            ])
        #expect(plan.fates.suffix(3).allSatisfy { $0 == .sidecar })
    }

    @Test("a path means the photo in its folder, not another one of its name; two that cannot be told apart are named")
    func paths() {
        let list = #"[{"media": [{"uri": "media/posts/1/a.jpg", "creation_timestamp": 1465286950, "title": "x"}]}]"#
        let plan = ImportPlan([photo("media/posts/2/a.jpg"), photo("media/posts/1/a.jpg"), text("posts_1.json", list)])
        #expect(plan.photos.map(\.note.caption) == [nil, "x"])
        let elsewhere = ImportPlan([photo("other/a.jpg"), text("posts_1.json", list)])
        #expect(elsewhere.photos[0].note.caption == nil && isUnread(elsewhere.fates[1]))
        let two = ImportPlan([
            photo("p/media/posts/1/a.jpg"), photo("q/media/posts/1/a.jpg"), text("posts_1.json", list),
        ])
        #expect(two.photos.allSatisfy { $0.note.caption == nil } && isUnread(two.fates[2]))
        let sources = ImportPlan([
            photo("media/posts/1/a.jpg", source: 0), photo("media/posts/1/a.jpg", source: 1),
            text("posts_1.json", list, source: 1),
        ])
        #expect(sources.photos.map(\.note.caption) == [nil, "x"])
    }

    @Test("Snapchat: by the identifier in the link, else by the only moment of a day")
    func snapchat() {
        let list = #"""
            {"Saved Media": [
             {"Date": "2021-03-04 15:16:17 UTC", "Media Type": "Image", "Location": "Latitude, Longitude: 48.1, -11.5",
              "Download Link": "https://x/?uid=1&mid=0A1B-01&sig=2"},
             {"Date": "2021-03-05 01:02:03 UTC", "Media Type": "Video", "Location": "Latitude, Longitude: 0.0, 0.0", "Download Link": ""}]}
            """#
        let files = [
            photo("memories/2021-03-04_0A1B-01-main.jpg"), photo("memories/2021-03-04_0A1B-01-overlay.png", type: .png),
            photo("memories/2021-03-05_0A1B-02-main.mp4", type: .mp4),
            photo("memories/2021-03-05_0A1B-02-overlay.png", type: .png), photo("memories/2021-03-06_0A1B-03-main.jpg"),
        ]
        let plan = ImportPlan(files + [text("json/memories_history.json", list)])
        #expect(
            plan.photos.map { seconds($0.note) } == [1_614_870_977, 1_614_870_977, 1_614_906_123, 1_614_906_123, nil])
        #expect(
            plan.photos[0].note.place == Place(latitude: 48.1, longitude: -11.5) && plan.photos[2].note.place == nil)
        #expect(plan.fates[5] == .sidecar)
        let twice = files + [photo("memories/2021-03-05_0A1B-09-main.mp4", type: .mp4)]
        let unclear = ImportPlan(twice + [text("json/memories_history.json", list)])
        #expect(seconds(unclear.photos[2].note) == nil && isUnread(unclear.fates[6]))
    }

    @Test(
        "what names photos that are here, in a form that is not known, was not read",
        arguments: [
            ("app/index.json", #"{"pictures": [{"file": "img/a.JPG", "when": 5}]}"#),
            ("x.json", #"{"date": "2019", "file": "a.jpg"}"#),
            ("x.json", #"{"memories": [{"image": "a.jpg"}]}"#),
            ("Fotodetails.csv", "Bildname,Datum\r\na.jpg,4. Mai 2019\r\n"),
            ("Alben/Rom.csv", "Bilder\na.jpg\n"), ("posts.html", #"<img src="media/a%2Ejpg"> 2019"#),
            ("posts.html", #"<a href="media%2Fposts%2Fa.jpg">x</a>"#),
            ("_chat.txt", "[31.01.24, 22:15:30] Oma: <Anhang: a.jpg>"), ("who.txt", "a.jpg: Oma, Opa"),
            ("index.htm", "<img src='m/a.jpg?s=2'>"),
            (".picasa.ini", "[a.jpg]\r\nstar=yes\r\n"),
            ("a.jpg.json", #"{"when": "2019"}"#), ("a.txt", "Oma am See"), ("a.json", #"{"when": "2019"}"#),
        ])
    func unread(path: String, content: String) {
        let plan = ImportPlan([photo("a.jpg"), text(path, content)])
        #expect(isUnread(plan.fates[1]), "\(plan.fates[1])")
    }

    @Test(
        "what is broken off was not read, whatever it speaks of",
        arguments: ["b.jpg.json", "b.jpg.supplemental-metadata.json", "x.xmp", "empty.json"])
    func broken(path: String) {
        let content = path.hasPrefix("empty") ? "" : #"{"title": "b.jpg", "photoTakenTime": {"t"#
        guard case .unread(let reason) = ImportPlan([photo("a.jpg"), text(path, content)]).fates[1] else {
            Issue.record("\(path) was read")
            return
        }
        #expect(reason.contains("could not be read"))
    }

    @Test("what names no photo is none")
    func others() {
        for (path, content) in [
            ("settings.json", #"{"theme": "dark"}"#), ("notes.txt", "Milk"), ("index.html", "<p>a.png</p>"),
            ("friends.csv", "name\nOma\n"), ("b.jpg.txt", "x"),
        ] {
            let plan = ImportPlan([photo("a.jpg"), text(path, content)])
            #expect(plan.fates[1] == .notPhoto(reason: "it is no photo and no video"), "\(path)")
        }
        // Not what systems keep, nor the report of an import.
        for (path, content) in [
            ("archive_browser.html", "a.jpg"),
            ("report.csv", "source,path,bytes,outcome,remark,sha256\r\nx,a.jpg,1,stored,,\r\n"),
        ] {
            #expect(ImportPlan([photo("a.jpg"), text(path, content)]).fates[1] == .sidecar, "\(path)")
        }
    }

    @Test("of a list of Apple's, dates that are not understood, and rows that are missing, are named")
    func apple() {
        let head = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate\n"
        let path = "iCloud Photos Part 1 of 1/Photos"
        for row in [#"a.jpg,x,no,no,no,"Samstag, 5. Oktober 2019 um 13:44",1,x"#, "a.jpg,x,ye"] {
            let plan = ImportPlan([photo("\(path)/a.jpg"), text("\(path)/Photo Details.csv", head + row)])
            #expect(isUnread(plan.fates[1]), "\(row)")
        }
    }

    @Test("where files lead, nothing is put right; a moment of upload never is")
    func leading() throws {
        func note(_ creation: Int) throws -> SidecarNote {
            let text = """
                {"title": "a.jpg", "photoTakenTime": {"timestamp": "1500000000"}, "creationTime": {"timestamp": "\(creation)"},
                 "geoData": {"latitude": 1.5, "longitude": 2.5}}
                """
            guard case .note(let note) = SidecarContent(Array(text.utf8), path: "a.jpg.json") else {
                throw Unexpected()
            }
            return note
        }
        let said = try note(1_600_000_000)
        #expect(said.correctsTime && said.correctsPlace)
        #expect(try !note(1_500_000_030).correctsTime)
        let files = [photo("T/a.jpg"), ImportFile(path: "T/a.jpg.json", content: .note(said))]
        #expect(ImportPlan(files).photos[0].note.correctsTime)
        let plain = ImportPlan(files, .init(filesLead: true)).photos[0].note
        #expect(!plain.correctsTime && !plain.correctsPlace && plain.takenAt == said.takenAt)
    }

    private struct Unexpected: Error {}
}
