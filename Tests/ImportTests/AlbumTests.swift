import Media
import Testing

@testable import Import

@Suite("Which folders of Google's are albums")
struct AlbumTests {
    /// What the photo of each folder joins. Folders of which a file says so are written with `!`.
    private func albums(_ folders: [String]) -> [String: [String]] {
        let names = folders.map { $0.hasSuffix("!") ? String($0.dropLast()) : $0 }
        let titles = folders.filter { $0.hasSuffix("!") }.map { folder in
            ImportFile(
                path: "Takeout/Google Photos/\(folder.dropLast())/metadata.json",
                content: .album(title: String(folder.dropLast())))
        }
        let photos = names.enumerated().map { number, name in
            ImportFile(path: "Takeout/Google Photos/\(name)/\(number).jpg", type: .jpeg, digest: [UInt8(number)])
        }
        let plan = ImportPlan(photos + titles)
        return Dictionary(uniqueKeysWithValues: zip(names, plan.photos.map(\.note.albums)))
    }

    @Test(
        "what a person called like a day or a year is one",
        arguments: ["2019-08-14", "1984 2 3", "Фото 2019", "照片 2019", "2019", "Rome 2019"])
    func titled(name: String) {
        #expect(albums(["\(name)!", "Photos from 2019"])[name] == [name])
    }

    @Test("folders of years are none in languages that nobody knows here, where several are alike")
    func unknownLanguages() {
        let found = albums(["Afbeeldings uit 2018", "Afbeeldings uit 2019", "Rome 2018!", "Rome 2019!", "Oma 1950"])
        #expect(found["Afbeeldings uit 2018"] == [] && found["Afbeeldings uit 2019"] == [])
        #expect(found["Rome 2018"] == ["Rome 2018"] && found["Rome 2019"] == ["Rome 2019"])
        #expect(found["Oma 1950"] == ["Oma 1950"])
    }

    /// A picture of a service, with what its sidecar says where there is one.
    private func service(_ path: String, _ digest: UInt8, _ note: SidecarNote? = nil) -> [ImportFile] {
        let photo = ImportFile(path: "Takeout/\(path)", type: .jpeg, digest: [digest])
        return [photo] + (note.map { [ImportFile(path: "Takeout/\(path).json", content: .note($0))] } ?? [])
    }

    private func note(isArchived: Bool = false, isTrashed: Bool = false) -> SidecarNote {
        var note = SidecarNote()
        (note.title, note.isArchived, note.isTrashed) = ("x.jpg", isArchived, isTrashed)
        return note
    }

    @Test(
        "of a Takeout of all services only Google Photos has albums, whatever it is called",
        arguments: [
            ("Google Photos", "Drive"), ("Google Fotos", "Google Chat/Groups"), ("Google フォト", "ドライブ"),
            ("Zdjęcia Google", "Kontakty"), ("Gúgúl myndir", "Blogger/Albums"),
            ("Google Photos", "Drive/Photos from 2018"),
        ])
    func services(photos: String, other: String) {
        let files =
            service("\(photos)/Photos from 2019/a.jpg", 1, note()) + service("\(photos)/Rome/b.jpg", 2, note())
            + service("\(other)/Bills/c.jpg", 3) + service("\(other)/d.jpg", 4)
        let plan = ImportPlan(files)
        #expect(plan.photos.map(\.note.albums) == [[], ["Rome"], [], []])
        #expect(plan.remarks.filter { $0.value.contains("not in Google Photos") }.count == 2)
        let left = ImportPlan(files, .init(allServices: false))
        #expect(left.photos.count == 2)
        for fate in left.fates.suffix(2) { if case .left = fate { continue } else { Issue.record("\(fate)") } }
    }

    @Test("a Drive with an export of before is no Google Photos; alone it has no albums either")
    func drive() {
        let before = service("Drive/Rome/c.jpg", 3, note())
        let plan = ImportPlan(service("Google Photos/Oma/a.jpg", 1, note()) + before)
        #expect(plan.photos.map(\.note.albums) == [["Oma"], []])
        #expect(ImportPlan(service("Drive/Bills/c.jpg", 3)).photos[0].note.albums.isEmpty)
        #expect(ImportPlan(service("Google Fotos/Oma/c.jpg", 3)).photos[0].note.albums == ["Oma"])
    }

    @Test("folders of the other services are albums where folders are, and only there")
    func otherFolders() {
        let files = service("Google Photos/Oma/a.jpg", 1, note()) + service("Drive/Bills/c.jpg", 3)
        #expect(ImportPlan(files, .init(keepsFolders: true)).photos.map(\.note.albums) == [["Oma"], ["Bills"]])
    }

    @Test("the folder of archived photos is known by its sidecars, in every language")
    func archive() {
        let files =
            service("Google Foto/Arkiv/a.jpg", 1, note(isArchived: true)) + service("Google Foto/Arkiv/b.jpg", 2)
            + service("Google Foto/Blandat/c.jpg", 3, note(isArchived: true))
            + service("Google Foto/Blandat/d.jpg", 4, note())
        #expect(ImportPlan(files).photos.map(\.note.albums) == [[], [], ["Blandat"], ["Blandat"]])
        // A person's album, all of whose photos were archived.
        let title = ImportFile(path: "Takeout/Google Foto/Arkiv/metadata.json", content: .album(title: "Arkiv"))
        #expect(ImportPlan(files + [title]).photos[0].note.albums == ["Arkiv"])
    }

    @Test("days of older exports are none, whatever their files say")
    func days() {
        let found = albums(["2015-05-04!", "2015-05-04 #2!", "2015-06-01!", "2016-01-01"])
        #expect(found.values.allSatisfy { $0.isEmpty })
        #expect(
            albums(["2015-05-04 Rome!", "2015-5-4"]) == [
                "2015-05-04 Rome": ["2015-05-04 Rome"], "2015-5-4": ["2015-5-4"],
            ])
    }
}
