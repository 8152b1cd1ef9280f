import Media
import Testing

@testable import Import

@Suite("Every spelling of a sidecar finds its photo")
struct SpellingTests {
    private static let long = "a-photo-whose-name-is-much-longer-than-the-archive-allows"
    private static let cut = "a_photo_whose_name_has_no_sign_but_letters_and_is_long"

    @Test(
        "Google Takeout",
        arguments: [
            ("IMG_1.jpg", "IMG_1.jpg.json"), ("IMG_1.jpg", "IMG_1.jpg.supplemental-metadata.json"),
            ("IMG_1.jpg", "IMG_1.jpg.supplemental-met.json"), ("IMG_1.jpg", "IMG_1.jpg.suppl.json"),
            ("IMG_1.jpg", "IMG_1.jpg.s.json"), ("IMG_1.jpg", "IMG_1.jpg..json"), ("IMG_1.jpg", "IMG_1.json"),
            ("IMG_1(1).jpg", "IMG_1.jpg(1).json"), ("IMG_1(1).jpg", "IMG_1.jpg.supplemental-metadata(1).json"),
            ("IMG_1(12).jpg", "IMG_1.jpg.suppl(12).json"), ("IMG_1(1).jpg", "IMG_1(1).jpg.json"),
            ("IMG_1-edited.jpg", "IMG_1.jpg.json"), ("IMG_1-bearbeitet.jpg", "IMG_1.jpg.supplemental-metadata.json"),
            ("IMG_1-modifié.jpg", "IMG_1.jpg.json"), ("IMG_1-modifie\u{301}.jpg", "IMG_1.jpg.json"),
            ("IMG_1-编辑.jpg", "IMG_1.jpg.json"), ("IMG_1-已修改.jpg", "IMG_1.jpg.json"),
            ("IMG_1-編集済み.jpg", "IMG_1.jpg.json"), ("IMG_1-editado.jpg", "IMG_1.jpg.json"),
            ("IMG_1-edited(2).jpg", "IMG_1.jpg(2).json"), ("IMG_1-edited.jpg", "IMG_1.HEIC.json"),
            ("IMG_1.MP4", "IMG_1.HEIC.json"), ("IMG_1(1).MP4", "IMG_1.HEIC(1).json"),
            ("IMG_1.MOV", "IMG_1.HEIC.supplemental-metadata.json"), ("PXL_1.MP.jpg", "PXL_1.MP.jpg.json"),
            ("PXL_1.MP", "PXL_1.MP.jpg.supplemental-metadata.json"),
            ("\(long.prefix(47)).jpg", "\(long.prefix(46)).json"),
            ("\(long.prefix(43)).jpg", "\(long.prefix(43)).jp.json"),
            ("Tom _ Jerry_s.jpg", "Tom _ Jerry_s.jpg.json"), ("Img_1.JPG", "IMG_1.jpg.json"),
            ("IMG_1.JPG", "IMG_1.HEIC.json"), ("IMG_1.jpeg", "IMG_1.jpg.json"),
            ("IMG_1.heic.jpg", "IMG_1.heic.json"), ("IMG_1-edited(1).jpg", "IMG_1.jpg.supplemental-metadata.json"),
            ("IMG_1~2.jpg", "IMG_1.jpg.json"), ("IMG_1-COLLAGE.jpg", "IMG_1.jpg.supplemental-metadata.json"),
            ("IMG_1-ANIMATION.gif", "IMG_1.jpg.json"), ("IMG_1-effects-edited.jpg", "IMG_1.jpg.json"),
            ("IMG_1-edi.jpg", "IMG_1.jpg.json"), ("IMG_1-szerkesztett.jpg", "IMG_1.jpg.json"),
            ("IMG_1-upravené.jpg", "IMG_1.jpg.json"),
            // A number that stands elsewhere.
            ("IMG_2367(1).HEIC.jpg", "IMG_2367.HEIC.supplemental-metadata(1).json"),
            ("IMG_2368.HEIC(1).jpg", "IMG_2368.HEIC(1).supplemental-metadata.json"),
            ("IMG_2369(2).jpg", "IMG_2369.jpg(2).supplemental-metadata.json"),
            ("IMG_2370(2).jpg", "IMG_2370.jpg(2).suppl.json"), ("IMG_7.jpg(1)", "IMG_7.jpg(1).json"),
            ("IMG_8(1)-edited.jpg", "IMG_8.jpg(1).json"),
            ("IMG_9(2)-edited.png.jpg", "IMG_9.png.supplemental-metadata(2).json"),
            ("IMG_8(1)-bearbeitet.jpg", "IMG_8.jpg.supplemental-me(1).json"),
            ("IMG(1)(2).jpg", "IMG(1).jpg.supplemental-metadata(2).json"),
            // Names that were cut, with the word for a change cut once more.
            ("\(cut.prefix(43))-ed.jpg", "\(cut.prefix(45)).json"),
            ("\(cut.prefix(43))-be.jpg", "\(cut.prefix(46)).json"),
            ("\(cut.prefix(45))-.jpg", "\(cut.prefix(46)).json"),
            ("\(cut.prefix(43))-ed(1).jpg", "\(cut.prefix(46))(1).json"),
            // A copy for whose sidecar there was no room.
            (
                "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_P(1).jpg",
                "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_.json"
            ),
            (
                "13039_327707840323_537645323_9470255_27214_n(2).jpg",
                "13039_327707840323_537645323_9470255_27214_n.j.json"
            ),
            // A changed Motion Photo.
            ("PXL_1.MP~2.jpg", "PXL_1.MP~2.jpg.json"), ("PXL_1.MP~2", "PXL_1.MP~2.jpg.supplemental-metadata.json"),
            ("PXL_1.MP~2.jpg", "PXL_1.MP.jpg.json"), ("PXL_1.MP~3", "PXL_1.MP.jpg.json"),
        ])
    func takeout(photo: String, sidecar: String) {
        #expect(date(of: photo, beside: [sidecar]) == 1_500_000_000_000)
    }

