import CZlib
import Foundation
import TestSupport

@testable import Media

/// Files with a word wherever their format can hold one.
enum PlantedFiles {
    enum Kind: CaseIterable, Sendable { case jpeg, png, webp, heic, mp4, mov, fragments }

    static let word = Array("SeCrEt-48.1N".utf8)

    static func file(_ kind: Kind) throws -> (bytes: [UInt8], places: Int) {
        switch kind {
        case .jpeg: return jpeg
        case .png: return try png()
        case .webp: return try webp()
        case .heic: return heif()
        case .mp4: return try movie("a.mp4", [])
        case .mov: return try movie("a.mov", ["-timecode", "10:00:00:00"])
        case .fragments: return try movie("f.mp4", ["-movflags", "frag_keyframe+empty_moov", "-g", "10"])
        }
    }

    private static func box(_ type: String, _ contents: [[UInt8]]) -> [UInt8] {
        MadeFiles.box(type, Array(contents.joined()))
    }

    private static var exif: [UInt8] {
        TIFFBuilder.file([
            [
                TIFFBuilder.Entry(TIFFTag.make, .text(String(decoding: word, as: UTF8.self))),
                .init(TIFFTag.orientation, .shorts([6])),
            ]
        ])
    }

    // MARK: JPEG

    private static var jpeg: (bytes: [UInt8], places: Int) {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker] + MadeFiles.big(UInt16(payload.count + 2)) + payload
        }
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0xFF, 0x00, 0x34]
        let jfif = Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 0, 72, 2, 2] + word
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + word
        let head = [0xFF, 0xD8] + segment(0xE0, jfif) + segment(0xE1, Array("Exif\0\0".utf8) + exif)
        let others = [UInt8](0xE0...0xEF).flatMap { segment($0, word) } + segment(0xFE, word) + segment(0xF0, word)
        let between = segment(0xE1, xmp) + word + segment(0xE1, Array("Exif\0\0".utf8) + exif)
        return (head + others + between + frame + scan + segment(0xFE, word) + scan + [0xFF, 0xD9] + word, 25)
    }

    // MARK: PNG

    private static func png() throws -> (bytes: [UInt8], places: Int) {
        let plain = try made("a.png", ["-frames:v", "1"])
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let named = Array(name.utf8) + content
            return MadeFiles.big(UInt32(content.count)) + named
                + MadeFiles.big(UInt32(crc32(0, named, UInt32(named.count))))
        }
        // Behind the header of 33 bytes.
        let text = word + [0] + word
        let planted =
            chunk("tEXt", text) + chunk("iTXt", word + [0, 0, 0, 0, 0] + word) + chunk("zTXt", text)
            + chunk("eXIf", exif)
            + chunk("tIME", word) + chunk("prVt", word) + chunk("gAMA", word) + chunk("sPLT", text)
            + chunk("eXIf", exif)
        return (Array(plain[..<33]) + planted + plain[33...] + word, 13)
    }

    // MARK: WebP

    private static func webp() throws -> (bytes: [UInt8], places: Int) {
        let plain = try made("a.webp", ["-c:v", "libwebp_anim", "-loop", "0"])
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + MadeFiles.little(UInt32(content.count)) + content
                + [UInt8](repeating: 0x53, count: content.count % 2)
        }
        var frame = Array(plain[12...])
        // Into the first frame, too.
        if let place = frame.place(of: Array("ANMF".utf8)),
            let size: UInt32 = frame.integer(at: place + 4, isLittleEndian: true)
        {
            let more = chunk("what", word)
            frame.insert(contentsOf: more, at: place + 8 + Int(size))
            frame.replaceSubrange(place + 4..<place + 8, with: MadeFiles.little(size + UInt32(more.count)))
        }
        frame[8] |= 0x0C
        let content = Array("WEBP".utf8) + frame + chunk("EXIF", exif) + chunk("XMP ", word) + chunk("abcd", word + [1])
        return (Array("RIFF".utf8) + MadeFiles.little(UInt32(content.count)) + content + word, 5)
    }

    private static func made(_ name: String, _ options: [String]) throws -> [UInt8] {
        let input = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=1"]
        let maker = try VideoMaker()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: try maker.make(name, options, input: input))))
    }

    // MARK: HEIF

    enum HEIFFault: CaseIterable {
        case outside, behind, inHeader, elsewhere, overExif, wholeFile, fromItem, primary, twoTables
    }

    /// A picture of one item, with items of EXIF, XMP and an address beside it, and boxes of all kinds.
    static func heif(_ fault: HEIFFault? = nil) -> (bytes: [UInt8], places: Int) {
        func full(_ type: String, _ payload: [UInt8], version: UInt8 = 0) -> [UInt8] {
            box(type, [[version, 0, 0, 0] + payload])
        }
        let picture = [UInt8](repeating: 0xA5, count: 40)
        let exifItem: [UInt8] = [0, 0, 0, 0] + exif
        let items: [(String, [UInt8], [UInt8])] = [
            (fault == .primary ? "jpeg" : "hvc1", word + [0], picture), ("Exif", word + [0], exifItem),
            ("mime", word + [0] + word + [0], word), ("uri ", word + [0] + word + [0], word), ("what", word, word),
        ]
        let infos = items.enumerated().flatMap { number, item in
            full("infe", [0, UInt8(number + 1), 0, 0] + Array(item.0.utf8) + item.1, version: 2)
        }
        let properties =
            full("ispe", MadeFiles.big(UInt32(64)) + MadeFiles.big(UInt32(48)) + word) + box("irot", [[3] + word])
            + box("hvcC", [[1, 2, 3]]) + full("udes", word) + full("auxC", Array("urn:".utf8) + word + [0])
            + box("colr", [Array("nclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80] + word]) + full("mdft", word)
            + box("uuid", [word])
        let associations = full("ipma", [0, 0, 0, 1, 0, 1, 3, 1, 0x82, 0x83] + word)
        func meta(_ start: Int) -> [UInt8] {
            var place = start
            var locations: [UInt8] = [0x44, 0, 0, UInt8(items.count)]
            for (number, item) in items.enumerated() {
                var (offset, length, method) = (place, item.2.count, UInt8(0))
                if number == 0 {
                    switch fault {
                    case .outside: offset = 1 << 20
                    // In the box behind the one for samples.
                    case .behind:
                        let content = items.reduce(0) { $0 + $1.2.count + word.count }
                        (offset, length) = (start + content + 8, word.count)
                    case .inHeader: (offset, length) = (40, 40)
                    case .overExif: length += 8
                    case .wholeFile: length = 0
                    case .fromItem: method = 2
                    default: break
                    }
                }
                let file: [UInt8] = number == 0 && fault == .elsewhere ? [0, 1] : [0, 0]
                locations +=
                    [0, UInt8(number + 1), 0, method] + file + [0, 1] + MadeFiles.big(UInt32(offset))
                    + MadeFiles.big(UInt32(length))
                // Something of nobody's lies between them.
                place += item.2.count + (number == 0 && fault == .overExif ? 0 : word.count)
            }
            let location = full("iloc", locations + word, version: 1)
            let boxes: [[UInt8]] = [
                full("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 12) + word),
                full("pitm", [0, 1] + word),
                full("iinf", [0, UInt8(items.count)] + infos), location, fault == .twoTables ? location : [],
                full("iref", box("cdsc", [[0, 2, 0, 1, 0, 1] + word])),
                box("iprp", [box("ipco", [properties]), associations]),
                box("idat", [word]), box("uuid", [word]), full("dinf", word), box("grpl", [full("brst", word)]),
            ]
            return full("meta", boxes.flatMap(\.self))
        }
        let head = box("ftyp", [Array("heic".utf8) + Array("SeCr".utf8) + Array("mif1heicSeCr".utf8)])
        let size = head.count + meta(0).count + 8
        var content: [UInt8] = []
        for (number, item) in items.enumerated() { content += item.2 + (number == 0 && fault == .overExif ? [] : word) }
        let behind = box("mpvd", [word]) + box("free", [word]) + box("uuid", [word]) + word + word
        return (head + meta(size) + box("mdat", [content]) + behind, 30)
    }

    // MARK: Movies

    static let soundAndPicture = [
        "-f", "lavfi", "-i", "testsrc=size=160x120:rate=15:duration=2", "-f", "lavfi", "-i",
        "sine=frequency=440:duration=2",
    ]

    private static let said: [String] = [
        "-metadata", "location=+40.7887-004.0051/", "-metadata", "creation_time=2021-04-11T20:47:53Z",
        "-metadata", "comment=SeCrEt-48.1N", "-metadata:s:v", "handler_name=SeCrEt-48.1N", "-metadata:s:a",
        "handler_name=SeCrEt-48.1N", "-metadata:s:v", "encoder=SeCrEt-48.1N",
    ]

    /// Options of ffmpeg; the last one is the name of the file.
    static let videos: [[String]] = [
        ["-c:v", "libx264", "-c:a", "aac", "a.mp4"],
        ["-c:v", "libx264", "-c:a", "aac", "-movflags", "+faststart", "b.mp4"],
        ["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1", "-c:a", "aac", "c.mov"],
        ["-c:v", "mpeg4", "-c:a", "pcm_s16le", "-ac", "2", "d.mov"],
        ["-c:v", "prores", "-c:a", "pcm_s24le", "-ac", "2", "e.mov"],
        ["-c:v", "mpeg4", "-c:a", "adpcm_ima_qt", "-ac", "2", "f.mov"],
        ["-c:v", "mpeg4", "-c:a", "pcm_mulaw", "g.mov"],
        ["-c:v", "mpeg4", "-c:a", "alac", "-timecode", "10:00:00:00", "h.mov"],
        ["-c:v", "libx264", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-g", "10", "i.mp4"],
        ["-c:v", "libx264", "-c:a", "aac", "-movflags", "dash+global_sidx+frag_keyframe", "-g", "10", "j.mp4"],
        [
            "-c:v", "libx264", "-bf", "3", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof",
            "k.mp4",
        ],
    ].map { ["-pix_fmt", "yuv420p"] + said + $0 }

    /// With a track of words, and boxes of words in all that hold boxes.
    private static func movie(_ name: String, _ options: [String]) throws -> (bytes: [UInt8], places: Int) {
        let maker = try VideoMaker()
        let words = maker.folder.appendingPathComponent("words.srt")
        try Data("1\n00:00:00,000 --> 00:00:01,500\nSeCrEt-48.1N\n".utf8).write(to: words)
        let path = try maker.make(
            name,
            ["-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-c:a", "aac", "-c:s", "mov_text"] + said
                + options,
            input: soundAndPicture + ["-i", words.path])
        let plain = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let planted =
            box("udta", [box("©xyz", [[0, 12, 0, 0] + word])]) + box("meta", [word]) + box("uuid", [word])
            + box("what", [word])
        var count = 0
        /// What lies behind is moved, so that only boxes grow that lie behind the samples, or in front of none.
        func grown(_ bytes: [UInt8], _ range: Range<UInt64>) -> [UInt8] {
            let reader = BoundedReader(bytes)
            return BoxList(reader, in: range).boxes.flatMap { inner -> [UInt8] in
                let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl", "dinf", "edts"]
                guard containers.contains(inner.type) else {
                    return Array(bytes[Int(inner.start)..<Int(inner.payload.upperBound)])
                }
                count += 4
                return box(inner.type, [grown(bytes, inner.payload), planted])
            }
        }
        let isBehind = (plain.place(of: Array("mdat".utf8)) ?? 0) < (plain.place(of: Array("moov".utf8)) ?? 0)
        let whole = isBehind ? grown(plain, 0..<UInt64(plain.count)) : plain
        let behind =
            box("free", [word]) + box("skip", [word]) + box("meta", [word]) + box("uuid", [word]) + box("mdat", [word])
            + word + word
        return (whole + behind, count + 8)
    }
}
