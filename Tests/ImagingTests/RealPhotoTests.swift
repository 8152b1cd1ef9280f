import Foundation
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Real photos")
struct RealPhotoTests {
    @Test("stand upright, whichever of the eight ways the camera was held", arguments: ["landscape", "portrait"])
    func orientations(name: String) async throws {
        try await Surroundings.withStudio { studio in
            // Each photograph carries its number: upright they differ by 14 to 16 levels, turned otherwise by 41 and more.
            let models = try await thumbnail("orientation/\(name)_1.jpg", studio)
            for number in 2...8 {
                let picture = try await thumbnail("orientation/\(name)_\(number).jpg", studio)
                let difference = try #require(picture.difference(from: models), "\(name)_\(number)")
                #expect(difference < 25, "\(name)_\(number)")
            }
        }
    }

    private func thumbnail(_ name: String, _ studio: PictureStudio) async throws -> DecodedPicture {
        let examination = try await studio.examine(Surroundings.photo(name))
        return try DecodedPicture(try #require(examination.thumbnail))
    }

    @Test(
        "of every format get a thumbnail and a preview of the right dimensions",
        arguments: [
            ("phone/IMG_5195.HEIC", 2566, 3313), ("phone/HMD_Nokia_8.3_5G.heif", 3456, 4608),
            ("odd/example.avif", 800, 533), ("odd/Rudless.tiff", 734, 328), ("odd/no_exif.jpg", 322, 466),
            ("phone/iphone_hdr_YES.jpg", 3264, 2448),
        ])
    func formats(name: String, width: Int, height: Int) async throws {
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(Surroundings.photo(name))
            #expect(examination.facts.width == width)
            #expect(examination.facts.height == height)
            #expect(!examination.isDamaged)
            let preview = try #require(examination.preview)
            let thumbnail = try #require(examination.thumbnail)
            #expect(max(preview.width, preview.height) == min(2048, max(width, height)))
            #expect(max(thumbnail.width, thumbnail.height) == min(320, max(width, height)))
            let decoded = try DecodedPicture(preview)
            #expect(decoded.width == preview.width && decoded.height == preview.height)
            #expect(examination.facts.placeholder != nil)
            #expect(examination.facts.dominantColour != nil)
        }
    }

    @Test("that are broken have a reason, and the next one is shown")
    func broken() async throws {
        try await Surroundings.withStudio { studio in
            for name in ["broken_clap_overflow.heic", "broken_github_138.heic"] {
                try await studio.expect(Surroundings.photo("odd/\(name)"), is: .damaged)
            }
            try await studio.expect(Surroundings.photo("odd/no_exif.jpg"), is: nil)
        }
    }

    @Test("that nobody can decode still say when they were taken, and why they are not shown")
    func factsOfTheBroken() async throws {
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(Surroundings.photo("odd/corrupted.jpg"))
            #expect(examination.unreadable == .damaged)
            #expect(examination.thumbnail == nil)
            // As exiftool says.
            #expect(examination.facts.takenAt?.wallClockMilliseconds == 1_441_710_137_000)
            #expect(examination.facts.cameraModel == "u1020,S1020")
        }
    }

    @Test("that break off show what is there, and are marked")
    func truncated() async throws {
        try await Surroundings.withStudio { studio in
            let whole = try Surroundings.photo("orientation/landscape_1.jpg")
            let examination = try await studio.examine(Array(whole.prefix(whole.count / 2)))
            #expect(examination.isDamaged)
            #expect(examination.thumbnail != nil)
            let intact = try await studio.examine(whole)
            #expect(!intact.isDamaged)
        }
    }

    @Test("keep nothing but their pixels, whether as WebP or, where that is smaller, as JPEG")
    func noMetadata() async throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Surroundings.photos.appendingPathComponent("gps").path)
        var types: Set<MediaType> = []
        try await Surroundings.withStudio { studio in
            for name in names.map({ "gps/\($0)" }) + [
                "cameras/Canon_40D.jpg", "phone/IMG_5195.HEIC", "odd/Rudless.tiff",
            ] {
                let examination = try await studio.examine(Surroundings.photo(name))
                for rendition in [examination.thumbnail, examination.preview].compactMap(\.self) {
                    types.insert(rendition.type)
                    let text = String(decoding: rendition.bytes, as: UTF8.self)
                    for mark in ["Exif", "EXIF", "http://ns.adobe.com", "XMP ", "ICC_PROFILE", "ICCP", "8BIM"] {
                        #expect(!text.contains(mark), "\(name) has \(mark)")
                    }
                }
            }
        }
        #expect(types == [.jpeg, .webp])
    }
}
