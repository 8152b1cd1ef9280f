import ImagingProtocol
import Media

/// A result that has everything.
enum Samples {
    static var result: JobResult {
        var facts = MediaFacts()
        facts.takenAt = CaptureTime(
            milliseconds: 1_700_000_000_000, offsetMinutes: -330, isInstant: true, source: .exifWithOffset)
        facts.width = 4032
        facts.height = 3024
        facts.orientation = 6
        facts.cameraMake = "Apple"
        facts.cameraModel = "iPhone 13 Pro Max"
        facts.lens = "back triple camera 5.7mm f/1.5"
        facts.place = Place(latitude: 43.46, longitude: -11.88, altitude: 280.5)
        facts.duration = .milliseconds(2_500)
        facts.contentIdentifier = "3A1B"
        facts.dominantColour = 0x12_34_56
        facts.placeholder = Array(0..<25)
        return JobResult(
            facts: facts,
            thumbnail: Rendition(bytes: webP(width: 320, height: 240), type: .webp, width: 320, height: 240),
            preview: Rendition(bytes: jpeg(width: 2048, height: 1536), type: .jpeg, width: 2048, height: 1536),
            poster: jpeg(width: 64, height: 64), isDamaged: true)
    }

    /// A header with nothing behind it.
    static func webP(width: Int, height: Int) -> [UInt8] {
        let frame: [UInt8] = [0x30, 0x01, 0x00, 0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2)
        return riff(Array("VP8 ".utf8) + little(frame.count, 4) + frame)
    }

    static func extendedWebP(flags: UInt8) -> [UInt8] {
        let header = [flags, 0, 0, 0] + little(9, 3) + little(9, 3)
        return riff(Array("VP8X".utf8) + little(header.count, 4) + header)
    }

    /// - Parameter marker: of a segment before the frame.
    static func jpeg(width: Int, height: Int, marker: UInt8 = 0xE0) -> [UInt8] {
        let frame = [8] + big(height) + big(width) + [1, 1, 0x11, 0]
        return [0xFF, 0xD8, 0xFF, marker] + big(6) + [1, 2, 3, 4] + [0xFF, 0xC0] + big(frame.count + 2) + frame + [
            0xFF, 0xDA, 0, 2, 0xFF, 0xD9,
        ]
    }

    private static func riff(_ body: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func big(_ value: Int) -> [UInt8] { little(value, 2).reversed() }
}
