extension MediaType {
    /// The types that share the box structure of ISO 14496-12, told apart by the brands in `ftyp`.
    static func isoBaseMedia(_ head: [UInt8]) -> MediaType {
        let brands = brands(head)
        guard let major = brands.first, !soundBrands.contains(major) else { return .other }
        if let type = byMajorBrand(major) { return type }
        // Whatever leads it, one that says so of itself among others is a picture: new brands stand in front of known ones.
        if !isVideoBrand(major) {
            if let type = brands.lazy.compactMap(byMajorBrand).first(where: \.isPicture) { return type }
            if brands.contains(where: stillPictureBrands.contains) { return .heif }
        }
        return brands.contains(where: isVideoBrand) ? .mp4 : byBoxes(head)
    }

    /// Of sound alone, which is not looked into.
    private static let soundBrands: Set<String> = ["M4A ", "M4B ", "M4P ", "F4A ", "F4B ", "aax ", "aaxc"]

    /// Of brands that nobody here knows: makers have their own, and new ones come every year. A movie is one by its boxes.
    private static func byBoxes(_ head: [UInt8]) -> MediaType {
        var position = 0
        for _ in 0..<16 {
            guard let size: UInt32 = head.integer(at: position), let name = head.bytes(at: position + 4, count: 4)
            else {
                break
            }
            switch String(decoding: name, as: UTF8.self) {
            case "moov", "mdat", "moof", "sidx": return .mp4
            case _ where size < 8: return .other
            default: position += Int(size)
            }
        }
        return .other
    }

    /// Of pictures whose coding another brand tells, or none: of the image file format itself (ISO 23008-12), of MIAF
    /// (ISO 23000-22), of tone maps (ISO 21496), and of pictures in AVC, JPEG, JPEG 2000, VVC, EVC or no coding.
    private static let stillPictureBrands: Set<String> = [
        "mif1", "mif2", "mif3", "msf1", "miaf", "MiHB", "MiHA", "MiHE", "MiPr", "MiAB", "MA1A", "MA1B", "tmap", "avci",
        "avcs", "jpeg", "jpgs", "j2ki", "j2is", "vvic", "vvis", "evbi", "evbs", "evmi", "evms", "unif",
    ]

    /// The major brand, then the compatible ones.
    private static func brands(_ head: [UInt8]) -> [String] {
        guard head.count >= 12 else { return [] }
        let stated = head[..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(stated, head.count)
        let compatible = stride(from: 16, to: end - 3, by: 4)
        return ([8] + compatible).map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
    }

    private static func byMajorBrand(_ brand: String) -> MediaType? {
        switch brand {
        case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": .heic
        case "avif", "avis": .avif
        case "crx ": .cr3
        case "qt  ": .quickTime
        default: nil
        }
    }

    private static func isVideoBrand(_ brand: String) -> Bool {
        let exact: Set<String> = [
            "mp41", "mp42", "mp71", "avc1", "hvc1", "av01", "M4V ", "M4VH", "M4VP", "MSNV", "XAVC",
        ]
        return exact.contains(brand) || ["iso", "3gp", "3g2", "mmp", "das"].contains { brand.hasPrefix($0) }
    }

    /// WebM is Matroska with another `DocType`, which stands near the beginning of the EBML header.
    static func matroskaFamily(_ head: [UInt8]) -> MediaType {
        let header = head.prefix(256)
        for start in header.indices.dropLast(3) where header[start] == 0x42 && header[start + 1] == 0x82 {
            if Array(header[(start + 3)...]).has("webm") { return .webm }
            if Array(header[(start + 3)...]).has("matroska") { return .matroska }
        }
        return .other
    }

    /// TIFF and the raw formats built like it, told apart by the first directory if it lies among the first bytes.
    static func tiffFamily(_ head: [UInt8]) -> MediaType {
        guard let tiff = TIFFReader(BoundedReader(head)) else { return .other }
        if head.has("IIRO") || head.has("IIRS") || head.has("MMOR") { return .orf }
        if head.starts(with: [0x49, 0x49, 0x55, 0x00]) { return .rw2 }
        if head.has("CR", at: 8), head.has("II*\0") { return .cr2 }
        guard let first = tiff.directory(at: tiff.firstDirectory) else { return .tiff }
        if first.contains(TIFFTag.dngVersion) { return .dng }
        return first.isOfRawFile ? first.text(TIFFTag.make).flatMap(rawType) ?? .tiff : .tiff
    }

    private static func rawType(make: String) -> MediaType? {
        let makers: [(name: String, type: MediaType)] = [
            ("NIKON", .nef), ("SONY", .arw), ("PENTAX", .pef), ("RICOH", .pef), ("SAMSUNG", .srw),
        ]
        let make = make.uppercased()
        return makers.first { make.hasPrefix($0.name) }?.type
    }
}

extension TIFFDirectory {
    /// Raw files begin with a reduced picture, or with the sensor's data themselves; TIFF files of the same makers do not.
    fileprivate var isOfRawFile: Bool {
        let colourFilterArray: UInt32 = 32803
        let isReduced = number(TIFFTag.newSubfileType) == 1 && contains(TIFFTag.subDirectories)
        return isReduced || number(TIFFTag.photometric) == colourFilterArray
    }
}

extension MediaType {
    /// As many first bytes as `sniff` looks at.
    package static let headByteCount = 4096

    /// The type of a file that begins with `head`; fewer than `headByteCount` bytes only if the file is shorter.
    package static func sniff(_ head: some Collection<UInt8>) -> MediaType {
        let head = Array(head.prefix(headByteCount))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if head.has("GIF87a") || head.has("GIF89a") { return .gif }
        if head.has("RIFF"), head.has("WEBP", at: 8) { return .webp }
        if BitmapHeader(head) != nil { return .bmp }
        if JPEG2000File.begins(head) { return .jp2 }
        if JXLFile.begins(head) { return .jxl }
        if PhotoshopFile.size(head) != nil { return .psd }
        if IconDirectory(head) != nil { return .ico }
        if head.has("RIFF"), head.has("AVI ", at: 8) { return .avi }
        if ASFFile.begins(head) { return .asf }
        if head.starts(with: [0x00, 0x00, 0x01, 0xBA]) { return .mpegProgram }
        if ElementaryStream(head) != nil { return .mpegProgram }
        if head.has("FLV\u{1}"), head.count > 8, head[4] & 0xFA == 0 { return .flv }
        if TransportStream.layout(head) != nil { return .mpegTransport }
        if head.has("FUJIFILMCCD-RAW ") { return .raf }
        if head.has("ftyp", at: 4) { return isoBaseMedia(head) }
        if ["moov", "mdat", "wide"].contains(where: { head.has($0, at: 4) }) { return .quickTime }
        // Words that could stand in a text too, but not behind a zero byte.
        if head.first == 0, ["free", "skip", "pnot"].contains(where: { head.has($0, at: 4) }) { return .quickTime }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return matroskaFamily(head) }
        return tiffFamily(head)
    }
}

extension [UInt8] {
    /// Whether the bytes at `offset` are those of `text`.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= count, text.utf8CodeUnitCount <= count - offset else { return false }
        return text.withUTF8Buffer { self[offset..<offset + $0.count].elementsEqual($0) }
    }
}
