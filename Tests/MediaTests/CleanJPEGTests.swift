import Foundation
import TestSupport
import Testing

@testable import Media

@Suite("A JPEG without place and camera")
struct CleanJPEGTests {
    private func clean(_ bytes: [UInt8]) throws -> [UInt8] {
        let copy = try Overwrites(cleaning: bytes, type: .jpeg).applied(to: bytes, at: 0)
        #expect(copy.count == bytes.count)
        return copy
    }

    private static func jpegs() throws -> [Photos.Photo] {
        try Photos.all().filter { MediaType.sniff($0.bytes) == .jpeg }
    }

    @Test("exiftool finds nothing in it but what the pixels need")
    func nothingLeft() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try Self.jpegs().map { photo in
            let path = folder.appendingPathComponent(photo.name.replacing("/", with: "-"))
            try Data(try clean(photo.bytes)).write(to: path)
            return path.path
        }
        let found = try ExifTool.read(paths)
        #expect(found.count == paths.count)
        for (path, tool) in found {
            let allowed: Set<String> = ["ExifTool", "System", "File", "JFIF", "IFD0", "Adobe", "Composite"]
            let left = tool.groups.filter { !$0.hasPrefix("ICC") }.subtracting(allowed)
            #expect(left.isEmpty, "\(path): \(left)")
        }
    }

    @Test("orientation and size stay, place, camera and time go")
    func facts() throws {
        for photo in try Self.jpegs() {
            let before = try MediaFacts(reading: photo.bytes, type: .jpeg)
            let after = try MediaFacts(reading: try clean(photo.bytes), type: .jpeg)
            #expect(after.width == before.width && after.height == before.height, "\(photo.name)")
            #expect(after.orientation == before.orientation, "\(photo.name)")
            #expect(after.place == nil && after.cameraModel == nil && after.takenAt == nil, "\(photo.name)")
        }
    }

    @Test("every pixel stays")
    func pixels() throws {
        let folder = try TemporaryFolder()
        let paths = try Self.jpegs().enumerated().map { number, photo in
            try folder.write("\(number).jpg", photo.bytes)
            try folder.write("\(number)-clean.jpg", clean(photo.bytes))
            return (photo.name, folder.file("\(number).jpg").path, folder.file("\(number)-clean.jpg").path)
        }
        for start in stride(from: 0, to: paths.count, by: 16) {
            let some = paths[start..<min(start + 16, paths.count)]
            let digests = try pixelDigests(some.flatMap { [$0.1, $0.2] })
            try #require(digests.count == 2 * some.count)
            for (number, photo) in some.enumerated() {
                #expect(digests[2 * number] == digests[2 * number + 1], "\(photo.0)")
            }
        }
    }

    /// Of the decoded pictures, by ffmpeg, which takes ten times as long to start as to decode one.
    private func pixelDigests(_ paths: [String]) throws -> [Substring] {
        // Of a picture that is cut off it decodes what is there, and ends with an error.
        let inputs = paths.flatMap { ["-noautorotate", "-i", $0] }
        let outputs = paths.indices.flatMap { ["-map", "\($0):v", "-frames:v", "1", "-f", "md5", "-"] }
        return try Program("/usr/bin/ffmpeg", ["-v", "quiet"] + inputs + outputs).finish().output.split(separator: "\n")
    }

    @Test("what phones append after the picture is zero, and is not read")
    func trailer() throws {
        let photo = try Photos.bytes("orientation/landscape_6.jpg")
        let more = [UInt8](repeating: 0xFF, count: 4 << 20) + Array("....ftypmp42 a video, and \u{FF}\u{D9}".utf8)
        let source = CountingSource(photo + more)
        let copy = try Overwrites(cleaning: source, type: .jpeg).applied(to: source.bytes, at: 0)
        #expect(copy == (try clean(photo)) + [UInt8](repeating: 0, count: more.count))
        #expect(source.readBytes < photo.count + (1 << 20))
    }

    @Test("clean twice is clean once")
    func twice() throws {
        for photo in try Self.jpegs() where photo.bytes.count < 200_000 {
            let once = try clean(photo.bytes)
            #expect(try clean(once).elementsEqual(once), "\(photo.name)")
        }
    }

    @Test("fill bytes, restart markers, several scans and their tables are kept in order")
    func handMade() throws {
        let frame: [UInt8] = [0xFF, 0xC2, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]
        let table: [UInt8] = [0xFF, 0xC4, 0, 3, 0]
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6, 0x68, 0x6F, 0x6D, 0x65]
        let gone: [UInt8] = [0xFF, 0xEF, 0, 6, 0, 0, 0, 0]
        let (start, end): ([UInt8], [UInt8]) = ([0xFF, 0xD8], [0xFF, 0xD9])
        let fill: [UInt8] = [0xFF, 0xFF]
        let words = Array("home".utf8)
        let dirty = start + fill + comment + words + frame + scan + comment + table + scan + [0xFF] + end + words
        let clean = try self.clean(dirty)
        let expected =
            start + fill + gone + [0, 0, 0, 0] + frame + scan + gone + table + scan + [0xFF] + end + [0, 0, 0, 0]
        #expect(clean == expected)
    }

    @Test("of what applications wrote only colour is kept, and of JFIF no thumbnail")
    func applications() throws {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker, 0, UInt8(payload.count + 2)] + payload
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let jfif = Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72]
        let profile = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 7, 7])
        let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]
        let picture: [UInt8] = [
            0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xFF, 0xD9,
        ]
        let dropped: [(UInt8, [UInt8])] = [
            (0xE0, Array("JFXX\0".utf8) + [0x13, 1, 1, 9, 9, 9]), (0xE2, Array("MPF\0MM".utf8)),
            (0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8)), (0xED, Array("Photoshop 3.0\0".utf8)),
            (0xE4, [1]), (0xEF, []), (0xFE, Array("home".utf8)), (0xDC, Array("home".utf8)), (0xDF, [7]), (0xC8, [7]),
        ]
        let dirty =
            [0xFF, 0xD8] + segment(0xE0, jfif + [1, 1, 9, 9, 9]) + dropped.flatMap { segment($0.0, $0.1) } + profile
            + segment(0xEE, adobe + [5]) + picture
        let expected =
            [0xFF, 0xD8] + segment(0xE0, jfif + zeros(5)) + dropped.flatMap { segment(0xEF, zeros($0.1.count)) }
            + profile
            + segment(0xEE, adobe + [0]) + picture
        #expect(try clean(dirty) == expected)
    }

    @Test("what breaks off or makes no sense behind a scan is the end of the picture")
    func afterScan() throws {
        let picture: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12,
        ]
        for more in [[0xFF, 0xFE, 0, 9, 7, 7], [0xFF, 0xD8, 7, 7], [0xFF, 0xE1, 0, 1, 7], [0xFF, 0xFE, 0]] as [[UInt8]]
        {
            #expect(try clean(picture + more) == picture + [UInt8](repeating: 0, count: more.count), "\(more)")
        }
    }

    @Test(
        "what is no JPEG is refused",
        arguments: [
            [], [0xFF], [0x89, 0x50], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xD9], [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2],
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 1], [0xFF, 0xD8, 0xFF, 0x42, 0, 9],
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(throws: MediaError.self) { try clean(bytes) }
    }

    @Test("mutated photos are copied or refused, and never say a place")
    func mutated() throws {
        var generator = SeededGenerator(seed: 8)
        let photo = try Photos.bytes("gps/DSCN0010.jpg")
        for _ in 0..<300 {
            var mutated = Array(photo.prefix(40_000))
            for _ in 0..<20 {
                mutated[Int.random(in: 0..<20_000, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let copy = try? clean(mutated) else { continue }
            #expect(try MediaFacts(reading: copy, type: .jpeg).place == nil)
        }
    }
}
