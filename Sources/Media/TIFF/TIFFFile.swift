/// A TIFF file, or a raw file with TIFF's structure: its facts stand in the file itself.
struct TIFFFile {
    private static let maximumSubDirectoryCount = 16

    let tiff: TIFFReader
    /// The chain, and what its directories contain.
    let directories: [TIFFDirectory]

    init?(_ reader: BoundedReader) {
        guard let tiff = TIFFReader(reader) else { return nil }
        self.tiff = tiff
        directories = tiff.chain.flatMap { directory in
            [directory]
                + directory.numbers(TIFFTag.subDirectories).prefix(Self.maximumSubDirectoryCount)
                .compactMap { tiff.directory(at: UInt64($0)) }
        }
    }

    var exif: ExifFacts? { ExifFacts(tiff) }
    var xmp: XMPPacket? { directories.first?.bytes(of: TIFFTag.xmp).map(XMPPacket.init) }

    /// Of a raw file the sensor's picture, which is the largest; of a TIFF file its first picture.
    func size(isRaw: Bool) -> PictureSize? {
        guard isRaw else { return directories.first?.size }
        let exif = directories.first?.directory(TIFFTag.exifDirectory)
        let sizes = directories.compactMap { $0.panasonicSize ?? $0.size } + [exif?.exifSize].compactMap(\.self)
        return sizes.max { $0.width * $0.height < $1.width * $1.height }
    }
}

extension TIFFDirectory {
    fileprivate var size: PictureSize? { size(TIFFTag.imageWidth, TIFFTag.imageLength) }

    /// In an EXIF directory only.
    fileprivate var exifSize: PictureSize? { size(TIFFTag.pixelWidth, TIFFTag.pixelHeight) }

    private func size(_ widthTag: UInt16, _ heightTag: UInt16) -> PictureSize? {
        guard let width = number(widthTag), let height = number(heightTag),
            width < 1 << 24, height < 1 << 24
        else { return nil }
        return PictureSize(width: width, height: height)
    }

    /// The sensor without its dark borders: top, left, bottom and right stand in tags 4 to 7 of the first directory.
    fileprivate var panasonicSize: PictureSize? {
        let borders = (4...7).compactMap { number($0) }
        guard contains(1), contains(2), contains(3), borders.count == 4, borders.allSatisfy({ $0 < 1 << 24 }) else {
            return nil
        }
        return PictureSize(width: Int(borders[3]) - Int(borders[1]), height: Int(borders[2]) - Int(borders[0]))
    }
}

/// One image file directory: values by tag.
struct TIFFDirectory {
    static let entryByteCount = 12
    static let maximumEntryCount = 1024
    /// Limits one value: nothing that tells facts is longer, but for XMP packets and the like.
    static let maximumValueByteCount = 1 << 20

    let tiff: TIFFReader
    /// Where the next directory of the chain begins; 0 for none.
    let next: UInt64
    private let entries: [UInt16: Entry]

    private struct Entry {
        let type: UInt16
        let count: UInt32
        /// The value itself if it fits in four bytes, else its offset.
        let field: [UInt8]
    }

    /// The first entry of a tag leads.
    init(tiff: TIFFReader, body: [UInt8], next: UInt64) {
        self.tiff = tiff
        self.next = next
        var entries: [UInt16: Entry] = [:]
        for start in stride(from: 0, to: body.count, by: Self.entryByteCount) {
            guard let tag: UInt16 = body.integer(at: start, isLittleEndian: tiff.isLittleEndian),
                let type: UInt16 = body.integer(at: start + 2, isLittleEndian: tiff.isLittleEndian),
                let count: UInt32 = body.integer(at: start + 4, isLittleEndian: tiff.isLittleEndian),
                let field = body.bytes(at: start + 8, count: 4), entries[tag] == nil
            else { continue }
            entries[tag] = Entry(type: type, count: count, field: field)
        }
        self.entries = entries
    }

    func contains(_ tag: UInt16) -> Bool { entries[tag] != nil }

    /// Where the bytes of a value lie in the file, whatever their number.
    func range(of tag: UInt16) -> Range<UInt64>? {
        guard let entry = entries[tag], let size = Self.byteCount(ofType: entry.type) else { return nil }
        let length = UInt64(entry.count) * UInt64(size)
        guard length > 4, let offset = entry.field.integer(UInt32.self, at: 0, isLittleEndian: tiff.isLittleEndian),
            let start = tiff.position(of: UInt64(offset)), length <= tiff.reader.byteCount - start
        else { return nil }
        return start..<start + length
    }

