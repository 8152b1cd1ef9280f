import Foundation
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Photos", .serialized)
struct PhotoTests {
    @Test(
        "real ones are tried, too",
        .enabled(if: Surroundings.folders.count > 1, "../shared/photos is not here"))
    func real() throws {
        #expect(try FileManager.default.subpathsOfDirectory(atPath: Surroundings.realPhotos.path()).count > 38)
    }

    @Test(
        "stand upright, whichever of the eight ways the camera was held", arguments: ["landscape", "portrait"],
        Surroundings.folders)
    func orientations(name: String, folder: URL) async throws {
        try await Surroundings.withStudio { studio in
            // Each photograph carries its number: upright they differ by 14 to 16 levels, turned otherwise by 41 and more.
            let models = try await thumbnail("orientation/\(name)_1.jpg", folder, studio)
            for number in 2...8 {
                let picture = try await thumbnail("orientation/\(name)_\(number).jpg", folder, studio)
                let difference = try #require(picture.difference(from: models), "\(name)_\(number)")
                #expect(difference < 25, "\(name)_\(number)")
            }
        }
    }

    private func thumbnail(_ name: String, _ folder: URL, _ studio: PictureStudio) async throws -> DecodedPicture {
        let examination = try await studio.examine(Surroundings.photo(name, in: folder))
        return try DecodedPicture(try #require(examination.thumbnail))
    }

    @Test(
        "of every format get a thumbnail and a preview of the right dimensions",
        arguments: [
            ("phone/IMG_5195.HEIC", 2566, 3313), ("phone/HMD_Nokia_8.3_5G.heif", 3456, 4608),
            ("odd/example.avif", 800, 533), ("odd/Rudless.tiff", 734, 328), ("odd/no_exif.jpg", 322, 466),
            ("phone/iphone_hdr_YES.jpg", 3264, 2448),
        ], Surroundings.folders)
    func formats(photo: (name: String, width: Int, height: Int), folder: URL) async throws {
        let (name, width, height) = photo
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(Surroundings.photo(name, in: folder))
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

    @Test("that are broken have a reason, and the next one is shown", arguments: Surroundings.folders)
    func broken(folder: URL) async throws {
        try await Surroundings.withStudio { studio in
            // Newer libheif sets limits to itself, beyond which is a list of 65,535 items.
            let reason = try await studio.reason(Surroundings.photo("odd/broken_github_138.heic", in: folder))
            #expect(reason == .damaged || reason == .unsupported)
            // A cut that lies beside the picture hides nothing of it; that of the larger file breaks off as well.
            let cut = try await studio.reason(Surroundings.photo("odd/broken_clap_overflow.heic", in: folder))
            #expect(cut == nil || cut == .damaged)
            try await studio.expect(Surroundings.photo("odd/no_exif.jpg"), is: nil)
        }
    }

    @Test(
        "that nobody can decode still say when they were taken, and why they are not shown",
        arguments: Surroundings.folders)
    func factsOfTheBroken(folder: URL) async throws {
        try await Surroundings.withStudio { studio in
            let examination = try await studio.examine(Surroundings.photo("odd/corrupted.jpg", in: folder))
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

    @Test(
        "keep nothing but their pixels, whether as WebP or, where that is smaller, as JPEG",
        arguments: Surroundings.folders)
    func noMetadata(folder: URL) async throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "gps").path())
        var types: Set<MediaType> = []
        try await Surroundings.withStudio { studio in
            for name in names.map({ "gps/\($0)" }) + [
                "cameras/Canon_40D.jpg", "phone/IMG_5195.HEIC", "odd/Rudless.tiff",
            ] {
                let examination = try await studio.examine(Surroundings.photo(name, in: folder))
                for rendition in [examination.thumbnail, examination.preview].compactMap(\.self) {
                    types.insert(rendition.type)
                    let text = String(decoding: rendition.bytes, as: UTF8.self)
                    for mark in ["Exif", "EXIF", "http://ns.adobe.com", "XMP ", "ICC_PROFILE", "ICCP", "8BIM"] {
                        #expect(!text.contains(mark), "\(name) has \(mark)")
                    }
                }
            }
        }
        // Of photos that are calculated WebP is always the smaller one.
        #expect(types == (folder == Surroundings.photos ? [.webp] : [.jpeg, .webp]))
    }
}
