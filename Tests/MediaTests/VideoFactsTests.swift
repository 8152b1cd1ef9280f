import Foundation
import Testing

@testable import Media

@Suite("What videos say about themselves is what exiftool says")
struct VideoFactsTests {
    private let maker: VideoMaker

    init() throws { maker = try VideoMaker() }

    private static let h264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p"]
    private static let dated = ["-metadata", "creation_time=2021-04-11T20:47:53Z"]

    private func read(_ path: String) throws -> (type: MediaType, facts: MediaFacts, truth: ExifTool) {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let type = MediaType.sniff(bytes)
        return (type, try MediaFacts(reading: bytes, type: type), try #require(try ExifTool.read([path])[path]))
    }

    @Test("MP4 with its index at the end: size, duration, time, place")
    func mp4() throws {
        let path = try maker.make("a.mp4", Self.h264 + Self.dated + ["-metadata", "location=+40.7887-004.0051/"])
        let (type, facts, truth) = try read(path)
        #expect(type == .mp4)
        #expect(facts.width == 320 && facts.height == 240 && facts.orientation == 1)
        #expect(facts.duration == .milliseconds(Int64((truth.number("QuickTime:Duration") ?? 0) * 1000)))
        #expect(facts.takenAt == CaptureTime(milliseconds: 1_618_174_073_000, isInstant: true, source: .container))
        expectPlace(facts, truth)
    }

    @Test("QuickTime's older way of telling a place")
    func olderPlace() throws {
        let path = try maker.make("x.mov", Self.h264 + ["-metadata", "location=-33.8587+151.2140/"])
        let (_, facts, truth) = try read(path)
        #expect((facts.place?.latitude ?? 0) < 0)
        expectPlace(facts, truth)
    }

    private func expectPlace(_ facts: MediaFacts, _ truth: ExifTool) {
        #expect(abs((facts.place?.latitude ?? 0) - (truth.number("Composite:GPSLatitude") ?? 1)) < 1e-5)
        #expect(abs((facts.place?.longitude ?? 0) - (truth.number("Composite:GPSLongitude") ?? 1)) < 1e-5)
    }

    @Test("the index at the beginning, and a fragmented file, tell the same")
    func layouts() throws {
        for flags in ["+faststart", "frag_keyframe+empty_moov"] {
            let path = try maker.make("\(flags).mp4", Self.h264 + Self.dated + ["-movflags", flags])
            let (_, facts, _) = try read(path)
            #expect(facts.width == 320 && facts.height == 240)
            #expect(facts.takenAt?.milliseconds == 1_618_174_073_000)
            #expect(facts.duration == .seconds(2))
        }
    }

    @Test(
        "how long a fragmented file lasts stands in its fragments, with and without an index, with sound and without",
        arguments: [
            "frag_keyframe+empty_moov", "frag_keyframe+empty_moov+skip_trailer", "frag_every_frame+empty_moov",
            "frag_keyframe+empty_moov+separate_moof+default_base_moof", "dash+frag_keyframe+empty_moov",
        ])
    func fragments(flags: String) throws {
        let picture = ["-f", "lavfi", "-i", "testsrc=size=320x240:rate=15:duration=3"]
        let sound = ["-f", "lavfi", "-i", "sine=duration=3"]
        for input in [picture, picture + sound, sound] {
            let options = Self.h264 + ["-g", "15", "-c:a", "aac", "-movflags", flags]
            let (_, facts, _) = try read(try maker.make("f.mp4", options, input: input))
            // Beside sound the pictures begin two later, for they are not decoded in the order in which they are shown;
            // the sound's coder begins before its first sound.
            let duration = try #require(facts.duration)
            #expect(duration >= .milliseconds(2990) && duration <= .milliseconds(3140), "\(input.count)")
            if input == picture { #expect(duration == .seconds(3)) }
        }
    }

    @Test("a file that says where a fragment lies outside of it, or has only a beginning, has no duration")
    func brokenFragments() throws {
        let path = try maker.make("b.mp4", Self.h264 + ["-movflags", "frag_keyframe+empty_moov"])
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let start = try #require(whole.firstRange(of: Array("moof".utf8))?.lowerBound) - 4
        #expect(try MediaFacts(reading: Array(whole[..<start]), type: .mp4).duration == nil)
        let end: [UInt8] = [0, 0, 0, 16] + Array("mfro".utf8) + [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
        // Then it is looked for from the beginning.
        #expect(try MediaFacts(reading: Array(whole.dropLast(16)) + end, type: .mp4).duration == .seconds(2))
    }

    /// Versions of ffmpeg differ in how they are asked for it: the matrix of the track header is written here.
    private func turn(_ path: String, clockwise degrees: Int) throws {
        var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let header = try #require(file.firstRange(of: Array("tkhd".utf8))?.upperBound)
        let turns: [Int: (Int32, Int32)] = [0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)]
        let (cosine, sine) = try #require(turns[degrees])
        let matrix: [Int32] = [cosine << 16, sine << 16, 0, -sine << 16, cosine << 16, 0, 0, 0, 1 << 30]
        file.replaceSubrange(header + 40..<header + 76, with: matrix.flatMap { MadeFiles.big($0) })
        try Data(file).write(to: URL(fileURLWithPath: path))
    }

    @Test("turned videos", arguments: [(0, 1), (90, 6), (180, 3), (270, 8)])
    func turned(degrees: Int, orientation: Int) throws {
        let path = try maker.make("turned.mp4", Self.h264)
        try turn(path, clockwise: degrees)
        let (_, facts, truth) = try read(path)
        #expect(facts.orientation == orientation)
        let clockwise = [1: 0.0, 6: 90, 3: 180, 8: 270]
        #expect(clockwise[facts.orientation] == truth.number("Composite:Rotation"))
        #expect(facts.width == (degrees % 180 == 0 ? 320 : 240) && facts.height == (degrees % 180 == 0 ? 240 : 320))
    }

    @Test("QuickTime with Apple's keys: date with zone, place, camera, content identifier")
    func appleKeys() throws {
        let keys = [
            "creationdate=2021-04-11T15:47:53-0500", "make=Apple", "model=iPhone 11", "content.identifier=ABC-DEF",
            "location.ISO6709=+39.0513-094.2888+260.560/",
        ]
        let options = keys.flatMap { ["-metadata", "com.apple.quicktime.\($0)"] }
        let path = try maker.make("k.mov", Self.h264 + ["-movflags", "use_metadata_tags"] + options)
        let (type, facts, truth) = try read(path)
        #expect(type == .quickTime)
        let written = truth.text("Keys:CreationDate").flatMap { CivilTime($0) }
        #expect(facts.takenAt == written.map { CaptureTime($0, source: .container) })
        #expect(facts.takenAt?.offsetMinutes == -300)
        #expect(facts.cameraMake == truth.text("Keys:Make") && facts.cameraModel == truth.text("Keys:Model"))
        #expect(facts.contentIdentifier == truth.text("Keys:ContentIdentifier"))
        #expect(facts.place == Place(latitude: 39.0513, longitude: -94.2888, altitude: 260.56))
    }

    @Test("a file whose header knows no date says none")
    func undated() throws {
        let (_, facts, _) = try read(try maker.make("u.mp4", Self.h264))
        #expect(facts.takenAt == nil)
    }

    @Test("audio alone has a duration and no size")
    func audioOnly() throws {
        let path = try maker.make("s.mp4", ["-c:a", "aac"], input: ["-f", "lavfi", "-i", "sine=duration=2"])
        let (_, facts, _) = try read(path)
        #expect(facts.width == nil && facts.duration != nil)
    }

    @Test("WebM and Matroska: size, duration, date")
    func webm() throws {
        for (name, type) in [("w.webm", MediaType.webm), ("w.mkv", .matroska)] {
            let path = try maker.make(name, ["-c:v", "libvpx", "-deadline", "realtime", "-b:v", "200k"] + Self.dated)
            let (found, facts, _) = try read(path)
            #expect(found == type)
            #expect(facts.width == 320 && facts.height == 240 && facts.duration == .seconds(2))
            #expect(facts.takenAt == CaptureTime(milliseconds: 1_618_174_073_000, isInstant: true, source: .container))
        }
    }

    @Test("seconds since 1904, or since 1970 where that would be before it; small ones mean unknown")
    func epoch() {
        #expect(QuickTimeTime.milliseconds(0) == nil)
        #expect(QuickTimeTime.milliseconds(600_000_000) == nil)
        #expect(QuickTimeTime.milliseconds(1_600_000_000) == 1_600_000_000_000)
        #expect(QuickTimeTime.milliseconds(2_082_844_800) == nil)
        #expect(QuickTimeTime.milliseconds(3_700_000_000) == 1_617_155_200_000)
        #expect(QuickTimeTime.milliseconds(.max) == nil)
    }

    @Test(
        "places by ISO 6709",
        arguments: [
            ("+40.7887-004.0051/", 40.7887, -4.0051), ("+40-004/", 40, -4), ("+4047.322-00400.306/", 40.7887, -4.0051),
            ("+404719.32-0040018.36/", 40.7887, -4.0051), ("-33.5+151.25+10CRSWGS_84/", -33.5, 151.25),
        ])
    func places(text: String, latitude: Double, longitude: Double) throws {
        let place = try #require(Place(iso6709: text))
        #expect(abs(place.latitude - latitude) < 1e-6 && abs(place.longitude - longitude) < 1e-6)
    }

    @Test("no place is made of what is none", arguments: ["", "/", "+91+0/", "+40", "++", "+00.0+000.0/", "+1.2.3+4/"])
    func noPlaces(text: String) { #expect(Place(iso6709: text) == nil) }
}