    /// The bytes of a value.
    func bytes(of tag: UInt16) -> [UInt8]? {
        guard let entry = entries[tag], let size = Self.byteCount(ofType: entry.type) else { return nil }
        let length = UInt64(entry.count) * UInt64(size)
        if length <= 4 { return [UInt8](entry.field.prefix(Int(length))) }
        guard length <= UInt64(Self.maximumValueByteCount), let range = range(of: tag) else { return nil }
        return tiff.reader.bytes(at: range.lowerBound, count: Int(length))
    }

    func text(_ tag: UInt16) -> String? {
        guard let entry = entries[tag], [2, 7, 129].contains(entry.type) else { return nil }
        return bytes(of: tag)?.text
    }

    /// The whole numbers of a value, of which the first thousand count.
    func numbers(_ tag: UInt16) -> [UInt32] {
        guard let entry = entries[tag], let bytes = bytes(of: tag) else { return [] }
        let isLittleEndian = tiff.isLittleEndian
        let starts = stride(from: 0, to: bytes.count, by: Self.byteCount(ofType: entry.type) ?? 1).prefix(1000)
        return starts.compactMap { start in
            switch entry.type {
            case 1, 7: UInt32(bytes[start])
            // Some programs write signed numbers where none can be below zero: places, above all.
            case 3, 8: bytes.integer(UInt16.self, at: start, isLittleEndian: isLittleEndian).map(UInt32.init)
            case 4, 9, 13: bytes.integer(UInt32.self, at: start, isLittleEndian: isLittleEndian)
            default: nil
            }
        }
    }

    func number(_ tag: UInt16) -> UInt32? { numbers(tag).first }

    /// Quotients of a value; a denominator of zero makes nan.
    func rationals(_ tag: UInt16) -> [Double] {
        guard let entry = entries[tag], [5, 10].contains(entry.type), let bytes = bytes(of: tag) else { return [] }
        let isLittleEndian = tiff.isLittleEndian
        return stride(from: 0, to: bytes.count, by: 8).prefix(16).compactMap { start in
            guard let above = bytes.integer(UInt32.self, at: start, isLittleEndian: isLittleEndian),
                let below = bytes.integer(UInt32.self, at: start + 4, isLittleEndian: isLittleEndian)
            else { return nil }
            guard below != 0 else { return .nan }
            if entry.type == 5 { return Double(above) / Double(below) }
            return Double(Int32(bitPattern: above)) / Double(Int32(bitPattern: below))
        }
    }

    /// The directory that a value points to.
    func directory(_ tag: UInt16) -> TIFFDirectory? { number(tag).flatMap { tiff.directory(at: UInt64($0)) } }

    private static func byteCount(ofType type: UInt16) -> Int? {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }
}

/// Directories of a TIFF structure: of a TIFF or raw file, of an EXIF block, of a maker's note.
struct TIFFReader {
    let reader: BoundedReader
    /// Where the offsets in the structure count from.
    let base: UInt64
    let isLittleEndian: Bool
    let firstDirectory: UInt64

    /// 42 is TIFF's own number; Olympus and Panasonic use others for their raw files.
    private static let magicNumbers: Set<UInt16> = [42, 0x4F52, 0x5352, 0x55]

    /// Nil if there is no TIFF header at `base`.
    init?(_ reader: BoundedReader, base: UInt64 = 0) {
        guard let header = reader.bytes(at: base, count: 8) else { return nil }
        switch (header[0], header[1]) {
        case (0x49, 0x49): isLittleEndian = true
        case (0x4D, 0x4D): isLittleEndian = false
        default: return nil
        }
        guard let magic: UInt16 = header.integer(at: 2, isLittleEndian: isLittleEndian),
            Self.magicNumbers.contains(magic),
            let first: UInt32 = header.integer(at: 4, isLittleEndian: isLittleEndian)
        else { return nil }
        self.reader = reader
        self.base = base
        firstDirectory = UInt64(first)
    }

