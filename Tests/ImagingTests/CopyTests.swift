import CVips
import Foundation
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Copies of a picture")
struct CopyTests {
    private func difference(_ copy: [UInt8], _ best: [UInt8], _ studio: PictureStudio) async throws -> PictureDifference
    {
        func type(_ file: [UInt8]) -> MediaType { MediaType.sniff(file.prefix(MediaType.headByteCount)) }
        return try await studio.compare((copy, type(copy)), with: (best, type(best)))
    }

    /// `make soak` compares 500 pairs.
    @Test("are what an encoder makes of it, as large or smaller, and nothing of which a person would miss anything")
    func pairs() async throws {
        let count = ProcessInfo.processInfo.environment["SAFELIGHT_COPY_PAIRS"].flatMap { Int($0) } ?? 24
        var (farthestCopy, nearestOther) = ((PictureDifference(thousandths: 0), ""), (PictureDifference.most, ""))
        try await Surroundings.withStudio { studio in
            for pair in try CopyPairs().pairs(count) {
                let difference = try await difference(pair.copy, pair.best, studio)
                #expect(difference.isCopy == pair.isCopy, "\(pair.name): \(difference.thousandths)")
                if pair.isCopy, difference > farthestCopy.0 { farthestCopy = (difference, pair.name) }
                if !pair.isCopy, difference < nearestOther.0 { nearestOther = (difference, pair.name) }
            }
        }
        print("The farthest copy: \(farthestCopy). The nearest of the others: \(nearestOther).")
    }

    @Test("have the same pixels, whatever the file says beside them, and stand as they are to be seen")
    func equalPixels() async throws {
        try await Surroundings.withStudio { studio in
            let upright = try Surroundings.photo("orientation/landscape_1.jpg")
            let drawing = try Drawing.decoded(upright)
            #expect(try await difference(try drawing.png(), upright, studio) == PictureDifference(thousandths: 0))
            #expect(try await difference(upright, upright, studio) == PictureDifference(thousandths: 0))
            let turned = try Surroundings.photo("orientation/landscape_2.jpg")
            #expect(try await difference(turned, try drawing.png(), studio) != PictureDifference(thousandths: 0))
        }
    }

    @Test("are none where that cannot be told: smooth, tiny, damaged, of other proportions, several, transparent")
    func uncertain() async throws {
        try await Surroundings.withStudio { studio in
            let photo = try Drawing.photo(seed: 3)
            let best = try photo.jpeg(92)
            let smooth = try Drawing(width: 2, height: 2, pixels: [10, 40, 90, 60, 60, 90, 20, 90, 60, 80, 70, 90])
                .resampled(528, 396, VIPS_KERNEL_LINEAR)
            let others: [([UInt8], [UInt8])] = [
                (try smooth.jpeg(85), try smooth.png()),
                (try photo.resampled(240, 180, VIPS_KERNEL_LANCZOS3).jpeg(90), best),
                (Array(try photo.jpeg(90).prefix(9000)), best),
                (try photo.resampled(528, 385, VIPS_KERNEL_LANCZOS3).jpeg(90), best),
                (try photo.resampled(700, 525, VIPS_KERNEL_CUBIC).jpeg(90), best),
                (try photo.jpeg(20), best), (try photo.webP(40), best),
                (
                    MadePictures.png(width: 300, height: 300, pixel: [90, 90, 90, 128]),
                    MadePictures.png(width: 300, height: 300, pixel: [90, 90, 90, 127])
                ),
                ([0xFF, 0xD8, 0xFF, 0xE0], best), (best, [0xFF, 0xD8, 0xFF, 0xE0]),
            ]
            for (number, pair) in others.enumerated() {
                #expect(try await !difference(pair.0, pair.1, studio).isCopy, "\(number)")
            }
        }
    }
}