    @Test("a sidecar of another copy, of another photo, or of another kind of picture finds none")
    func strangers() {
        for (photo, sidecar) in [
            ("IMG_1.jpg", "IMG_1.jpg(1).json"), ("IMG_1(1).jpg", "IMG_1.jpg.json"), ("IMG_1.jpg", "IMG_10.jpg.json"),
            ("IMG_1.jpg", "IMG_1.png.json"), ("IMG-20190101-WA0001.jpg", "IMG.jpg.json"),
            ("IMG_1~a.jpg", "IMG_1.jpg.json"), ("IMG_1-2.jpg", "IMG_1.jpg.json"),
            ("IMG_1(1).HEIC.jpg", "IMG_1.HEIC.json"), ("IMG_1(2).jpg", "IMG_1.jpg(1).supplemental-metadata.json"),
            ("\(Self.cut.prefix(43))-12.jpg", "\(Self.cut.prefix(46)).json"),
            ("\(Self.cut.prefix(43))-ed.jpg", "\(Self.cut.prefix(40))x.json"), ("short-ed.jpg", "short_name.jpg.json"),
        ] {
            let plan = ImportPlan([Self.photo(photo), Self.note(sidecar, 1_500_000_000)])
            #expect(plan.photos[0].note.takenAt == nil, "\(photo) \(sidecar)")
            #expect(plan.fates[1] == .orphan)
        }
    }

