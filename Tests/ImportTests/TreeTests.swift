import Media
import Testing

@testable import Import

@Suite("Parts of one export are laid over each other, exports of several people are not")
struct TreeTests {
    private static let folder = "Takeout/Google Photos/Photos from 2019"

    private func photo(_ source: Int, _ path: String, _ digest: UInt8, isFromArchive: Bool = true) -> ImportFile {
        ImportFile(source: source, isFromArchive: isFromArchive, path: path, type: .jpeg, digest: [digest])
    }

    private func note(
        _ source: Int, _ path: String, _ seconds: Double, isTrashed: Bool = false, isFromArchive: Bool = true
    ) -> ImportFile {
        var note = SidecarNote()
        note.title = "x"
        note.takenAt = CaptureTime(sidecarSeconds: seconds)
        note.isTrashed = isTrashed
        return ImportFile(
            source: source, isFromArchive: isFromArchive, path: path, content: .note(note),
            digest: [UInt8(source), UInt8(seconds)])
    }

    private func isUnread(_ fate: ImportFate) -> Bool { if case .unread = fate { true } else { false } }

    private func seconds(_ plan: ImportPlan) -> [Int64?] {
        plan.photos.map { $0.note.takenAt.map { $0.milliseconds / 1000 } }
    }

    @Test(
        "two people's archives of the same names, with stamps and without",
        arguments: [
            ["/d/takeout-20240101T000000Z-001.zip", "/d/takeout-20240202T000000Z-3-001.zip"], ["/d/a.zip", "/d/b.zip"],
            [],
        ])
    func people(sources: [String]) {
        let files = (0..<2).flatMap { source in
            [
                photo(source, "\(Self.folder)/IMG_0001.jpg", UInt8(source)),
                note(source, "\(Self.folder)/IMG_0001.jpg.json", Double(source + 5), isTrashed: source == 0),
            ]
        }
        let plan = ImportPlan(files, sources: sources)
        #expect(plan.fates == [.trashed, .sidecar, .photo(0), .sidecar] && seconds(plan) == [6])
    }

    @Test("two people's folders on one disk")
    func disk() {
        let files = ["anna", "ben"].enumerated().flatMap { number, name in
            [
                photo(0, "\(name)/\(Self.folder)/IMG_0001.jpg", UInt8(number), isFromArchive: false),
                note(0, "\(name)/\(Self.folder)/IMG_0001.jpg.json", Double(number + 5), isFromArchive: false),
            ]
        }
        #expect(seconds(ImportPlan(files, sources: ["/disk"])) == [5, 6])
    }

    @Test("a photo whose sidecar lies in the export of another is left without, and named")
    func foreign() {
        let sources = ["/d/takeout-20240101T000000Z-001.zip", "/d/takeout-20240202T000000Z-001.zip"]
        let files = [
            photo(0, "\(Self.folder)/a.jpg", 1), note(1, "\(Self.folder)/a.jpg.json", 5),
        ]
        let plan = ImportPlan(files, sources: sources)
        #expect(seconds(plan) == [nil] && plan.fates[1] == .orphan && plan.remarks[0] != nil)
        let same = ImportPlan(files, sources: [sources[0], "/e/takeout-20240101T000000Z-002.zip"])
        #expect(seconds(same) == [5] && same.remarks.isEmpty)
    }

    @Test(
        "within one export, too, a photo has what lies beside it first, and never what lies beside another of its name")
    func sameStamp() {
        let sources = ["/d/takeout-20240101T000000Z-001.zip", "/d/takeout-20240101T000000Z-002.zip"]
        let files = [
            photo(0, "\(Self.folder)/a.jpg", 1), photo(1, "\(Self.folder)/a.jpg", 2),
            note(1, "\(Self.folder)/a.jpg.json", 5),
        ]
        let plan = ImportPlan(files, sources: sources)
        #expect(seconds(plan) == [nil, 5] && plan.remarks[0] != nil && plan.remarks[1] == nil)
    }

    @Test(
        "parts that somebody unpacked",
        arguments: [
            (["/x/p1/Takeout", "/x/p2/Takeout"], ["Google Photos", "Google Photos"]),
            (["/x/p1/Takeout/Google Photos", "/x/p2/Takeout/Google Photos"], ["", ""]),
            (["/x", "/x"], ["Takeout/Google Photos", "Takeout 2/Google Photos"]),
            (["/x", "/x"], ["Takeout/Google Photos", "Takeout (2)/Google Photos"]),
            (["/x/Takeout", "/x/Takeout 2"], ["Google Photos", "Google Photos"]),
            (
                ["/x", "/x"],
                [
                    "takeout-20240101T000000Z-001/Takeout/Google Photos",
                    "takeout-20240101T000000Z-002/Takeout/Google Photos",
                ]
            ),
            // One of them was unpacked into a folder that says nothing of the export.
            (["/x/takeout-20240101T000000Z-001/Takeout", "/y/Takeout"], ["Google Photos", "Google Photos"]),
        ])
    func unpacked(sources: [String], folders: [String]) {
        let isOne = sources[0] == sources[1]
        let paths = folders.map { ($0.isEmpty ? "" : $0 + "/") + "Rome" }
        var files = [
            photo(0, "\(paths[0])/a.jpg", 1, isFromArchive: false),
            note(isOne ? 0 : 1, "\(paths[1])/a.jpg.json", 5, isFromArchive: false),
        ]
        files.append(
            ImportFile(
                source: isOne ? 0 : 1, isFromArchive: false, path: "\(paths[1])/metadata.json",
                content: .album(title: "Rome: 2019")))
        let plan = ImportPlan(files, sources: sources)
        #expect(seconds(plan) == [5] && plan.photos[0].note.albums == ["Rome: 2019"])
    }

