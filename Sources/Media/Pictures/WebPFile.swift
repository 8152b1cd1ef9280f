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

/// How a WebP that breaks off is given to a library that would show nothing of it: with zeros up to the end of the chunk in
/// which it ends, and sizes that fit that.
package struct CutWebP: Sendable {
    /// Of the chunk in which the file ends; more than this would cost memory for nothing.
    private static let mostMissing: UInt64 = 64 << 20
    private static let mostChunks = 4096

    package let missingByteCount: Int
    /// False where nothing but the byte is missing that fills up a chunk of odd length.
    package let isDamage: Bool
    /// What RIFF is to name: the size of all behind it.
    package private(set) var overwrites = Overwrites()

    /// Nil for a file that is as long as it says, and for what is none.
    package init?(reading source: some ByteSource) {
        let reader = BoundedReader(source)
        guard let head = reader.bytes(at: 0, count: 12), head.has("RIFF"), head.has("WEBP", at: 8),
            let stated: UInt32 = head.integer(at: 4, isLittleEndian: true), UInt64(stated) + 8 > source.byteCount
        else { return nil }
        var (end, filled): (UInt64, UInt64) = (12, 12)
        for _ in 0..<Self.mostChunks {
            guard let chunk = reader.bytes(at: filled, count: 8),
                let length: UInt32 = chunk.integer(at: 4, isLittleEndian: true)
            else { break }
            end = filled + 8 + UInt64(length)
            filled = end + UInt64(length & 1)
            if filled >= source.byteCount { break }
        }
        // What is left of the head of another chunk is none.
        let total = max(filled, source.byteCount)
        guard end > 12, total - source.byteCount <= Self.mostMissing, let named = UInt32(exactly: total - 8) else {
            return nil
        }
        missingByteCount = Int(total - source.byteCount)
        isDamage = end != source.byteCount || UInt64(stated) + 8 > filled
        overwrites.put((0..<4).map { UInt8(truncatingIfNeeded: named >> ($0 * 8)) }, at: 4)
    }
}