    /// A structure without a header of its own.
    init(_ reader: BoundedReader, base: UInt64, isLittleEndian: Bool, firstDirectory: UInt64) {
        self.reader = reader
        self.base = base
        self.isLittleEndian = isLittleEndian
        self.firstDirectory = firstDirectory
    }

    /// The directory at `offset` from `base`; nil where there is none. Entries beyond a sane number are left out.
    func directory(at offset: UInt64) -> TIFFDirectory? {
        guard let start = position(of: offset), let head = reader.bytes(at: start, count: 2),
            let stated: UInt16 = head.integer(at: 0, isLittleEndian: isLittleEndian), stated > 0
        else { return nil }
        let room = (reader.byteCount - start - 2) / UInt64(TIFFDirectory.entryByteCount)
        let count = min(Int(stated), TIFFDirectory.maximumEntryCount, Int(min(room, UInt64(UInt16.max))))
        guard let body = reader.bytes(at: start + 2, count: count * TIFFDirectory.entryByteCount) else { return nil }
        let next = reader.bytes(at: start + 2 + UInt64(body.count), count: 4)
            .flatMap { $0.integer(UInt32.self, at: 0, isLittleEndian: isLittleEndian) }
        return TIFFDirectory(tiff: self, body: body, next: next.map(UInt64.init) ?? 0)
    }

    /// Directory 0 and those chained to it, at most eight, none twice.
    var chain: [TIFFDirectory] {
        var (directories, seen, offset): ([TIFFDirectory], Set<UInt64>, UInt64) = ([], [], firstDirectory)
        while offset != 0, directories.count < 8, seen.insert(offset).inserted, let found = directory(at: offset) {
            directories.append(found)
            offset = found.next
        }
        return directories
    }

    /// Where an offset lies in the file; nil beyond its end.
    func position(of offset: UInt64) -> UInt64? {
        let (sum, overflow) = base.addingReportingOverflow(offset)
        return overflow || sum > reader.byteCount ? nil : sum
    }
}

/// Numbers of TIFF 6.0, EXIF 2.32 and DNG 1.4.
enum TIFFTag {
    static let newSubfileType: UInt16 = 0x00FE
    static let imageWidth: UInt16 = 0x0100
    static let imageLength: UInt16 = 0x0101
    static let compression: UInt16 = 0x0103
    static let photometric: UInt16 = 0x0106
    static let make: UInt16 = 0x010F
    static let model: UInt16 = 0x0110
    static let stripOffsets: UInt16 = 0x0111
    static let orientation: UInt16 = 0x0112
    static let stripByteCounts: UInt16 = 0x0117
    static let dateTime: UInt16 = 0x0132
    static let subDirectories: UInt16 = 0x014A
    static let jpegOffset: UInt16 = 0x0201
    static let jpegByteCount: UInt16 = 0x0202
    static let xmp: UInt16 = 0x02BC
    static let iptc: UInt16 = 0x83BB
    static let photoshop: UInt16 = 0x8649
    static let exifDirectory: UInt16 = 0x8769
    static let gpsDirectory: UInt16 = 0x8825
    static let dngVersion: UInt16 = 0xC612

    static let dateTimeOriginal: UInt16 = 0x9003
    static let dateTimeDigitized: UInt16 = 0x9004
    static let offsetTime: UInt16 = 0x9010
    static let offsetTimeOriginal: UInt16 = 0x9011
    static let offsetTimeDigitized: UInt16 = 0x9012
    static let makerNote: UInt16 = 0x927C
    static let subSecTime: UInt16 = 0x9290
    static let subSecTimeOriginal: UInt16 = 0x9291
    static let subSecTimeDigitized: UInt16 = 0x9292
    static let pixelWidth: UInt16 = 0xA002
    static let pixelHeight: UInt16 = 0xA003
    static let lensModel: UInt16 = 0xA434

    /// From here on, tags that stand in the GPS directory only.
    static let latitudeReference: UInt16 = 1
    static let latitude: UInt16 = 2
    static let longitudeReference: UInt16 = 3
    static let longitude: UInt16 = 4
    static let altitudeReference: UInt16 = 5
    static let altitude: UInt16 = 6
    static let timeStamp: UInt16 = 7
    static let dateStamp: UInt16 = 29

    /// Of Panasonic's raw files: a whole JPEG, and the sensor's borders.
    static let panasonicJPEG: UInt16 = 0x002E
}
