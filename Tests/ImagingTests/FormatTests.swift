import Foundation
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Pictures of old programs, scanners and studios")
struct FormatTests {
    private static let folder = Surroundings.photos.deletingLastPathComponent().appending(path: "Formats")

    /// Of the picture that all of them hold, the mean difference of a level: of black and white, of grey and of sixteen
    /// colours it is larger.
    private static let shown: [(name: String, difference: Double)] = [
        ("boxes.jp2", 3), ("codestream.j2k", 3), ("grey.jp2", 40), ("codestream.jxl", 4), ("turned.jxl", 4),
        ("lzw.tif", 3), ("palette.tif", 8), ("fax.tif", 130), ("lab.tif", 5), ("old-jpeg.tif", 5),
        ("table-profile.jpg", 14), ("runs8.bmp", 8), ("runs4.bmp", 8), ("os2.bmp", 8), ("masks16.bmp", 6),
    ]

    private func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
    }

    @Test("are shown upright and in their colours")
    func shown() async throws {
        try await Surroundings.withStudio { studio in
            let made = try await studio.examine(try file("model.png"))
            let model = try DecodedPicture(try #require(made.thumbnail))
            for (name, difference) in Self.shown {
                let examination = try await studio.examine(try file(name))
                let thumbnail = try #require(examination.thumbnail, "\(name)")
                let found = try DecodedPicture(thumbnail).difference(from: model) ?? 255
                #expect(found < difference, "\(name)")
                #expect(!examination.isDamaged, "\(name)")
                #expect(examination.facts.width == 96 && examination.facts.height == 72, "\(name)")
            }
        }
    }

    // MARK: Bitmaps, icons and Photoshop's files, put together byte by byte

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Of 32 bits, of four colours in quarters, with bits for opacity.
    private static func bitmap(side: Int, alpha: (Int) -> UInt8) -> [UInt8] {
        let masks = little(0xFF_0000, 4) + little(0xFF00, 4) + little(0xFF, 4) + little(0xFF00_0000, 4)
        let header = little(108, 4) + little(side, 4) + little(side, 4) + [1, 0, 32, 0] + little(3, 4)
        let rest = [UInt8](repeating: 0, count: 20) + masks + [UInt8](repeating: 0, count: 52)
        return Array("BM".utf8) + [UInt8](repeating: 0, count: 8) + little(122, 4) + header + rest
            + pixels(side: side, alpha: alpha)
    }

    /// Red in the left half, blue in the right one; the lowest row first.
    private static func pixels(side: Int, alpha: (Int) -> UInt8) -> [UInt8] {
        (0..<side).flatMap { row in
            (0..<side).flatMap { column -> [UInt8] in
                (column < side / 2 ? [0, 0, 200] : [200, 0, 0]) + [alpha(column)]
            }
        }
    }

    private static func icon(_ entries: [(side: Int, content: [UInt8])]) -> [UInt8] {
        var (list, contents): ([UInt8], [UInt8]) = ([0, 0, 1, 0] + little(entries.count, 2), [])
        for entry in entries {
            let place = 6 + entries.count * 16 + contents.count
            list += [UInt8(entry.side & 0xFF), UInt8(entry.side & 0xFF), 0, 0, 1, 0, 32, 0]
            list += little(entry.content.count, 4) + little(place, 4)
            contents += entry.content
        }
        return list + contents
    }

    private static func iconBitmap(side: Int, alpha: (Int) -> UInt8, isSeen: Bool = true) -> [UInt8] {
        let header = little(40, 4) + little(side, 4) + little(side * 2, 4) + [1, 0, 32, 0]
        let mask = [UInt8](repeating: isSeen ? 0 : 255, count: side * ((side + 31) / 32 * 4))
        return header + [UInt8](repeating: 0, count: 24) + pixels(side: side, alpha: alpha) + mask
    }

    /// Red, green, blue and opacity of the pixel in the middle of either half.
    private func halves(_ file: [UInt8], _ studio: PictureStudio) async throws -> [[UInt8]] {
        let examination = try await studio.examine(file)
        #expect(!examination.isDamaged)
        let picture = try DecodedPicture(try #require(examination.thumbnail))
        return [1, 3].map { quarter in
            let bands = picture.bandCount
            let place = (picture.height / 2 * picture.width + picture.width * quarter / 4) * bands
            return Array((picture.bytes[place..<place + bands] + [255]).prefix(4))
        }
    }

    private func isNear(_ found: [UInt8], _ wanted: [UInt8]) -> Bool {
        found[3] == wanted[3] && (found[3] == 0 || zip(found, wanted).allSatisfy { abs(Int($0) - Int($1)) < 24 })
    }

    @Test("a bitmap is transparent where it says so, and not where nobody has set its bits for that")
    func transparentBitmap() async throws {
        try await Surroundings.withStudio { studio in
            let half = try await halves(Self.bitmap(side: 32) { $0 < 16 ? 255 : 0 }, studio)
            #expect(isNear(half[0], [200, 0, 0, 255]) && half[1][3] == 0)
            let unset = try await halves(Self.bitmap(side: 32) { _ in 0 }, studio)
            #expect(isNear(unset[0], [200, 0, 0, 255]) && isNear(unset[1], [0, 0, 200, 255]))
        }
    }

    @Test("an icon is shown by the largest of its pictures, whether a bitmap or a PNG")
    func icons() async throws {
        try await Surroundings.withStudio { studio in
            let small = (side: 16, content: Self.iconBitmap(side: 16) { _ in 255 })
            let large = Self.icon([small, (side: 32, content: Self.iconBitmap(side: 32) { $0 < 16 ? 255 : 0 })])
            let found = try await halves(large, studio)
            #expect(isNear(found[0], [200, 0, 0, 255]) && found[1][3] == 0)
            #expect(try await studio.examine(large).facts.width == 32)
            // By its mask alone.
            let masked = Self.icon([(side: 32, content: Self.iconBitmap(side: 32, alpha: { _ in 0 }, isSeen: false))])
            #expect(try await halves(masked, studio).allSatisfy { $0[3] == 0 })
            let png = MadePictures.png(width: 256, height: 256, pixel: [0, 200, 0, 255])
            let packed = try await halves(Self.icon([small, (side: 256, content: png)]), studio)
            #expect(isNear(packed[0], [0, 200, 0, 255]))
            let cut = try await studio.examine(Array(large.prefix(large.count / 2)))
            #expect(cut.isDamaged)
        }
    }

    @Test("Photoshop's files are shown by the JPEG that they hold, and have their own size")
    func photoshop() async throws {
        func big(_ number: Int, _ count: Int) -> [UInt8] { Self.little(number, count).reversed() }
        let jpeg = try MadePictures.jpeg(width: 64, height: 48)
        let thumbnail = big(1, 4) + big(64, 4) + big(48, 4) + [UInt8](repeating: 0, count: 16) + jpeg
        let resources = Array("8BIM".utf8) + big(0x040C, 2) + [0, 0] + big(thumbnail.count, 4) + thumbnail
        let head = Array("8BPS".utf8) + big(1, 2) + [UInt8](repeating: 0, count: 6) + big(3, 2) + big(900, 4)
        let file = head + big(1200, 4) + [0, 8, 0, 3] + big(0, 4) + big(resources.count, 4) + resources
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(file + [UInt8](repeating: 0, count: 64))
            #expect(examination.thumbnail?.width == 64 && !examination.isDamaged)
            #expect(examination.facts.width == 1200 && examination.facts.height == 900)
        }
    }

    @Test("a TIFF of brightness and differences of colour is shown in its colours, however it is packed")
    func differences() async throws {
        // Red in the left half, blue in the right one (BT.601, full range); four pixels share their differences.
        let (red, blue): ([UInt8], [UInt8]) = ([76, 85, 255], [29, 255, 107])
        func strip(_ across: Int) -> [UInt8] {
            (0..<16 / across).flatMap { _ in
                (0..<16 / across).flatMap { column -> [UInt8] in
                    let colour = column < 8 / across ? red : blue
                    return [UInt8](repeating: colour[0], count: across * across) + colour[1...]
                }
            }
        }
        func packed(_ bytes: [UInt8]) -> [UInt8] {
            stride(from: 0, to: bytes.count, by: 64).flatMap { start -> [UInt8] in
                let piece = bytes[start..<min(start + 64, bytes.count)]
                return [UInt8(piece.count - 1)] + piece
            }
        }
        func file(_ across: Int, _ compression: Int, _ strip: [UInt8]) -> [UInt8] {
            let entries: [(Int, Int, Int, Int)] = [
                (256, 3, 1, 16), (257, 3, 1, 16), (258, 3, 1, 8), (259, 3, 1, compression), (262, 3, 1, 6),
                (273, 4, 1, 8 + 2 + 10 * 12 + 4), (277, 3, 1, 3), (278, 3, 1, 16), (279, 4, 1, strip.count),
                (530, 3, 2, across | across << 16),
            ]
            let directory = entries.flatMap { tag, type, count, value in
                Self.little(tag, 2) + Self.little(type, 2) + Self.little(count, 4) + Self.little(value, 4)
            }
            return [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0] + Self.little(entries.count, 2) + directory + [0, 0, 0, 0] + strip
        }
        try await Surroundings.withStudio { studio in
            for across in [1, 2, 4] {
                for whole in [file(across, 1, strip(across)), file(across, 32773, packed(strip(across)))] {
                    let found = try await halves(whole, studio)
                    #expect(isNear(found[0], [254, 0, 0, 255]) && isNear(found[1], [0, 0, 254, 255]), "\(across)")
                }
            }
            let cut = try await studio.examine(Array(file(2, 1, strip(2)).dropLast(100)))
            #expect(cut.thumbnail != nil && cut.isDamaged)
        }
    }

    @Test("a picture of three pixels in one direction is shown")
    func thin() async throws {
        let file = try MadePictures.jpeg(width: 3, height: 62_728)
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(file)
            #expect(examination.thumbnail != nil && examination.facts.height == 62_728)
        }
    }

    @Test("a WebP of one colour that ends in zeros is whole, and one of which the half was overwritten is not")
    func blackWebP() async throws {
        let black = Self.lengthened(try MadePictures.webP(width: 320, height: 240))
        var photo = try MadePictures.noiseOfEachFormat(width: 320, height: 240)[2]
        for index in photo.count / 2..<photo.count { photo[index] = 0 }
        try await Surroundings.withStudio { studio in
            #expect(!(try await studio.examine(black)).isDamaged)
            try await studio.expect(photo, is: .damaged)
            // Of nothing but its beginning all that is seen is of one colour, too.
            for index in 40..<photo.count { photo[index] = 0 }
            try await studio.expect(photo, is: .damaged)
        }
    }

    /// Zeros behind the last piece that is read of the picture, as large ones of one colour end.
    private static func lengthened(_ file: [UInt8]) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 2048)
        let data = file.dropFirst(20) + zeros
        return Array(file[..<4]) + little(data.count + 12, 4) + Array(file[8..<16]) + little(data.count, 4) + data
    }

    @Test("rows of runs may go on to whole words: what fills them up is no part of the picture")
    func filledRuns() async throws {
        // Ten pixels a row, written as twelve.
        let header = Self.little(40, 4) + Self.little(10, 4) + Self.little(8, 4) + [1, 0, 8, 0] + Self.little(1, 4)
        let palette: [UInt8] = [0, 0, 0, 0, 0, 0, 200, 0]
        let head = header + [UInt8](repeating: 0, count: 12) + Self.little(2, 4) + Self.little(0, 4) + palette
        func runs(of count: UInt8) -> [UInt8] {
            let rows = (0..<8).flatMap { _ -> [UInt8] in [count, 1, 0, 0] } + [0, 1]
            return Array("BM".utf8) + [UInt8](repeating: 0, count: 8) + Self.little(14 + head.count, 4) + head + rows
        }
        try await Surroundings.withStudio { studio in
            let of10 = try await studio.examine(runs(of: 10))
            #expect(!of10.isDamaged)
            let of12 = try await studio.examine(runs(of: 12))
            #expect(!of12.isDamaged)
            let of13 = try await studio.examine(runs(of: 13))
            #expect(of13.isDamaged)
        }
    }

    @Test("what nothing here can show is not called damaged, and says what it knows")
    func unsupported() async throws {
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(try file("layers.psd"))
            #expect(examination.unreadable == .unsupported)
            #expect(examination.facts.width == 96 && examination.facts.takenAt != nil)
        }
    }

    @Test("a bitmap whose header takes its palette for pixels is shown as it is")
    func paletteAsPixels() async throws {
        try await Surroundings.withStudio { studio in
            var file = try file("os2.bmp")
            let whole = try DecodedPicture(try #require(try await studio.examine(file).thumbnail))
            file[10] = 26
            let odd = try DecodedPicture(try #require(try await studio.examine(file).thumbnail))
            #expect(odd.bytes == whole.bytes)
        }
    }

    @Test("of runs that break off, or leave the picture, what is there is shown and marked")
    func brokenRuns() async throws {
        try await Surroundings.withStudio { studio in
            let whole = try file("runs8.bmp")
            let half = try await studio.examine(Array(whole.prefix(whole.count / 2)))
            #expect(half.thumbnail != nil && half.isDamaged)
            // The first run is longer than a row.
            var long = whole
            let place = Int(whole[10]) | Int(whole[11]) << 8
            long.replaceSubrange(place..<place + 2, with: [255, 1])
            let odd = try await studio.examine(long)
            #expect(odd.thumbnail != nil && odd.isDamaged)
        }
    }
}
