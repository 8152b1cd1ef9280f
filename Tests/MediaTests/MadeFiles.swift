@testable import Media

/// Small files put together byte by byte, as cameras and programs write them.
enum MadeFiles {
    // MARK: JPEG

    /// The header of a picture of 640 × 480.
    static func jpeg(
        exif: [UInt8]? = nil, xmp: String? = nil, iptc: [(UInt8, String)] = [], casio: String? = nil
    ) -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8]
        if let exif { file += segment(0xE1, Array("Exif\0\0".utf8) + exif) }
        if let xmp { file += segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8)) }
        if let casio {
            let start: [UInt8] = Array("QVCI".utf8) + [UInt8](repeating: 0, count: 0x49)
            file += segment(0xE1, start + Array(casio.utf8) + [0, 0, 0])
        }
        if !iptc.isEmpty { file += segment(0xED, Array("Photoshop 3.0\0".utf8) + resource(iptc)) }
        file += segment(0xC0, [8, 1, 0xE0, 2, 0x80, 1, 1, 0x11, 0])
        return file + [0xFF, 0xDA]
    }

    /// EXIF's directories with texts.
    static func exif(
        main: [UInt16: String] = [:], exif: [UInt16: String] = [:], gps: [TIFFBuilder.Entry] = []
    ) -> [UInt8] {
        func entries(_ texts: [UInt16: String]) -> [TIFFBuilder.Entry] {
            texts.sorted { $0.key < $1.key }.map { TIFFBuilder.Entry($0.key, .text($0.value)) }
        }
        var first = entries(main)
        if !exif.isEmpty { first.append(.init(TIFFTag.exifDirectory, .directory(entries(exif)))) }
        if !gps.isEmpty { first.append(.init(TIFFTag.gpsDirectory, .directory(gps))) }
        return TIFFBuilder.file([first])
    }

    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(UInt16(payload.count + 2)) + payload
    }

    private static func press(_ records: [(UInt8, String)]) -> [UInt8] {
        records.flatMap { number, text in [0x1C, 2, number] + big(UInt16(text.utf8.count)) + Array(text.utf8) }
    }

    /// A JPEG with blocks behind it, of which the second is the press's (AXS File Concatenation Protocol).
    static func jpeg(appended records: [(UInt8, String)], isLittleEndian: Bool, behind head: [UInt8]) -> [UInt8] {
        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            isLittleEndian ? little(value) : big(value)
        }
        let block = press(records)
        let signs = Array((isLittleEndian ? "AXS*" : "AXS!").utf8)
        let content = UInt32(head.count + 36)
        var file = head + signs + number(1 as UInt16) + number(2 as UInt16) + [0, 0, 0, 0]
        file += Array("TEXT".utf8) + number(3 as UInt32) + number(content)
        file += Array("IPTC".utf8) + number(UInt32(block.count)) + number(content + 3) + [1, 2, 3]
        return file + block + signs + number(UInt32(head.count)) + [0, 0, 0, 0]
    }

    /// Photoshop's resource of IPTC records, behind another one with an odd length.
    private static func resource(_ records: [(UInt8, String)]) -> [UInt8] {
        let block = press(records)
        var bytes: [UInt8] = Array("8BIM".utf8)
        bytes += [4, 0x0A, 1, 0x61, 0, 0, 0, 1, 7, 0]
        bytes += Array("8BIM".utf8)
        bytes += [4, 4, 0, 0]
        bytes += big(UInt32(block.count))
        return bytes + block
    }

    // MARK: PNG

    static func png(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = big(UInt32(8)) + big(UInt32(6)) + [8, 2, 0, 0, 0]
        for (name, content) in [("IHDR", header)] + chunks + [("IEND", [])] {
            file += big(UInt32(content.count))
            file += Array(name.utf8)
            file += content
            file += [0, 0, 0, 0]
        }
        return file
    }

    // MARK: MP4

    static func box(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
        let inside: [UInt8] = Array(payload.joined())
        // Latin-1, for Apple's begin with ©.
        let name: [UInt8] = type.unicodeScalars.map { UInt8($0.value) }
        return big(UInt32(8 + inside.count)) + name + inside
    }

    /// A movie without pictures.
    static func movie(creation: UInt32, in movie: [UInt8] = [], behind: [UInt8] = []) -> [UInt8] {
        var times: [UInt8] = [0, 0, 0, 0]
        for number in [creation, creation, 1000, 2000] { times += big(number) }
        let header = box("mvhd", times + [UInt8](repeating: 0, count: 80))
        return box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]) + box("moov", header, movie) + behind
    }

    /// Seconds since 1904 of a text.
    static func seconds(_ text: String) -> UInt32 {
        UInt32((CivilTime(text)?.wallClockMilliseconds ?? 0) / 1000 + 2_082_844_800)
    }

    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
