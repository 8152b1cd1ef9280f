/// JPEG 2000 (ISO 15444-1): a codestream by itself, or in boxes beside EXIF, XMP and IPTC.
enum JPEG2000File {
    /// How a file of boxes begins, and a codestream with the size behind it.
    static let signature: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    private static let codestream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]
    private static let exif: [UInt8] = Array("JpgTiffExif->JP2".utf8)
    private static let xmp: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
    ]
    private static let iptc: [UInt8] = [
        0x33, 0xC7, 0xA4, 0xD2, 0xB8, 0x1D, 0x47, 0x23, 0xA0, 0xBA, 0xF1, 0xA3, 0xE0, 0x97, 0xAD, 0x38,
    ]

    /// A picture, not the moving ones (`mjp2`) nor the documents (`jpm `) that begin in the same way.
    static func begins(_ head: [UInt8]) -> Bool {
        if head.starts(with: codestream) { return true }
        guard head.starts(with: signature), head.has("ftyp", at: 16) else { return false }
        return ["jp2 ", "jpx ", "jph "].contains { head.has($0, at: 20) }
    }

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        if let head = reader.bytes(at: 0, count: 24), head.starts(with: codestream) {
            facts.size = codestreamSize(head)
            return facts
        }
        for box in BoxList(reader).boxes {
            switch box.type {
            case "jp2h": facts.size = facts.size ?? size(in: box, reader)
            case "uuid": take(box.payload, reader, into: &facts)
            // Any XML may stand there.
            case "xml " where facts.xmp == nil:
                facts.xmp = reader.metadata(in: box.payload).flatMap { $0.has("<?xpacket") ? $0 : nil }
            default: break
            }
        }
        return facts
    }

    /// SIZ: the reference grid without what lies left of the picture and above it.
    private static func codestreamSize(_ head: [UInt8]) -> PictureSize? {
        let numbers = (0..<4).compactMap { head.integer(UInt32.self, at: 8 + $0 * 4) }
        guard numbers.count == 4, numbers[0] > numbers[2], numbers[1] > numbers[3] else { return nil }
        return PictureSize(width: numbers[0] - numbers[2], height: numbers[1] - numbers[3])
    }

    private static func size(in box: Box, _ reader: BoundedReader) -> PictureSize? {
        guard let header = reader.boxes(in: box).first("ihdr").flatMap({ reader.payload($0, limit: 64) }),
            let height: UInt32 = header.integer(at: 0), let width: UInt32 = header.integer(at: 4)
        else { return nil }
        return PictureSize(width: width, height: height)
    }

    private static func take(_ range: Range<UInt64>, _ reader: BoundedReader, into facts: inout PictureFacts) {
        guard range.upperBound - range.lowerBound > 16, let id = reader.bytes(at: range.lowerBound, count: 16) else {
            return
        }
        let content = range.lowerBound + 16..<range.upperBound
        switch id {
        case exif where facts.exif == nil:
            facts.exif = reader.metadata(in: content).map(JPEGHeader.withoutIntroduction)
        case xmp where facts.xmp == nil: facts.xmp = reader.metadata(in: content)
        case iptc where facts.iptc == nil: facts.iptc = reader.metadata(in: content).map(IPTCBlock.init(records:))
        default: break
        }
    }
}
