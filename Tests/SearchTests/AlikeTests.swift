import Media
import Testing

@testable import Search

/// A picture of some waves, as a placeholder of its own.
private func picture(_ seed: UInt64, brighter: Double = 0, width: Int = 32, height: Int = 24, noise: Double = 0)
    -> [UInt8]
{
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state % 10_000) / 10_000
    }
    let spots = (0..<6).map { _ in (random(), random(), random() - 0.5) }
    var rgba: [UInt8] = []
    for row in 0..<height {
        for column in 0..<width {
            let (x, y) = (Double(column) / Double(width), Double(row) / Double(height))
            let light = spots.reduce(0.5 + brighter) { sum, spot in
                let square = (x - spot.0) * (x - spot.0) + (y - spot.1) * (y - spot.1)
                return sum + spot.2 / (1 + 20 * square)
            }
            let value = UInt8(max(0, min(255, (light + noise * (random() - 0.5)) * 255)))
            rgba += [value, value, value, 255]
        }
    }
    return Placeholder(rgba: rgba, width: width, height: height)?.bytes ?? []
}

private func row(
    _ serial: UInt64, _ name: String, _ placeholder: [UInt8], at second: Double = 0, shot: Bool = false,
    type: MediaType = .jpeg, size: (UInt32, UInt32) = (4000, 3000), bytes: UInt64 = 1000, length: UInt32 = 0
) -> SearchRow {
    let time = Int64(1_700_000_000_000 + second * 1000)
    let traits = PhotoTraits(
        type: type, width: size.0, height: size.1, foldedName: FoldedText.fold(name)[...], hasCamera: shot)
    var row = SearchRow(serial: serial, shownAt: time, byteCount: bytes, traits: traits, name: name)
    (row.width, row.height, row.length, row.placeholder) = (size.0, size.1, length, placeholder)
    row.shotAt = shot ? time : nil
    row.noteHalf(name, type, length)
    return row
}

extension AlikeGroups {
    fileprivate var duplicates: [[UInt64]] { groups.filter { !$0.isBurst }.map(\.serials) }
    fileprivate var candidates: [Set<UInt64>] { groups.filter { !$0.isBurst }.map(\.candidates) }
    fileprivate var bursts: [[UInt64]] { groups.filter(\.isBurst).map { $0.serials.sorted() } }
}

@Suite("Photos that look alike")
struct AlikeTests {
    @Test("the same picture, brighter, is near; another one, and another shape, is not")
    func distances() throws {
        let one = try #require(Likeness(picture(1)[...]))
        #expect(try #require(one.distance(to: one)) < 0.001)
        let brighter = try #require(Likeness(picture(1, brighter: 0.1)[...]))
        #expect(try #require(one.distance(to: brighter)) < 0.1)
        let other = try #require(Likeness(picture(2)[...]))
        #expect(try #require(one.distance(to: other)) > 0.1)
        let upright = try #require(Likeness(picture(1, width: 24, height: 32)[...]))
        #expect(one.distance(to: upright) == nil)
        #expect(Likeness([UInt8](repeating: 0, count: 25)[...]) == nil)
        #expect(Likeness([]) == nil)
    }

    @Test("similar photos come nearest first, without the photo itself")
    func similar() throws {
        let all = columns([
            row(1, "a.jpg", picture(1), at: 5), row(2, "b.jpg", picture(1), at: 4),
            row(3, "c.jpg", picture(1, brighter: 0.15, noise: 0.2), at: 3), row(4, "d.jpg", picture(9), at: 2),
        ])
        let found = all.similar(to: 0, most: 10)
        #expect(found.map { all.serials[$0.place] }.starts(with: [2, 3]))
        #expect(found.map(\.distance) == found.map(\.distance).sorted())
        #expect(all.similar(to: 0, most: 1).count == 1)
    }