    @Test(
        "an album of Apple's has its photos in all parts",
        arguments: ["iCloud Photos Part # of 2", "iCloud-Fotos Teil # von 2"])
    func appleAlbum(name: String) {
        func part(_ number: Int) -> String { name.replacing("#", with: "\(number)") }
        let path = "\(part(1))/Albums/Tour.csv"
        let list = SidecarContent(Array("Images\nA.jpg\nC.jpg\n".utf8), path: path)
        let plan = ImportPlan([
            photo(1, "\(part(1))/Photos/A.jpg", 1), photo(2, "\(part(2))/Photos/C.jpg", 2),
            ImportFile(source: 1, path: path, content: list),
        ])
        #expect(plan.photos.map(\.note.albums) == [["Tour"], ["Tour"]])
    }

    @Test("what a list of Apple's says of the trash is believed of its own part, and of no video beside a JPEG")
    func appleTrash() {
        func list(_ names: String...) -> ImportFile {
            var note = SidecarNote()
            note.isTrashed = true
            let details = names.map { AppleDetail(name: $0, note: note) }
            return ImportFile(
                source: 1, path: "iCloud Photos Part 1 of 2/Photos/Photo Details.csv", content: .details(details))
        }
        let shared = photo(2, "iCloud Photos Part 2 of 2/Shared Albums/Us/IMG_1.JPG", 1)
        #expect(ImportPlan([list("IMG_1.JPG"), shared]).fates.last == .photo(0))
        let folder = "iCloud Photos Part 1 of 2/Photos"
        func fates(_ picture: String, _ video: String) -> [ImportFate] {
            var film = photo(1, "\(folder)/\(video)", 2)
            film.type = .mp4
            return Array(ImportPlan([list(picture), photo(1, "\(folder)/\(picture)", 1), film]).fates.dropFirst())
        }
        #expect(fates("IMG_2.JPG", "IMG_2.MP4") == [.trashed, .photo(0)])
        #expect(fates("IMG_2.HEIC", "IMG_2.MOV") == [.trashed, .trashed])
    }

    @Test(
        "Apple's lists speak of the photos of their own part",
        arguments: ["iCloud Photos Part # of 3", "iCloud-bilder Del # av 3", "iCloud 照片 第 # 部分（共 3 部分）"])
    func apple(name: String) {
        func part(_ number: Int) -> String { name.replacing("#", with: "\(number)") + "/Photos" }
        func list(_ number: Int, _ name: String, _ seconds: Double, isTrashed: Bool = false) -> ImportFile {
            var note = SidecarNote()
            note.takenAt = CaptureTime(sidecarSeconds: seconds)
            note.isFavourite = number == 2
            note.isTrashed = isTrashed
            note.isArchived = number == 2
            let detail = AppleDetail(name: name, note: note)
            return ImportFile(source: number, path: "\(part(number))/Photo Details.csv", content: .details([detail]))
        }
        let plan = ImportPlan([
            photo(1, "\(part(1))/IMG_0001.JPG", 1), list(1, "IMG_0001.JPG", 5),
            photo(2, "\(part(2))/IMG_0001.JPG", 2), list(2, "IMG_0001.JPG", 6),
        ])
        #expect(seconds(plan) == [5, 6] && plan.photos.map(\.note.isFavourite) == [false, true])
        #expect(plan.photos.map(\.note.isArchived) == [false, true])
        #expect(plan.remarks[0] == nil && plan.remarks[2] != nil)
        let unlisted = ImportPlan([
            list(1, "IMG_0001.JPG", 5, isTrashed: true), photo(2, "\(part(2))/IMG_0001.JPG", 2),
            list(2, "other.JPG", 6),
        ])
        #expect(unlisted.fates[1] == .photo(0) && seconds(unlisted) == [nil] && isUnread(unlisted.fates[0]))
        let apart = ImportPlan([list(1, "IMG_0001.JPG", 5), photo(2, "\(part(2))/IMG_0001.JPG", 2)])
        #expect(seconds(apart) == [5] && apart.remarks.isEmpty)
        let several = ImportPlan([
            list(1, "IMG_0001.JPG", 5), photo(2, "\(part(2))/IMG_0001.JPG", 2), photo(3, "\(part(3))/IMG_0001.JPG", 3),
        ])
        #expect(seconds(several) == [nil, nil] && isUnread(several.fates[0]))
    }
}
