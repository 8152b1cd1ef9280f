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
