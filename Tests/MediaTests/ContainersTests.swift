import Foundation
import TestSupport
import Testing

@testable import Media

@Suite("EXIF and XMP, wherever a format keeps them")
struct ContainersTests {
    private let maker: VideoMaker

    init() throws { maker = try VideoMaker() }

    private static let still = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=1:duration=1"]
    private static let exif = [
        "-EXIF:DateTimeOriginal=2021:04:11 15:47:53", "-EXIF:OffsetTimeOriginal=-05:00", "-EXIF:SubSecTimeOriginal=25",
        "-EXIF:Make=Maker", "-EXIF:Model=Model", "-EXIF:LensModel=Lens", "-EXIF:Orientation#=6",
        "-EXIF:GPSLatitude=39.0513", "-EXIF:GPSLatitudeRef=S", "-EXIF:GPSLongitude=94.2888", "-EXIF:GPSLongitudeRef=W",
        "-EXIF:GPSAltitude=12.5", "-EXIF:GPSAltitudeRef#=1",
    ]

    /// A picture of 64 × 48 pixels with tags that exiftool writes.
    private func facts(_ name: String, _ options: [String], tags: [String]) throws -> (MediaType, MediaFacts) {
        let path = try maker.make(name, ["-frames:v", "1"] + options, input: Self.still)
        try Program("/usr/bin/exiftool", ["-q", "-overwrite_original"] + tags + [path]).run()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let type = MediaType.sniff(bytes)
        return (type, try MediaFacts(reading: bytes, type: type))
    }

    @Test(
        "the same tags tell the same facts in every format",
        arguments: [
            ("a.jpg", MediaType.jpeg, [String]()), ("a.png", .png, []), ("a.webp", .webp, ["-c:v", "libwebp"]),
            ("a.tiff", .tiff, []),
        ])
    func exif(name: String, type: MediaType, options: [String]) throws {
        let (found, facts) = try self.facts(name, options, tags: Self.exif)
        #expect(found == type)
        #expect(facts.takenAt?.milliseconds == 1_618_174_073_250)
        #expect(facts.takenAt?.offsetMinutes == -300 && facts.takenAt?.source == .exifWithOffset)
        #expect(facts.cameraMake == "Maker" && facts.cameraModel == "Model" && facts.lens == "Lens")
        #expect(facts.orientation == 6 && facts.width == 48 && facts.height == 64)
        #expect(facts.place == Place(latitude: -39.0513, longitude: -94.2888, altitude: -12.5))
    }

    @Test(
        "XMP speaks where EXIF is silent",
        arguments: [("a.jpg", [String]()), ("a.png", []), ("a.webp", ["-c:v", "libwebp"])])
    func xmp(name: String, options: [String]) throws {
        let tags = [
            "-XMP-exif:DateTimeOriginal=2021:04:11 15:47:53-05:00", "-XMP-tiff:Make=Maker",
            "-XMP-exif:GPSLatitude=-39.5",
            "-XMP-exif:GPSLongitude=94.25", "-EXIF:Model=Model",
        ]
        let (_, facts) = try self.facts(name, options, tags: tags)
        #expect(facts.takenAt?.milliseconds == 1_618_174_073_000 && facts.takenAt?.offsetMinutes == -300)
        #expect(facts.cameraMake == "Maker" && facts.cameraModel == "Model")
        #expect(facts.place == Place(latitude: -39.5, longitude: 94.25))
    }

    @Test("EXIF leads where both speak")
    func exifLeads() throws {
        let tags = ["-XMP-tiff:Make=Other", "-EXIF:Make=Maker", "-XMP-tiff:Orientation#=3", "-EXIF:Orientation#=8"]
        let (_, facts) = try self.facts("a.jpg", [], tags: tags)
        #expect(facts.cameraMake == "Maker" && facts.orientation == 8)
    }

