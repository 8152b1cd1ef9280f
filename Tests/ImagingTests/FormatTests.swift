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