    @Test("of a group the largest picture comes first, then the better format, then more bytes")
    func bestFirst() {
        let groups = AlikeGroups(
            columns([
                row(1, "small.jpg", picture(1), size: (400, 300)), row(2, "a.jpg", picture(1), bytes: 10),
                row(3, "b.heic", picture(1), type: .heic, bytes: 5), row(4, "c.jpg", picture(1), bytes: 20),
                row(5, "else.jpg", picture(7)),
            ]))
        #expect(groups.duplicates == [[3, 4, 2, 1]])
        #expect(groups.bursts.isEmpty)
    }

    @Test("pictures of one moment are a burst, copies of one picture are not")
    func bursts() {
        let groups = AlikeGroups(
            columns([
                row(1, "IMG_1.jpg", picture(1), at: 0, shot: true), row(2, "IMG_2.jpg", picture(1), at: 1, shot: true),
                row(3, "IMG_3.jpg", picture(1), at: 1, shot: true),
                row(4, "X_1.jpg", picture(2), at: 100, shot: true),
                row(5, "X_1 (1).jpg", picture(2), at: 100, shot: true),
                row(6, "X_1-half.jpg", picture(2), at: 100, shot: true, size: (2000, 1500)),
                row(7, "Y_1.jpg", picture(3), at: 200, shot: true), row(8, "Y_2.jpg", picture(3), at: 209, shot: true),
            ]))
        #expect(groups.bursts == [[1, 2, 3]])
        #expect(groups.duplicates.map { $0.sorted() } == [[7, 8], [4, 5, 6]])
    }

    @Test("a Live Photo and its video, sensor data and its picture, and videos of other lengths are no duplicates")
    func notDuplicates() {
        let groups = AlikeGroups(
            columns(
                [
                    row(1, "IMG_1.HEIC", picture(1), type: .heic),
                    row(2, "IMG_1.MOV", picture(1), type: .quickTime, length: 2000),
                    row(3, "DSC_1.NEF", picture(2), type: .nef), row(4, "DSC_1.JPG", picture(2)),
                    row(5, "a.mp4", picture(3), type: .mp4, length: 9000),
                    row(6, "b.mp4", picture(3), type: .mp4, length: 20_000),
                    row(7, "c.mp4", picture(4), type: .mp4, length: 9000),
                    row(8, "c2.mp4", picture(4), type: .mp4, length: 9100),
                ]))
        #expect(groups.duplicates.map { $0.sorted() } == [[7, 8]])
    }

    @Test("a raw file that goes with its picture is alike with nothing, and the picture no copy")
    func shots() {
        var raw = row(1, "DSC_1.NEF", picture(1), type: .nef)
        var small = row(2, "DSC_1.JPG", picture(1), size: (400, 300))
        let other = row(3, "export.jpg", picture(1))
        #expect(AlikeGroups(columns([small, other])).candidates == [[2]])
        (raw.shot, small.shot) = (5, 5)
        let all = columns([raw, small, other])
        #expect(AlikeGroups(all).duplicates.map { $0.sorted() } == [[2, 3]])
        #expect(AlikeGroups(all).candidates.flatMap { $0 } == [])
        let place = all.serials.firstIndex(of: 3) ?? 0
        #expect(all.similar(to: place, most: 9).map { all.serials[$0.place] } == [2])
    }

