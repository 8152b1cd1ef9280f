import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Renditions")
struct RenditionTests {
    @Test(
        "show a picture that names no profile in its own colours",
        arguments: [
            ([20, 30, 60], [20, 30, 60]), ([20, 20, 30, 30, 60, 60, 255, 255], [20, 30, 60]), ([30], [30, 30, 30]),
        ] as [([UInt8], [Int])])
    func colours(pixel: [UInt8], expected: [Int]) async throws {
        let file = MadePictures.png(width: 64, height: 48, pixel: pixel)
        try await Surroundings.withStudio { studio in
            let thumbnail = try #require(try await studio.examine(file).thumbnail)
            let shown = try DecodedPicture(thumbnail).centre()
            // What WebP does not tell apart.
            #expect(zip(shown, expected).allSatisfy { abs($0 - $1) <= 2 } && shown.count == 3, "\(shown)")
        }
    }

    @Test(
        "are no larger than previews, and of a JPEG not much smaller",
        arguments: [
            (3838, 2048), (3840, 1920), (4000, 2000), (4096, 2048), (4100, 2048), (8000, 2000), (8192, 2048),
        ])
    func sides(width: Int, preview: Int) async throws {
        let file = try MadePictures.jpeg(width: width, height: width / 3)
        try await Surroundings.withStudio { studio in
            let found = try await studio.examine(file)
            #expect(found.facts.width == width)
            #expect(found.preview?.width == preview)
            #expect(found.thumbnail?.width == 320)
        }
    }
}
