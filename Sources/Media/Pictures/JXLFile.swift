/// JPEG XL (ISO 18181): a codestream by itself, or in boxes beside EXIF and XMP, which are mostly packed.
enum JXLFile {
    private static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    private static let codestream: [UInt8] = [0xFF, 0x0A]

    static func begins(_ head: [UInt8]) -> Bool {
        head.starts(with: signature) || head.starts(with: codestream) && JXLHeader(head) != nil
    }

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        if reader.bytes(at: 0, count: 2) == codestream {
            take(header(at: 0..<reader.byteCount, reader), into: &facts)
            return facts
        }
        for box in BoxList(reader).boxes {
            switch box.type {
            case "jxlc" where facts.size == nil: take(header(at: box.payload, reader), into: &facts)
            // The first of its parts, behind its number.
            case "jxlp" where facts.size == nil:
                let start = min(box.payload.lowerBound + 4, box.payload.upperBound)
                take(header(at: start..<box.payload.upperBound, reader), into: &facts)
            case "Exif", "xml ": take(box.type, reader.metadata(in: box.payload), into: &facts)
            case "brob": takePacked(box, reader, into: &facts)
            default: break
            }
        }
        return facts
    }

    private static func take(_ type: String, _ content: [UInt8]?, into facts: inout PictureFacts) {
        if type == "Exif" { facts.exif = facts.exif ?? content.flatMap(HEIFFile.withoutHeader) }
        if type == "xml " { facts.xmp = facts.xmp ?? content }
    }

    /// The type of the box that was packed comes first.
    private static func takePacked(_ box: Box, _ reader: BoundedReader, into facts: inout PictureFacts) {
        guard let bytes = reader.metadata(in: box.payload), bytes.count > 4 else { return }
        let type = String(decoding: bytes[..<4], as: UTF8.self)
        guard type == "Exif" && facts.exif == nil || type == "xml " && facts.xmp == nil else { return }
        let content = reader.unpacked { BrotliExpansion.expanded([UInt8](bytes[4...]), atMost: $0) }
        take(type, content, into: &facts)
    }

    private static func header(at range: Range<UInt64>, _ reader: BoundedReader) -> JXLHeader? {
        let count = Int(min(UInt64(JXLHeader.byteCount), range.upperBound - range.lowerBound))
        return reader.bytes(at: range.lowerBound, count: count).flatMap { JXLHeader($0) }
    }

    private static func take(_ header: JXLHeader?, into facts: inout PictureFacts) {
        facts.size = header?.size
        facts.containerOrientation = header?.orientation
    }
}

/// The first bits of a codestream, the lowest of each byte first: `SizeHeader`, then as much of `ImageMetadata` as says how
/// the picture is turned, which decoders do by themselves.
struct JXLHeader {
    static let byteCount = 16

    let size: PictureSize
    let orientation: Orientation

    init?(_ head: [UInt8]) {
        guard head.starts(with: [0xFF, 0x0A]) else { return nil }
        var bits = LowBits([UInt8](head.prefix(Self.byteCount).dropFirst(2)))
        guard let size = Self.size(&bits), let isDefault = bits.take(1) else { return nil }
        self.size = size
        guard isDefault == 0, bits.take(1) == 1, let turn = bits.take(3) else {
            orientation = Orientation()
            return
        }
        orientation = Orientation(exif: turn + 1)
    }

    private static func size(_ bits: inout LowBits) -> PictureSize? {
        guard let isSmall = bits.take(1), let height = side(&bits, isSmall: isSmall == 1), let ratio = bits.take(3)
        else { return nil }
        let shapes = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        let width =
            ratio == 0 ? side(&bits, isSmall: isSmall == 1) : height * shapes[ratio - 1].0 / shapes[ratio - 1].1
        return width.flatMap { PictureSize(width: $0, height: height) }
    }

    private static func side(_ bits: inout LowBits, isSmall: Bool) -> Int? {
        if isSmall { return bits.take(5).map { ($0 + 1) * 8 } }
        guard let choice = bits.take(2) else { return nil }
        return bits.take([9, 13, 18, 30][choice]).map { $0 + 1 }
    }
}

/// Bits of bytes, the lowest first.
private struct LowBits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func take(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else { return nil }
        defer { position += count }
        return (0..<count).reduce(0) { value, index in
            let place = position + index
            return value | Int(bytes[place / 8] >> (place % 8) & 1) << index
        }
    }
}