    @Test("what only may be meant puts no date right")
    func likely() {
        func corrects(_ photo: String, _ sidecar: String) -> Bool {
            var note = Self.note(sidecar, 5)
            if case .note(var said) = note.content {
                said.correctsTime = true
                note.content = .note(said)
            }
            return ImportPlan([Self.photo(photo), note]).photos[0].note.correctsTime
        }
        #expect(
            corrects("A.jpg", "A.jpg.json") && corrects("A.MP4", "A.HEIC.json")
                && corrects("A-edited.jpg", "A.jpg.json"))
        #expect(
            !corrects("A-COLLAGE.jpg", "A.jpg.json")
                && !corrects("\(Self.cut.prefix(43))-ed.jpg", "\(Self.cut.prefix(46)).json"))
    }

    @Test("a copy whose sidecar was cut within its ending has its own, and not that of the first")
    func cutCopies() {
        let stem = "13039_327707840323_537645323_9470255_27214_n"
        let sidecars: [String: Double] = ["\(stem).j.json": 1, "\(stem).j(1).json": 2]
        #expect(date(of: "\(stem)(1).jpg", beside: sidecars) == 2000)
        #expect(date(of: "\(stem).jpg", beside: sidecars) == 1000)
        #expect(date(of: "\(stem)(2).jpg", beside: sidecars) == 1000)
    }

    @Test("of two names that begin like a cut one, none is taken")
    func ambiguous() {
        let photo = "\(Self.cut.prefix(43))-ed.jpg"
        let both = ["\(Self.cut.prefix(46)).json", "\(Self.cut.prefix(44))xy.json"]
        #expect(date(of: photo, beside: both) == nil)
    }

    @Test("each of two copies finds its own, and the picture of two with one stem the one that names it")
    func choices() {
        #expect(date(of: "A(1).jpg", beside: ["A.jpg.json": 1, "A.jpg(1).json": 2]) == 2_000)
        #expect(date(of: "A.jpg", beside: ["A.jpg.json": 1, "A.jpg(1).json": 2]) == 1_000)
        #expect(date(of: "A.mp4", beside: ["A.jpg.json": 1, "A.mp4.json": 2]) == 2_000)
    }

    @Test("names whose signs were replaced beyond recognition are found by the title")
    func titles() {
        let sidecar = Self.note("Tom & Jerry.jpg.json", 1_500_000_000, title: "Tom & Jerry: 'the' film.jpg")
        let plan = ImportPlan([Self.photo("Tom _ Jerry_ _the_ film.jpg"), sidecar])
        #expect(plan.photos[0].note.takenAt?.milliseconds == 1_500_000_000_000)
    }

    @Test("a title means a photo of its own kind")
    func titlesOfOthers() {
        let sidecar = Self.note("IMG_0001.JPG.json", 5, title: "IMG_0001.JPG")
        let plan = ImportPlan([Self.photo("IMG_0001.PNG"), sidecar])
        #expect(plan.photos[0].note.takenAt == nil && plan.fates[1] == .orphan)
        let named = Self.note("x.json", 5, title: "A & B.HEIC")
        let live = ImportPlan([Self.photo("A _ B.HEIC"), Self.photo("A _ B.MP4"), Self.photo("A _ B.PNG"), named])
        #expect(live.photos.map { $0.note.takenAt == nil } == [false, false, true])
    }

    @Test("the trash is believed of the photo that is named, and of its parts where it is there itself")
    func trash() {
        func fates(_ photos: [String], _ sidecar: String, title: String = "x") -> [ImportFate] {
            let plan = ImportPlan(photos.map(Self.photo) + [Self.trashed(sidecar, title: title)])
            for (index, fate) in plan.fates.dropLast().enumerated() {
                if case .photo = fate { #expect(plan.remarks[index] != nil, "\(photos[index])") }
            }
            return plan.fates.dropLast()
        }
        #expect(fates(["VID.MP4"], "VID.JPG.json") == [.photo(0)])
        #expect(fates(["T-edited.jpg"], "T.jpg.json") == [.photo(0)])
        #expect(
            fates(["T.HEIC", "T.MP4", "T.JPG", "T-edited.jpg"], "T.HEIC.json") == Array(repeating: .trashed, count: 4))
        #expect(fates(["T.jpg", "T-COLLAGE.jpg"], "T.jpg.json") == [.trashed, .photo(0)])
        // What another part calls alike may be another photo.
        var elsewhere = Self.photo("T.JPG")
        elsewhere.source = 1
        let plan = ImportPlan(
            [Self.photo("T.HEIC"), Self.trashed("T.HEIC.json", title: "x"), elsewhere],
            sources: ["takeout-1-001.zip", "takeout-1-002.zip"])
        #expect(plan.fates == [.trashed, .sidecar, .photo(0)] && plan.remarks[2] != nil)
        #expect(fates(["A _ B.jpg"], "A & B.jpg.json", title: "A & B.jpg") == [.photo(0)])
    }

    @Test("the trash of what only lies side by side, and may be another person's, takes no photo")
    func trashOfOthers() {
        func fates(_ sources: [String]) -> [ImportFate] {
            var theirs = Self.photo("IMG_1.jpg")
            theirs.source = 1
            return ImportPlan(
                [Self.trashed("IMG_1.jpg.json", title: "IMG_1.jpg"), Self.photo("a.jpg"), theirs], sources: sources
            ).fates
        }
        for sources in [["anna", "bob"], ["Takeout", "Takeout 2"], ["takeout-20240101T000000Z-001.zip", "bob.zip"]] {
            #expect(fates(sources).last == .photo(1), "\(sources)")
        }
        #expect(fates(["takeout-20240101T000000Z-001.zip", "takeout-20240101T000000Z-002.zip"]).last == .trashed)
    }

    @Test("the third of a trio, and several changed ones beside their picture, have its sidecar")
    func trios() {
        let names = [
            "IMG_23.HEIC", "IMG_23.MP4", "IMG_23.JPG", "IMG_23-edited.jpg", "IMG_23-edited(1).jpg", "IMG_23~3.jpg",
        ]
        let plan = ImportPlan(names.map(Self.photo) + [Self.note("IMG_23.HEIC.supplemental-metadata.json", 5)])
        #expect(plan.photos.allSatisfy { $0.note.takenAt?.milliseconds == 5000 }, "\(plan.photos.map(\.note.takenAt))")
    }

    @Test("the sidecar may lie in another part than its photo")
    func parts() {
        var (photo, sidecar) = (Self.photo("a.jpg"), Self.note("a.jpg.json", 5))
        (photo.source, sidecar.source) = (3, 1)
        #expect(ImportPlan([photo, sidecar]).photos[0].note.takenAt?.milliseconds == 5_000)
    }

    @Test(
        "a year is no album, in any language",
        arguments: [
            "Photos from 2019", "Fotos von 2019", "Photos de 2019", "Fotos de 2019", "Foto dal 2019", "Foto's uit 2019",
            "2019年的照片", "2019 年的照片", "2019年の写真", "Kuvia vuodelta 2019", "Fotky z roku 2019", "2019 fotoğrafları",
            "Foton från 2019", "תמונות משנת 2019", "صور من 2019", "2019 fotói", "Ảnh từ 2019",
        ])
    func years(folder: String) {
        var photo = Self.photo("a.jpg")
        photo.path = "Takeout/Google Photos/\(folder)/a.jpg"
        #expect(ImportPlan([photo]).photos[0].note.albums.isEmpty)
        var title = Self.photo("metadata.json")
        title.path = "Takeout/Google Photos/\(folder)/metadata.json"
        (title.type, title.content) = (.other, .album(title: folder))
        #expect(ImportPlan([photo, title]).photos[0].note.albums.isEmpty)
    }

    @Test("a photo of a year and of two albums is one photo in two albums, with what each copy says")
    func albums() throws {
        func copy(_ folder: String) -> ImportFile {
            ImportFile(path: "Takeout/Google Fotos/\(folder)/a.jpg", type: .jpeg, digest: [7])
        }
        var note = Self.note("a.jpg.json", 9)
        note.path = "Takeout/Google Fotos/Fotos von 2019/a.jpg.json"
        let title = ImportFile(
            path: "Takeout/Google Fotos/Rom_ 2019/Metadaten.json", content: .album(title: "Rom: 2019"))
        let plan = ImportPlan(
            [copy("Fotos von 2019"), note, copy("Rom_ 2019"), title, copy("Oma"), copy("Papierkorb")],
            .init(album: "Neu"))
        try #require(plan.photos.count == 1)
        #expect(Set(plan.photos[0].note.albums) == ["Rom: 2019", "Oma", "Neu"])
        #expect(plan.photos[0].note.takenAt?.milliseconds == 9_000)
        #expect(plan.fates[2] == .again(photo: 0) && plan.fates[3] == .sidecar)
    }

    @Test("folders are albums where that is asked for, with the folder above where two are called the same")
    func folders() {
        let files = ["2018/Rome/a.jpg", "2019/Rome/b.jpg", "Oma/c.jpg", "d.jpg"].enumerated().map {
            ImportFile(isFromArchive: false, path: $1, type: .jpeg, digest: [UInt8($0)])
        }
        let albums = ImportPlan(files, .init(keepsFolders: true)).photos.map(\.note.albums)
        #expect(albums == [["2018/Rome"], ["2019/Rome"], ["Oma"], []])
        #expect(ImportPlan(files).photos.allSatisfy { $0.note.albums.isEmpty })
    }

    @Test("folders of one name are told apart by as many folders, or sources, as it takes")
    func deepFolders() {
        let paths = ["2018/x/Rome/a.jpg", "2019/x/Rome/b.jpg", "Rome/c.jpg", "Rome/d.jpg"]
        var files = paths.enumerated().map {
            ImportFile(isFromArchive: false, path: $1, type: .jpeg, digest: [UInt8($0)])
        }
        (files[2].source, files[3].source) = (1, 2)
        let plan = ImportPlan(files, .init(keepsFolders: true), sources: ["/m", "/m/Anna", "/m/Ben"])
        #expect(plan.photos.map(\.note.albums) == [["2018/x/Rome"], ["2019/x/Rome"], ["Anna/Rome"], ["Ben/Rome"]])
    }

    @Test("trash is not brought, what is no photo is named, and every file has a fate")
    func fates() {
        var trashed = Self.note("a.jpg.json", 5)
        if case .note(var note) = trashed.content {
            note.isTrashed = true
            trashed.content = .note(note)
        }
        let files = [
            Self.photo("a.jpg"), trashed, ImportFile(path: "b.AAE"), ImportFile(path: "c.pdf"),
            ImportFile(path: "d.jpg", byteCount: 0), ImportFile(path: "e.jpg", problem: "it is encrypted"),
            Self.photo("f.jpg"), ImportFile(path: "f.xmp", content: .edits(SidecarNote()), digest: [99]),
        ]
        let plan = ImportPlan(files)
        #expect(plan.fates[0] == .trashed && plan.fates[1] == .sidecar)
        #expect(plan.fates[5] == .unreadable(reason: "it is encrypted"))
        #expect(plan.photos.map(\.name) == ["f.jpg", "f.xmp"] && plan.photos[1].isSidecar)
        for index in 2...4 { if case .notPhoto = plan.fates[index] { continue } else { Issue.record("\(index)") } }
    }

    private static func trashed(_ name: String, title: String) -> ImportFile {
        var file = note(name, 5, title: title)
        guard case .note(var said) = file.content else { return file }
        said.isTrashed = true
        file.content = .note(said)
        return file
    }

    private func date(of photo: String, beside sidecars: [String]) -> Int64? {
        date(of: photo, beside: Dictionary(uniqueKeysWithValues: sidecars.map { ($0, 1_500_000_000) }))
    }

    private func date(of photo: String, beside sidecars: [String: Double]) -> Int64? {
        let notes = sidecars.map { Self.note($0.key, $0.value) }
        return ImportPlan([Self.photo(photo)] + notes).photos.first?.note.takenAt?.milliseconds
    }

    static func photo(_ name: String) -> ImportFile {
        let isVideo = [".mp4", ".mov", ".mp", ".mp~2", ".mp~3"].contains { name.lowercased().hasSuffix($0) }
        return ImportFile(
            path: "Takeout/Google Photos/Photos from 2017/\(name)", type: isVideo ? .mp4 : .jpeg,
            digest: Array(name.utf8))
    }

    static func note(_ name: String, _ seconds: Double, title: String = "something else") -> ImportFile {
        var note = SidecarNote()
        note.title = title
        note.takenAt = CaptureTime(sidecarSeconds: seconds)
        return ImportFile(path: "Takeout/Google Photos/Photos from 2017/\(name)", content: .note(note))
    }
}
