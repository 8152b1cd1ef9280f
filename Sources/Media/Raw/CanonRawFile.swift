/// Canon's CR3: boxes, in one of which lie four TIFF structures with EXIF's directories.
struct CanonRawFile {
    private static let maximumBlockByteCount = 1 << 20
    private static let metadataIdentifier: [UInt8] = [
        0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ]
    private static let previewIdentifier: [UInt8] = [
        0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
    ]

    private let reader: BoundedReader
    private let top: BoxList

    init(_ reader: BoundedReader) {
        self.reader = reader
        top = BoxList(reader)
    }

    var exif: ExifFacts? {
        guard let main = directory("CMT1") else { return nil }
        return ExifFacts(main: main, exif: directory("CMT2"), gps: directory("CMT4"))
    }

    var size: PictureSize? {
        guard let main = directory("CMT1"), let width = main.number(TIFFTag.imageWidth),
            let height = main.number(TIFFTag.imageLength)
        else { return nil }
        return PictureSize(width: width, height: height)
    }

    /// The full picture is the first track's only sample, a smaller one lies in a box of its own.
    var previews: [Range<UInt64>] { [firstSample, previewBox].compactMap(\.self) }

    private func directory(_ type: String) -> TIFFDirectory? {
        guard let block = metadata?.first(type).flatMap({ reader.payload($0, limit: Self.maximumBlockByteCount) }),
            let tiff = TIFFReader(BoundedReader(block))
        else { return nil }
        return tiff.directory(at: tiff.firstDirectory)
    }

    private var metadata: BoxList? {
        top.first("moov").flatMap { box(identified: Self.metadataIdentifier, in: reader.boxes(in: $0)) }
            .map { reader.boxes(in: $0, skipping: 16) }
    }

    private func box(identified identifier: [UInt8], in list: BoxList) -> Box? {
        list.boxes.first { $0.type == "uuid" && reader.bytes(at: $0.payload.lowerBound, count: 16) == identifier }
    }

    private var firstSample: Range<UInt64>? {
        guard let movie = top.first("moov"), let table = reader.box(["trak", "mdia", "minf", "stbl"], in: movie) else {
            return nil
        }
        let boxes = reader.boxes(in: table)
        guard let sizes = boxes.first("stsz").flatMap({ reader.bytes(at: $0.payload.lowerBound, count: 16) }),
            let chunk = boxes.first("co64").flatMap({ reader.bytes(at: $0.payload.lowerBound, count: 16) }),
            let common: UInt32 = sizes.integer(at: 4), let start: UInt64 = chunk.integer(at: 8)
        else { return nil }
        let own = common == 0 ? sizes.integer(UInt32.self, at: 12) : common
        return own.flatMap { start < reader.byteCount ? start..<min(start + UInt64($0), reader.byteCount) : nil }
    }

    /// After the identifier and 8 bytes lies a box `PRVW`, whose picture begins at byte 16 and whose length stands at 12.
    private var previewBox: Range<UInt64>? {
        guard let outer = box(identified: Self.previewIdentifier, in: top),
            let preview = reader.boxes(in: outer, skipping: 24).first("PRVW"),
            let head = reader.bytes(at: preview.payload.lowerBound, count: 16),
            let length: UInt32 = head.integer(at: 12)
        else { return nil }
        let start = preview.payload.lowerBound + 16
        let end = start + UInt64(length)
        return end <= preview.payload.upperBound ? start..<end : nil
    }
}
