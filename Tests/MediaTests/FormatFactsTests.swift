import Foundation
import Testing

@testable import Media

@Suite("Formats of old programs, scanners and studios")
struct FormatFactsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Formats")
    /// 7 August 2009, 06:05:04.
    private static let time: Int64 = 1_249_625_104_000

    private func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
    }

    @Test(
        "are known, with their size",
        arguments: [
            ("boxes.jp2", MediaType.jp2), ("codestream.j2k", .jp2), ("grey.jp2", .jp2), ("codestream.jxl", .jxl),
            ("turned.jxl", .jxl), ("layers.psd", .psd), ("lzw.tif", .tiff), ("old-jpeg.tif", .tiff), ("fax.tif", .tiff),
            ("runs8.bmp", .bmp), ("runs4.bmp", .bmp), ("os2.bmp", .bmp), ("masks16.bmp", .bmp),
        ])
    func sizes(name: String, type: MediaType) throws {
        let bytes = try file(name)
        #expect(MediaType.sniff(bytes) == type)
        let facts = try MediaFacts(reading: bytes, type: type)
        #expect(facts.width == 96 && facts.height == 72)
    }

    @Test("say when they were taken", arguments: ["boxes.jp2", "turned.jxl", "layers.psd", "lzw.tif"])
    func dates(name: String) throws {
        let bytes = try file(name)
        let facts = try MediaFacts(reading: bytes, type: MediaType.sniff(bytes))
        #expect(facts.takenAt?.wallClockMilliseconds == Self.time && facts.takenAt?.source == .exif)
    }

    @Test("JPEG XL is turned by its codestream, whatever EXIF says")
    func turned() throws {
        let facts = try MediaFacts(reading: try file("turned.jxl"), type: .jxl)
        #expect(facts.orientation == 6)
        #expect(try MediaFacts(reading: try file("codestream.jxl"), type: .jxl).orientation == 1)
    }

    @Test("XMP of JPEG 2000 in a box of XML, as well as in one of its own")
    func xml() throws {
        let packet = Array(
            "<?xpacket begin=''?><x:xmpmeta><rdf:Description xmp:CreateDate='2008-07-19T16:14:14-07:00'/>".utf8)
        let length = UInt8(8 + packet.count)
        let whole = try file("grey.jp2")
        let found = Array(whole[..<32]) + [0, 0, 0, length] + Array("xml ".utf8) + packet + whole[32...]
        let facts = try MediaFacts(reading: found, type: .jp2)
        #expect(facts.takenAt?.offsetMinutes == -420 && facts.width == 96)
    }

    @Test("a bomb of packed metadata is left alone, and what breaks off too")
    func bombs() {
        let hello: [UInt8] = [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]
        #expect(BrotliExpansion.expanded(hello, atMost: 5) == Array("hello".utf8))
        #expect(BrotliExpansion.expanded(hello, atMost: 4) == nil)
        #expect(BrotliExpansion.expanded(hello.dropLast(2), atMost: 5) == nil)
        // Five million times the same letter.
        let bomb: [UInt8] = [
            0x9B, 0xFF, 0xFF, 0x4F, 0xF8, 0x25, 0xC2, 0xE2, 0xB1, 0x40, 0x20, 0xF7, 0xFE, 0x09,
        ]
        #expect(BrotliExpansion.expanded(bomb, atMost: 5 << 20)?.count == 5 << 20)
        #expect(BrotliExpansion.expanded(bomb, atMost: 4 << 20) == nil)
        #expect(BrotliExpansion.expanded([], atMost: 1 << 20) == nil)
    }

    @Test("cut anywhere, they say less and harm nobody")
    func cut() throws {
        for name in ["boxes.jp2", "codestream.j2k", "turned.jxl", "layers.psd", "runs4.bmp"] {
            let bytes = try file(name)
            let type = MediaType.sniff(bytes)
            for count in 0..<min(bytes.count, 600) {
                _ = try MediaFacts(reading: Array(bytes.prefix(count)), type: type)
                _ = MediaType.sniff(Array(bytes.prefix(count)))
            }
        }
    }

    @Test("Packed metadata that gives nothing, or much, is unpacked a few times only")
    func unpacking() {
        for (content, count): ([UInt8]?, Int) in [(nil, 4), ([UInt8](repeating: 7, count: 3 << 20), 6), ([7], 100)] {
            let reader = BoundedReader([UInt8](repeating: 0, count: 16))
            var calls = 0
            for _ in 0..<100 {
                _ = reader.unpacked { limit in
                    calls += 1
                    return content.flatMap { $0.count <= limit ? $0 : nil }
                }
            }
            #expect(calls == count)
        }
    }
}
