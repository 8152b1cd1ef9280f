import Foundation
import Testing

@testable import Vaults

@Suite("What a file is, by its first bytes")
struct MediaTypeTests {
    private static let photos = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/photos").standardizedFileURL

    @Test("real photos are recognised")
    func realPhotos() throws {
        let expected = [
            "jpg": ["image/jpeg"], "heic": ["image/heic", "image/heif"], "heif": ["image/heic", "image/heif"],
            "avif": ["image/avif"], "tiff": ["image/tiff"],
        ]
        var seen = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: Self.photos.path) {
            guard let types = expected[URL(fileURLWithPath: name).pathExtension.lowercased()] else { continue }
            let file = try FileHandle(forReadingFrom: Self.photos.appendingPathComponent(name))
            let prefix = Array(try file.read(upToCount: MediaType.prefixByteCount) ?? Data())
            #expect(types.contains(MediaType.sniff(prefix)), "\(name)")
            seen += 1
        }
        #expect(seen > 30)
    }

    @Test(
        "brands and magic numbers",
        arguments: [
            (Array("GIF89a....".utf8), "image/gif"), (Array("RIFF....WEBPVP8 ".utf8), "image/webp"),
            ([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A], "image/png"), (Array("....ftypisom....".utf8), "video/mp4"),
            (Array("....ftypqt  ....".utf8), "video/quicktime"), (Array("....ftypavif....".utf8), "image/avif"),
            ([0x1A, 0x45, 0xDF, 0xA3], "video/webm"), (Array("....wide".utf8), "video/quicktime"),
        ] as [([UInt8], String)])
    func brands(prefix: [UInt8], type: String) {
        #expect(MediaType.sniff(prefix) == type)
        #expect(MediaType.isServedInline(type))
    }

    @Test(
        "whatever could run in the page is unknown, and nothing unknown is shown in it",
        arguments: [
            "<svg xmlns=", "<!DOCTYPE html>", "<?xml version", "%PDF-1.7", "....ftyp", "", "MZ", "RIFF....WAVE",
        ])
    func unknown(text: String) {
        let type = MediaType.sniff(Array(text.utf8))
        #expect(type == MediaType.unknown || text == "....ftyp")
        #expect(!MediaType.isServedInline(MediaType.unknown))
        #expect(!MediaType.isServedInline("image/svg+xml"))
    }
}