    private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let size = payload.count + 8
        return [0, 0, UInt8(size >> 8), UInt8(size & 255)] + Array(type.utf8) + payload
    }

    private func fullBox(_ type: String, version: UInt8 = 0, _ payload: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + payload)
    }

    /// A HEIF file of 64 × 48 pixels without pixels, whose Exif item lies in `idat`.
    private func heif(_ properties: [[UInt8]]) -> [UInt8] {
        let tiff = TIFFBuilder.file([
            [TIFFBuilder.Entry(TIFFTag.make, .text("Maker")), .init(TIFFTag.orientation, .shorts([3]))]
        ])
        let item: [UInt8] = [0, 0, 0, 6] + Array("Exif\0\0".utf8) + tiff
        let info = fullBox("infe", version: 2, [0, 2, 0, 0] + Array("Exif".utf8) + [0])
        // Version 1, offsets and lengths of four bytes; one item, construction method 1, one extent.
        let location: [UInt8] = [0x44, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, UInt8(item.count)]
        let size = fullBox("ispe", [0, 0, 0, 64, 0, 0, 0, 48])
        let associations = [UInt8(properties.count + 1)] + (1...properties.count + 1).map { UInt8($0) }
        let meta =
            fullBox("pitm", [0, 1]) + fullBox("iinf", [0, 1] + info) + fullBox("iloc", version: 1, location)
            + box("idat", [9, 9, 9] + item)
            + box(
                "iprp",
                box("ipco", size + properties.flatMap(\.self)) + fullBox("ipma", [0, 0, 0, 1, 0, 1] + associations))
        return box("ftyp", Array("mif1".utf8) + [0, 0, 0, 0] + Array("heic".utf8)) + fullBox("meta", meta)
    }

    @Test("HEIF: an item in idat, and turns and mirrors in the order in which they stand")
    func heifItems() throws {
        let quarter = box("irot", [1])
        let mirror = box("imir", [1])
        let cases: [([[UInt8]], Int)] = [
            ([], 1), ([quarter], 8), ([box("irot", [3])], 6), ([mirror], 2), ([box("imir", [0])], 4),
            // A turn to the left, then left and right exchanged, and the other way round.
            ([quarter, mirror], 7), ([mirror, quarter], 5),
        ]
        for (properties, orientation) in cases {
            let file = heif(properties)
            #expect(MediaType.sniff(file) == .heic)
            let facts = try MediaFacts(reading: file, type: .heic)
            #expect(facts.cameraMake == "Maker")
            #expect(facts.orientation == orientation, "EXIF's own orientation does not count")
            #expect(facts.width == (orientation > 4 ? 48 : 64) && facts.height == (orientation > 4 ? 64 : 48))
        }
    }

    @Test(
        "a picture in HEIF is of a known coding only where all that it is made from is",
        arguments: [
            (["hvc1", "Exif"], true), (["av01", "mime"], true), (["vvc1", "Exif"], false), (["av02"], false),
            (["unci"], false), (["j2k1"], false), (["evc1"], false), (["grid", "hvc1", "hvc1", "Exif", "uri "], true),
            (["grid", "vvc1", "vvc1", "Exif"], false), (["hvc1", "jpeg"], true), (["tmap", "hvc1"], true),
        ] as [([String], Bool)])
    func codings(items: [String], isKnown: Bool) {
        let infos = items.enumerated().flatMap { number, type in
            fullBox("infe", version: 2, [0, UInt8(number + 1), 0, 0] + Array(type.utf8) + [0])
        }
        let meta = fullBox("pitm", [0, 1]) + fullBox("iinf", [0, UInt8(items.count)] + infos)
        let file =
            box("ftyp", Array("mif1".utf8) + [0, 0, 0, 0] + Array("miaf".utf8)) + fullBox("meta", meta)
        #expect(MediaType.heif.isOfKnownCoding(file) == isKnown)
        #expect(MediaType.jpeg.isOfKnownCoding(file))
    }

    @Test("libraries get all of a picture whose clean aperture lies outside of it, and any other as it stands")
    func apertures() {
        func big(_ numbers: [Int32]) -> [UInt8] { numbers.flatMap { MadeFiles.big($0) } }
        for (aperture, isKept) in [
            ([1, 1, 1, 1, -80, 1, 0, 1], false), ([40, 1, 30, 1, 0, 1, 0, 1], true),
            ([0, 1, 30, 1, 0, 1, 0, 1], false),
            ([40, 1, 30, 1, 10, 1, -9, 1], true), ([40, 0, 30, 1, 0, 1, 0, 1], false),
            ([40, 1, 30, 1, 0, 1, 99, 2], false),
        ] as [([Int32], Bool)] {
            let properties = box("ipco", fullBox("ispe", big([64, 48])) + box("clap", big(aperture)))
            let file =
                box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("avif".utf8))
                + fullBox("meta", fullBox("pitm", [0, 1]) + box("iprp", properties))
            let seen = HEIFPatches(reading: file, type: .avif).overwrites.applied(to: file, at: 0)
            let whole = Array(file.dropLast(32)) + big([64, 1, 48, 1, 0, 1, 0, 1])
            #expect(seen == (isKept ? file : whole), "\(aperture)")
        }
    }

    @Test("libraries get a brand that they know in front of one that they do not")
    func leadingBrand() {
        let files: [(String, String, MediaType, String)] = [
            ("tmap", "heic", .heic, "heic"), ("miaf", "avif", .avif, "avif"), ("avis", "avif", .avif, "avif"),
            ("hevx", "mif1", .heic, "heic"), ("new1", "mif1", .heif, "mif1"), ("mif1", "heic", .heic, "mif1"),
            ("heix", "mif1", .heic, "heix"),
        ]
        for (major, other, type, given) in files {
            let head = box("ftyp", Array(major.utf8) + [0, 0, 0, 0] + Array(other.utf8))
            let file = head + fullBox("meta", fullBox("pitm", [0, 1]))
            let seen = HEIFPatches(reading: file, type: type).overwrites.applied(to: Array(file.prefix(20)), at: 0)
            #expect(String(decoding: seen[8..<12], as: UTF8.self) == given, "\(major)")
        }
    }
}
