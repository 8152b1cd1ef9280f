/// WebP: RIFF chunks (RFC 9649).
enum WebPFile {
    private static let maximumChunkCount = 1024

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        var position: UInt64 = 12
        for _ in 0..<maximumChunkCount {
            guard let head = reader.bytes(at: position, count: 8),
                let length: UInt32 = head.integer(at: 4, isLittleEndian: true)
            else { break }
            let type = String(decoding: head[..<4], as: UTF8.self)
            let end = position + 8 + UInt64(length)
            take(type, position + 8..<end, reader, into: &facts)
            position = end + UInt64(length & 1)
        }
        return facts
    }

    private static func take(
        _ type: String, _ range: Range<UInt64>, _ reader: BoundedReader, into facts: inout PictureFacts
    ) {
        switch type {
        case "VP8X", "VP8 ", "VP8L":
            guard facts.size == nil, let head = reader.bytes(at: range.lowerBound, count: 10) else { return }
            facts.size = size(type, head)
            facts.isAnimated = type == "VP8X" && head[0] & 0x02 != 0
        case "EXIF" where facts.exif == nil:
            facts.exif = reader.metadata(in: range).map(JPEGHeader.withoutIntroduction)
        case "XMP " where facts.xmp == nil: facts.xmp = reader.metadata(in: range)
        default: break
        }
    }

    private static func size(_ type: String, _ head: [UInt8]) -> PictureSize? {
        func number(at offset: Int, bytes: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(head[offset + $1]) << (8 * $1) }
        }
        switch type {
        case "VP8X": return PictureSize(width: number(at: 4, bytes: 3) + 1, height: number(at: 7, bytes: 3) + 1)
        case "VP8L":
            let bits = number(at: 1, bytes: 4)
            return head[0] == 0x2F ? PictureSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1) : nil
        default:
            guard head[3] == 0x9D, head[4] == 0x01, head[5] == 0x2A else { return nil }
            return PictureSize(width: number(at: 6, bytes: 2) & 0x3FFF, height: number(at: 8, bytes: 2) & 0x3FFF)
        }
    }
}