    @Test("only what may be a copy of the best, and that nobody did anything with, is compared with it")
    func copies() {
        func small(_ serial: UInt64, _ change: (inout SearchRow) -> Void = { _ in }) -> SearchRow {
            var row = row(serial, "small \(serial).jpg", picture(1), size: (400, 300))
            change(&row)
            return row
        }
        let best = row(1, "IMG_1.jpg", picture(1), at: 5, shot: true)
        func proposed(_ others: SearchRow...) -> [UInt64] {
            AlikeGroups(columns([best] + others)).candidates.flatMap { $0 }.sorted()
        }
        #expect(proposed(small(2), small(3)) == [2, 3])
        #expect(proposed(small(2) { $0.traits.insert(PhotoTraits(.favourite)) }) == [])
        #expect(proposed(small(2) { $0.traits.insert(.captioned) }) == [])
        #expect(proposed(small(2) { $0.albums = [7] }) == [])
        // What moves, or is more than pixels.
        for trait: PhotoTraits in [.init(.live), .init(.animated), .init(.raw), .init(.damaged)] {
            #expect(proposed(small(2) { $0.traits.insert(trait) }) == [])
        }
        // The same camera time is that of a copy; another one is another photo.
        #expect(proposed(small(2) { $0.shotAt = best.shotAt }) == [2])
        #expect(proposed(small(2) { $0.shotAt = 1_600_000_000_000 }) == [])
        // Near, but not the same: brighter, or only of the same things.
        #expect(
            AlikeGroups(columns([best, row(2, "b.jpg", picture(1, brighter: 0.1), size: (40, 30))])).duplicates == [
                [1, 2]
            ])
        #expect(proposed(row(2, "b.jpg", picture(1, brighter: 0.1), size: (400, 300))) == [])
    }

    @Test("of a burst nothing is compared, also where it looks like something else")
    func burstsStay() {
        let groups = AlikeGroups(
            columns([
                row(1, "best.jpg", picture(1), at: 900, size: (8000, 6000)),
                row(2, "IMG_1.jpg", picture(1), at: 0, shot: true), row(3, "IMG_2.jpg", picture(1), at: 1, shot: true),
            ]))
        #expect(groups.bursts == [[2, 3]])
        #expect(groups.candidates.filter { !$0.isEmpty } == [])
    }

    @Test("what somebody called different is together no more, but is with a copy that comes later")
    func apart() {
        var rows = [row(1, "a.jpg", picture(1)), row(2, "b.jpg", picture(1), size: (400, 300))]
        for index in rows.indices { rows[index].traits.insert(.apart) }
        #expect(AlikeGroups(columns(rows)).groups.isEmpty)
        rows.append(row(3, "c.jpg", picture(1), size: (40, 30)))
        #expect(AlikeGroups(columns(rows)).duplicates == [[1, 3]])
    }

    @Test("pages that look alike are doubles only where the same is written on them, however a copy was read")
    func written() {
        func page(_ serial: UInt64, _ words: String) -> SearchRow {
            var page = row(serial, "page\(serial).jpg", picture(1), at: Double(serial) * 100)
            page.text += FoldedText.fold(words) + [0]
            page.traits.insert(.written)
            return page
        }
        let invoice = "Invoice 4711 of 3 May: coffee, milk, bread, butter. Total 17.20"
        let (copy, other) = (
            "Invoice 4711 of 3 May: cofiee, milk, bread, butter. Total 17.20",
            "Invoice 4712 of 9 June: cheese, fish, salad, soup. Sum 99.00"
        )
        let pages = [page(1, invoice), page(2, copy), page(3, other)]
        #expect(AlikeGroups(columns(pages)).duplicates.map { $0.sorted() } == [[1, 2]])
        // Chinese has no blanks, and a sign that was read wrong is one of many.
        let form = [page(5, "发票总计金额收据咖啡牛奶面包"), page(6, "发票总计全额收据咖啡牛奶面包"), page(7, "街道号码付款现金税费桌号订单")]
        #expect(AlikeGroups(columns(form)).duplicates.map { $0.sorted() } == [[5, 6]])
        // Of a picture in which nobody has read anything nothing is known.
        let unread = row(4, "page4.jpg", picture(1), at: 400)
        #expect(AlikeGroups(columns([pages[0], unread])).duplicates.map { $0.sorted() } == [[1, 4]])
    }

    @Test("a picture of one tone is nobody's double")
    func flat() {
        let white = Placeholder(rgba: [UInt8](repeating: 255, count: 32 * 24 * 4), width: 32, height: 24)?.bytes ?? []
        #expect(AlikeGroups(columns([row(1, "a.jpg", white), row(2, "b.jpg", white)])).groups.isEmpty)
    }

    @Test("more of the same picture than are compared with each other are one group")
    func many() {
        let placeholder = picture(1)
        let same = (1...40).map { row(UInt64($0), "a\($0).jpg", placeholder, at: Double($0) * 10) }
        #expect(AlikeGroups(columns(same), mostComparisons: 5).duplicates.map(\.count) == [40])
    }
}
