import Imaging
import ImagingProtocol
import Media
import Testing

@Suite("Pictures of which a part is missing")
struct CutPictureTests {
    /// Parts of a thousand that are left.
    private static let parts = [300, 500, 900, 990]

    private static func cut(_ file: [UInt8], _ part: Int) -> [UInt8] { Array(file.prefix(file.count * part / 1000)) }

    private static func withHole(_ file: [UInt8]) -> [UInt8] {
        var file = file
        for index in file.count / 2..<file.count * 6 / 10 { file[index] = 0 }
        return file
    }

    @Test("wherever they break off, what is there is shown, and marked")
    func cut() async throws {
        let files = try MadePictures.noiseOfEachFormat(width: 320, height: 240)
        try await Surroundings.withStudio { studio in
            for file in files {
                let type = MediaType.sniff(file)
                let whole = try await studio.examine(file)
                #expect(whole.thumbnail != nil && !whole.isDamaged, "\(type)")
                for part in Self.parts {
                    // Its directory stands at the end.
                    if type == .tiff {
                        try await studio.expect(Self.cut(file, part), is: .damaged)
                        continue
                    }
                    let found = try await studio.examine(Self.cut(file, part))
                    #expect(found.thumbnail != nil && found.isDamaged, "\(type), \(part)")
                    #expect(found.facts.width == 320 && found.facts.height == 240, "\(type), \(part)")
                }
            }
        }
    }

    @Test("what is overwritten in the middle is noticed where the format can tell")
    func hole() async throws {
        var files = try MadePictures.noiseOfEachFormat(width: 320, height: 240)
        files[0] = try Surroundings.photo("orientation/landscape_1.jpg")
        try await Surroundings.withStudio { studio in
            for file in files.map(Self.withHole) {
                let type = MediaType.sniff(file)
                // Its library shows nothing of what it cannot unpack.
                if type == .tiff {
                    try await studio.expect(file, is: .damaged)
                    continue
                }
                let found = try await studio.examine(file)
                // WebP has no checks, and its coder makes pixels of any bytes.
                #expect(found.thumbnail != nil && found.isDamaged == (type != .webp), "\(type)")
            }
        }
    }

    @Test("a PNG whose pixels are complete is whole without its last chunk, and not without a part of another one")
    func pngEnd() async throws {
        let png = MadePictures.png(width: 64, height: 48, pixel: [1, 2, 3])
        let text: [UInt8] = [0, 0, 0, 40] + Array("tEXt".utf8) + [UInt8](repeating: 65, count: 44)
        try await Surroundings.withStudio { studio in
            for (file, isWhole) in [
                (png, true), (png + [1, 2, 3], true), (Array(png.dropLast(12)), true), (Array(png.dropLast(5)), true),
                (Array(png.dropLast(12)) + text.dropLast(10), false),
            ] {
                let found = try await studio.examine(file)
                #expect(found.thumbnail != nil && found.isDamaged != isWhole, "\(file.count)")
            }
        }
    }

    @Test("a GIF is whole without its last byte, and with zeros between its blocks")
    func gifEnd() async throws {
        let gif = try MadePictures.ofEachFormat(width: 64, height: 48)[4]
        try await Surroundings.withStudio { studio in
            let end = gif.count - 1
            for file in [gif, Array(gif.dropLast()), gif + [1, 2], Array(gif[..<end]) + [0, 0, 0x3B]] {
                let found = try await studio.examine(file)
                #expect(found.thumbnail != nil && !found.isDamaged, "\(file.count)")
            }
        }
    }

    @Test("of a copy for which room was made, and which broke off, the zeros at its end are noticed")
    func zeros() async throws {
        var files = try MadePictures.noiseOfEachFormat(width: 320, height: 240)
        files[0] = try Surroundings.photo("orientation/landscape_1.jpg")
        files.append(try Surroundings.photo("odd/example.avif"))
        try await Surroundings.withStudio { studio in
            for file in files {
                let type = MediaType.sniff(file)
                let filled = Self.cut(file, 500) + [UInt8](repeating: 0, count: file.count - file.count * 500 / 1000)
                let reason = try await studio.reason(filled)
                let isMarked = reason == nil ? try await studio.examine(filled).isDamaged : reason == .damaged
                #expect(isMarked, "\(type)")
            }
        }
    }

    @Test("of formats that show all or nothing, the reason is that they are damaged")
    func allOrNothing() async throws {
        let files = [
            try Surroundings.photo("phone/IMG_5195.HEIC"), try Surroundings.photo("odd/example.avif"),
            try Surroundings.photo("../Formats/codestream.jxl"),
        ]
        try await Surroundings.withStudio { studio in
            for file in files {
                let type = MediaType.sniff(file)
                for damaged in Self.parts.map({ Self.cut(file, $0) }) {
                    let reason = try await studio.reason(damaged)
                    let isMarked = reason == nil ? try await studio.examine(damaged).isDamaged : reason == .damaged
                    #expect(isMarked, "\(type)")
                }
            }
        }
    }
}
