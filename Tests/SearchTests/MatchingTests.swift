import Foundation
import Media
import Testing

@testable import Search

private let today = CalendarDate(year: 2026, month: 11, day: 26)

/// Photos with the serials 1, 2, …, in the order of a list.
private func row(
    _ serial: UInt64, _ name: String, _ day: String = "2024-05-03", type: MediaType = .jpeg, bytes: UInt64 = 1000,
    length: UInt32 = 0, size: (UInt32, UInt32) = (4000, 3000), albums: [UInt32] = [], others: [String?] = [],
    traits: [PhotoTrait] = []
) -> SearchRow {
    let parts = day.split(separator: "-").compactMap { Int($0) }
    let days = CalendarDate(year: parts[0], month: parts[1], day: parts[2]).daysSinceEpoch
    let kinds = PhotoTraits(
        type: type, width: size.0, height: size.1, foldedName: FoldedText.fold(name)[...], hasCamera: false)
    var row = SearchRow(
        serial: serial, shownAt: Int64(days) * 86_400_000 + 43_200_000, byteCount: bytes,
        traits: kinds.union(PhotoTraits(traits)), name: name, others: others)
    (row.length, row.width, row.height, row.albums) = (length, size.0, size.1, albums)
    row.noteHalf(name, type, length)
    return row
}

extension SearchColumns {
    /// The serials of what a query finds, in their order.
    fileprivate func found(_ text: String, albums: [UInt32: String] = [:]) -> [UInt64] {
        let names = SearchNames(
            albums: Dictionary(uniqueKeysWithValues: albums.map { (FoldedText.fold($1), $0) }))
        let query = SearchQuery(text, today: today, names: names)
        return places(query, albumNames: albums.mapValues(FoldedText.fold)).map { serials[$0] }.sorted()
    }
}

@Suite("What a query finds")
struct MatchingTests {
    @Test(
        "words are found in whichever way they are written",
        arguments: [
            ("Café.jpg", "cafe"), ("Cafe\u{301}.jpg", "CAFÉ"), ("ＩＭＧ_１.jpg", "img_1"), ("straße.jpg", "STRASSE"),
            ("Århus.jpg", "arhus"), ("Łódź.jpg", "lodz"), ("ﬁre.jpg", "fire"), ("IMG_1234.HEIC", "1234"),
            ("東京タワー.jpg", "タワー"), ("ｶﾞﾝﾀﾞﾑ.jpg", "ガンダム"), ("京都的旅行.jpg", "京都旅行"), ("Žluťoučký kůň.jpg", "zlutoucky kun"),
            ("Ελλάς.jpg", "ΕΛΛΆΣ"), ("İstanbul.jpg", "istanbul"), ("서울.jpg", "서울"), ("à.jpg", "A\u{300}"),
        ])
    func spelling(name: String, query: String) {
        #expect(columns([row(1, name), row(2, "other.png")]).found(query) == [1])
    }

    @Test("every word has to be there, in the name, the caption, the camera or the lens")
    func allWords() {
        let all = columns([
            row(1, "beach.jpg", others: ["Anna in Rome", "Canon EOS R5"]), row(2, "beach.jpg", others: [nil, "Nikon"]),
            row(3, "rome.jpg"),
        ])
        #expect(all.found("beach") == [1, 2])
        #expect(all.found("beach rome") == [1])
        #expect(all.found("canon") == [1])
        #expect(all.found("\"anna in\"") == [1])
        #expect(all.found("\"in anna\"") == [])
        // A phrase does not begin in the name and end in the caption.
        #expect(all.found("\"jpg anna\"") == [])
        #expect(all.found("") == [1, 2, 3])
    }

    @Test("a word that means something is found as itself, too, and in quotes as nothing else")
    func ambiguousWords() {
        let all = columns([
            row(1, "may and june.jpg", "2023-01-01"), row(2, "a.jpg", "2024-05-09"), row(3, "mayor.jpg", "2023-02-02"),
            row(4, "live at home.jpg", "2023-01-01"), row(5, "strawberry.jpg", "2023-01-01"),
            row(6, "IMG.dng", "2023-01-01", type: .dng), row(7, "五月天.jpg", "2023-01-01"),
        ])
        #expect(all.found("May") == [1, 2])
        #expect(all.found("\"may\"") == [1, 3])
        #expect(all.found("live") == [4])
        #expect(all.found("raw") == [6])
        #expect(all.found("五月") == [2, 7])
        #expect(all.found("五月天") == [7])
    }

    @Test("two formats mean either, two years either, and a month of a year that one")
    func groups() {
        let all = columns([
            row(1, "a.heic", "2023-05-01", type: .heic), row(2, "b.dng", "2024-05-01", type: .dng),
            row(3, "c.jpg", "2024-06-01"), row(4, "d.mp4", "2022-12-24", type: .mp4, length: 70_000),
        ])
        #expect(all.found("raw heic") == [1, 2])
        #expect(all.found("2023 2024") == [1, 2, 3])
        #expect(all.found("2024 heic") == [])
        #expect(all.found("May 2024") == [2])
        #expect(all.found("June May") == [1, 2, 3])
        #expect(all.found("24 Dec") == [4])
        #expect(all.found("winter") == [4])
        #expect(all.found("before 2023") == [4])
        #expect(all.found("video longer than 1 min") == [4])
        #expect(all.found("longer than 2 min") == [])
        #expect(all.found("photos") == [1, 2, 3])
    }

