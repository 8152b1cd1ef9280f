import CVips
import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Pictures that every viewer shows")
struct OddPictureTests {
    /// The header of a colour profile (ICC.1) with nothing behind it.
    private static func profile(of space: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 132)
        bytes.replaceSubrange(0..<4, with: [0, 0, 0, 132])
        bytes.replaceSubrange(8..<12, with: [2, 0x10, 0, 0])
        bytes.replaceSubrange(12..<24, with: Array("mntr\(space)XYZ ".utf8))
        bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
        return bytes
    }

    private static func with(_ profile: [UInt8], _ jpeg: [UInt8]) -> [UInt8] {
        let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let length = payload.count + 2
        return Array(jpeg[..<2]) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + payload + jpeg[2...]
    }

    @Test("a profile that does not fit, or is none, is left out")
    func profiles() async throws {
        let colours = try MadePictures.jpeg(width: 64, height: 48)
        let grey = try MadePictures.greyJPEG(width: 64, height: 48)
        let files = [
            Self.with(Self.profile(of: "RGB "), grey), Self.with(Self.profile(of: "CMYK"), grey),
            Self.with(Self.profile(of: "GRAY"), colours), Self.with(Self.profile(of: "RGB "), colours),
            Self.with([UInt8](repeating: 7, count: 300), colours),
        ]
        try await Surroundings.withStudio { studio in
            for (number, file) in files.enumerated() {
                let found = try await studio.examine(file)
                #expect(found.thumbnail != nil && !found.isDamaged, "\(number)")
            }
        }
    }

    @Test("a JPEG that lacks only its end mark is whole, one that ends before is not")
    func endMark() async throws {
        let whole = try MadePictures.jpeg(width: 640, height: 480)
        try #require(whole.suffix(2) == [0xFF, 0xD9])
        try await Surroundings.withStudio { studio in
            let short = Array(whole.dropLast(2))
            for file: [UInt8] in [whole, short, short + [0, 0], whole + [0, 0, 0]] {
                let found = try await studio.examine(file)
                #expect(found.thumbnail != nil && !found.isDamaged)
            }
            let half = try await studio.examine(Array(whole.dropLast(whole.count / 3)))
            #expect(half.thumbnail != nil && half.isDamaged)
        }
    }
}
