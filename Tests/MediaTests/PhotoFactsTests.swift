import Foundation
import Testing

@testable import Media

@Suite("What photos say about themselves is what exiftool says")
struct PhotoFactsTests {
    private struct Photo: Sendable {
        let name: String
        let facts: MediaFacts
        let type: MediaType
        let truth: ExifTool
    }

    private static let loaded = Result { try load() }

    private static func photos() throws -> [Photo] { try loaded.get() }

    private static func load() throws -> [Photo] {
        let files = try Photos.all()
        let paths = files.map { $0.url.path }
        let truths = try ExifTool.read(paths)
        return try zip(files, paths).map { file, path in
            let type = MediaType.sniff(file.bytes)
            let truth = try #require(truths[path])
            return Photo(
                name: file.name, facts: try MediaFacts(reading: file.bytes, type: type), type: type, truth: truth)
        }
    }

    @Test("every photo is a picture of the type that its extension says")
    func types() throws {
        let byExtension: [String: Set<MediaType>] = [
            "jpg": [.jpeg], "heic": [.heic], "heif": [.heic, .heif], "avif": [.avif], "tiff": [.tiff],
        ]
        let photos = try Self.photos()
        #expect(photos.count > 35)
        for photo in photos {
            let types = byExtension[URL(fileURLWithPath: photo.name).pathExtension.lowercased()] ?? []
            #expect(types.contains(photo.type), "\(photo.name)")
        }
    }

    @Test("taken at, from the same tag, to the millisecond, with the same zone")
    func takenAt() throws {
        for photo in try Self.photos() {
            let truth = photo.truth.text(
                "Composite:SubSecDateTimeOriginal", "ExifIFD:DateTimeOriginal", "Composite:SubSecCreateDate",
                "ExifIFD:CreateDate", "XMP-exif:DateTimeOriginal", "XMP-photoshop:DateCreated", "XMP-xmp:CreateDate",
                "Composite:SubSecModifyDate", "IFD0:ModifyDate")
            let expected = truth.flatMap { CivilTime($0) }
            #expect(photo.facts.takenAt?.wallClockMilliseconds == expected?.wallClockMilliseconds, "\(photo.name)")
            if let offset = expected?.offsetMinutes {
                #expect(photo.facts.takenAt?.offsetMinutes == offset, "\(photo.name)")
                let shutter = photo.truth.text(
                    "ExifIFD:DateTimeOriginal", "XMP-exif:DateTimeOriginal", "XMP-photoshop:DateCreated")
                let source: CaptureTime.Source = shutter == nil ? .digitized : .exifWithOffset
                #expect(photo.facts.takenAt?.source == source, "\(photo.name)")
            }
        }
    }

    @Test("place")
    func place() throws {
        var seen = 0
        for photo in try Self.photos() {
            let latitude = photo.truth.number("Composite:GPSLatitude")
            let longitude = photo.truth.number("Composite:GPSLongitude")
            let place = photo.facts.place
            #expect((place == nil) == (latitude == nil || longitude == nil), "\(photo.name)")
            guard let place, let latitude, let longitude else { continue }
            #expect(abs(place.latitude - latitude) < 1e-7 && abs(place.longitude - longitude) < 1e-7, "\(photo.name)")
            if let altitude = photo.truth.number("Composite:GPSAltitude") {
                #expect(abs((place.altitude ?? .nan) - altitude) < 1e-3, "\(photo.name)")
            }
            seen += 1
        }
        #expect(seen >= 6)
    }

    @Test("camera and lens")
    func camera() throws {
        for photo in try Self.photos() {
            #expect(photo.facts.cameraMake == photo.truth.text("IFD0:Make", "XMP-tiff:Make"), "\(photo.name)")
            #expect(photo.facts.cameraModel == photo.truth.text("IFD0:Model", "XMP-tiff:Model"), "\(photo.name)")
            #expect(photo.facts.lens == photo.truth.text("ExifIFD:LensModel", "XMP-aux:Lens"), "\(photo.name)")
        }
    }

    @Test("size, as the picture is to be seen")
    func size() throws {
        for photo in try Self.photos() {
            let isContainer = [.heic, .heif, .avif].contains(photo.type)
            let turned = isContainer ? photo.truth.number("QuickTime:Rotation") ?? 0 : 0
            let orientation = isContainer ? 1 : Int(photo.truth.number("IFD0:Orientation") ?? 1)
            if !isContainer { #expect(photo.facts.orientation == orientation, "\(photo.name)") }
            let stored = photo.truth.text("Composite:ImageSize")?.split(separator: " ").compactMap { Int($0) } ?? []
            // In degrees, and from exiftool 13 on in quarters.
            let swaps = orientation > 4 || [1, 3, 90, 270].contains(turned)
            let seen = [photo.facts.width, photo.facts.height].compactMap(\.self)
            #expect(seen == (swaps ? stored.reversed() : stored), "\(photo.name)")
        }
    }
}