    @Test("albums are found by their names, and what is in none")
    func albums() {
        let all = columns([
            row(1, "a.jpg", albums: [7]), row(2, "b.jpg", albums: [7, 9]), row(3, "rome.jpg", albums: [8]),
        ])
        let names: [UInt32: String] = [7: "Rome 2019", 9: "去年夏天"]
        #expect(all.found("rome", albums: names) == [1, 2, 3])
        #expect(all.found("\"rome 2019\"", albums: names) == [1, 2])
        #expect(all.found("去年夏天", albums: names) == [2])
        #expect(all.found("not in an album", albums: names) == [3])
        #expect(all.found("a.jpg rome", albums: names) == [1])
    }

    @Test("screenshots and panoramas are known by name and shape")
    func shapes() {
        let all = columns([
            row(1, "Screenshot_20240131.png", type: .png, size: (1080, 2400)), row(2, "截圖.png", type: .png),
            row(3, "IMG_0001.PNG", type: .png, size: (1170, 2532)), row(4, "wide.jpg", size: (9000, 3000)),
            row(5, "PANO_1.jpg"), row(6, "tall.jpg", size: (1080, 2340)),
        ])
        #expect(all.found("screenshots") == [1, 2, 3])
        #expect(all.found("panorama") == [4, 5])
    }

    @Test("a plural that stands nowhere finds the singular, and words that only join others need not stand anywhere")
    func plurals() {
        let all = columns([
            row(1, "receipt bakery.jpg"), row(2, "glasgow.jpg"), row(3, "houses.jpg"), row(4, "house.jpg"),
        ])
        #expect(all.found("receipts") == [1])
        #expect(all.found("the receipts of the bakery") == [1])
        #expect(all.found("receipts may") == [1])
        #expect(all.found("houses") == [3])
        #expect(all.found("glass").isEmpty)
        #expect(all.found("the").isEmpty)
    }

    @Test("hearts and places are found in plain words")
    func plainWords() {
        let all = columns([row(1, "a.jpg", traits: [.favourite, .unlocated]), row(2, "b.jpg", traits: [.located])])
        for word in ["heart", "hearts", "liked", "favourites"] { #expect(all.found(word) == [1]) }
        #expect(columns([row(1, "a.jpg", traits: [.archived]), row(2, "b.jpg")]).found("archived") == [1])
        #expect(all.found("without location") == [1])
        #expect(all.found("with location") == [2])
    }

    @Test("of a raw file and its picture what is true of one is true of both")
    func shots() {
        var rows = [
            row(1, "DSC_1.NEF", type: .nef, albums: [7]), row(2, "DSC_1.JPG", others: ["beach"]),
            row(3, "DSC_2.NEF", type: .nef),
        ]
        for index in 0..<2 { rows[index].shot = 5 }
        rows[2].shot = 9
        let all = columns(rows)
        #expect(all.found("raw") == [1, 2, 3])
        #expect(all.found("raw beach") == [1, 2])
        #expect(all.found("jpeg") == [1, 2])
        #expect(all.found("rome raw beach", albums: [7: "Rome"]) == [1, 2])
        #expect(all.raw(of: 1) == nil || all.raw(of: 0) == nil)
        #expect((0..<3).compactMap { all.raw(of: $0) } == [1])
        #expect(SearchColumns(all, without: [2], adding: []).found("beach").isEmpty)
    }

    @Test("the video of a Live Photo goes with its photo, and is no video by itself")
    func livePhotos() {
        let rows = [
            row(1, "IMG_1.HEIC", type: .heic), row(2, "IMG_1.MOV", type: .quickTime, length: 2000),
            row(3, "film.mp4", type: .mp4, length: 9000),
        ]
        let all = columns(rows)
        #expect(all.found("live") == [1, 2])
        #expect(all.found("video") == [3])
        #expect(all.found("heic") == [1, 2])
        #expect(all.found("mov") == [])
        // Without its photo it is a video as any other.
        let alone = SearchColumns(all, without: [1], adding: [])
        #expect(alone.found("video") == [2, 3])
        #expect(alone.found("live") == [])
    }

    @Test("columns that follow changes are those that are made anew")
    func changes() {
        var rows: [UInt64: SearchRow] = [:]
        var grown = SearchColumns()
        var random = SystemRandomNumberGenerator()
        for step in 0..<40 {
            var changed: [SearchRow] = []
            var gone: Set<UInt64> = []
            for _ in 0..<8 {
                let serial = UInt64.random(in: 1...60, using: &random)
                guard gone.insert(serial).inserted else { continue }
                rows[serial] = nil
                guard Bool.random(using: &random) else { continue }
                let new = row(
                    serial, "IMG_\(step).jpg", "2024-0\(Int.random(in: 1...9, using: &random))-01",
                    albums: Array(0..<UInt32.random(in: 0...3, using: &random)))
                rows[serial] = new
                changed.append(new)
            }
            grown = SearchColumns(grown, without: gone, adding: changed)
        }
        let fresh = columns(Array(rows.values))
        #expect(grown.serials == fresh.serials)
        #expect(grown.albums == fresh.albums && grown.albumEnds == fresh.albumEnds)
        #expect(grown.serials.indices.allSatisfy { grown.text($0).elementsEqual(fresh.text($0)) })
        #expect(grown.found("IMG_3") == fresh.found("IMG_3"))
    }

    @Test("the first days of Chinese years are those of the calendar")
    func lunarYears() throws {
        var calendar = Calendar(identifier: .chinese)
        calendar.timeZone = try #require(TimeZone(identifier: "Asia/Shanghai"))
        for year in 1990...2040 {
            let span = try #require(YearlyDate.holiday(.springFestival).span(in: year))
            let noon = Date(timeIntervalSince1970: (Double(span.lowerBound + 1) * 24 + 4) * 3600)
            let parts = calendar.dateComponents([.month, .day], from: noon)
            #expect(parts.month == 1 && parts.day == 1 && parts.isLeapMonth != true, "\(year)")
        }
    }
}
