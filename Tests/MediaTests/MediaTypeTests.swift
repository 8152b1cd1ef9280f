import Foundation
import Testing

@testable import Media

@Suite("What a file is, by its first bytes")
struct MediaTypeTests {
    @Test("a raw value never changes its meaning")
    func rawValues() {
        let stored: [UInt8: String] = [
            0: "application/octet-stream", 1: "image/jpeg", 2: "image/png", 3: "image/webp", 4: "image/gif",
            5: "image/heic", 6: "image/heif", 7: "image/avif", 8: "image/tiff", 9: "image/bmp", 10: "image/jp2",
            11: "image/jxl", 12: "image/vnd.adobe.photoshop", 13: "image/vnd.microsoft.icon", 16: "image/x-adobe-dng",
            17: "image/x-canon-cr2", 18: "image/x-canon-cr3", 19: "image/x-nikon-nef", 20: "image/x-sony-arw",
            21: "image/x-fuji-raf", 22: "image/x-olympus-orf", 23: "image/x-panasonic-rw2", 24: "image/x-pentax-pef",
            25: "image/x-samsung-srw", 32: "video/mp4", 33: "video/quicktime", 34: "video/webm",
            35: "video/x-matroska", 36: "video/x-msvideo", 37: "video/mp2t", 38: "video/mpeg", 39: "video/x-ms-wmv",
            40: "video/x-flv",
        ]
        #expect(MediaType.allCases.count == stored.count)
        for (value, mimeType) in stored {
            #expect(MediaType(rawValue: value)?.mimeType == mimeType)
            #expect(MediaType(mimeType: mimeType).rawValue == value)
        }
    }

    @Test(
        "brands and magic numbers",
        arguments: [
            (Array("GIF89a....".utf8), .gif), (Array("RIFF....WEBPVP8 ".utf8), .webp),
            (Array("RIFF....AVI LIST".utf8), .avi),
            ([0, 0, 1, 0xBA, 0x44], .mpegProgram), ([0, 0, 1, 0xB3, 0x08, 0x00, 0x60, 0x13], .mpegProgram),
            ([0, 0, 1, 0xB0, 1, 0, 0, 1, 0xB5], .mpegProgram), ([0, 0, 0, 1, 0x67, 0x64, 0, 10], .mpegProgram),
            ([0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1, 0x67], .mpegProgram), ([0, 0, 0, 1, 0x40, 1, 0x0C, 1], .mpegProgram),
            (Array("FLV\u{1}\u{5}\0\0\0\u{9}".utf8), .flv),
            ([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 104, 4, 0, 0, 22, 0, 0, 0], .ico),
            (Array("\0\0\0\u{C}jP  \r\n".utf8) + [0x87, 0x0A] + Array("\0\0\0\u{14}ftypjp2 ".utf8), .jp2),
            ([0xFF, 0x4F, 0xFF, 0x51, 0, 41], .jp2), ([0xFF, 0x0A, 0xD1, 0x2C, 0x10, 0x13], .jxl),
            (Array("\0\0\0\u{C}JXL \r\n".utf8) + [0x87, 0x0A], .jxl),
            ([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A], .png), (Array("....ftypisom....".utf8), .mp4),
            (Array("....ftypqt  ....".utf8), .quickTime), (Array("....ftypavif....".utf8), .avif),
            (Array("\0\0\0\u{18}ftypmif1....heic".utf8), .heic), (Array("\0\0\0\u{18}ftypmif1....avif".utf8), .avif),
            (Array("....ftypmif1....".utf8), .heif), (Array("....ftypcrx ....".utf8), .cr3),
            (Array("\0\0\0\u{18}ftypCAEP....mp42".utf8), .mp4), (Array("....wide".utf8), .quickTime),
            (Array("\0\0\0\u{14}pnot".utf8), .quickTime), (Array("\0\0\0\u{8}free".utf8), .quickTime),
            (Array("FUJIFILMCCD-RAW 0201".utf8), .raf),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x8B, 0x42, 0x82, 0x84] + Array("webm".utf8), .webm),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x8B, 0x42, 0x82, 0x88] + Array("matroska".utf8), .matroska),
        ] as [([UInt8], MediaType)])
    func brands(head: [UInt8], type: MediaType) {
        #expect(MediaType.sniff(head) == type)
        #expect(type.isServedInline == !type.isRaw)
        #expect(type.isPicture != type.isVideo)
    }

    @Test(
        "a picture is one whatever brand leads the others",
        arguments: [
            ("tmap", "mif1heic", .heic), ("miaf", "mif1heic", .heic), ("MiHB", "mif1miafheix", .heic),
            ("mif2", "miafheic", .heic), ("new1", "mif1hevc", .heic), ("tmap", "mif1avif", .avif),
            ("vvic", "mif1", .heif), ("unif", "miaf", .heif), ("new1", "mif2", .heif), ("new1", "tmap", .heif),
            // A film is one, too, that has a still picture beside it.
            ("isom", "mif1heic", .mp4), ("mp42", "isomheic", .mp4), ("qt  ", "heic", .quickTime),
            ("new1", "mp42", .mp4),
            ("new1", "new2", .other), ("M4A ", "heic", .other),
        ] as [(String, String, MediaType)])
    func leadingBrands(major: String, others: String, type: MediaType) {
        let content = Array("ftyp\(major)\0\0\0\0\(others)".utf8)
        let head = [0, 0, 0, UInt8(content.count + 4)] + content
        #expect(MediaType.sniff(head + Array("\0\0\0\u{8}meta".utf8)) == type)
    }

    @Test("a film is one by its boxes, where nobody knows its brands", arguments: ["moov", "mdat", "moof"])
    func newBrands(box: String) {
        let head = Array("\0\0\0\u{14}ftypnew1\0\0\0\0new2\0\0\0\u{8}free\0\0\0\u{10}\(box)".utf8)
        #expect(MediaType.sniff(head) == .mp4)
        #expect(MediaType.sniff(Array("\0\0\0\u{14}ftypaax \0\0\0\0aax \0\0\0\u{10}\(box)".utf8)) == .other)
    }

    @Test("what moves, or is a document, and begins as JPEG 2000 does is none")
    func otherBoxes() {
        for brand in ["mjp2", "jpm "] {
            let head = Array("\0\0\0\u{C}jP  \r\n".utf8) + [0x87, 0x0A] + Array("\0\0\0\u{14}ftyp\(brand)".utf8)
            #expect(MediaType.sniff(head) == .other)
        }
    }

    @Test(
        "whatever could run in the page is unknown, and nothing unknown is shown in it",
        arguments: [
            "<svg xmlns=", "The free world", "<!DOCTYPE html>", "<?xml version", "%PDF-1.7", "....ftyp",
            "\0\0\0\u{18}ftypM4A ....mp42",
            "", "....ftypjp2 ....jp2 ", "MZ",
            "RIFF....WAVE", "8BPS", "BM, a firm in Munich", "FLV is a format", "\0\0\u{1}\0", "\0\0\u{1}\0\u{1}\0",
            "\0\0\u{1}g", "\0\0\0\u{1}gab",
        ])
    func unknown(text: String) {
        #expect(MediaType.sniff(Array(text.utf8)) == .other)
        #expect(!MediaType.other.isServedInline && !MediaType.other.isPicture && !MediaType.other.isVideo)
    }
}
