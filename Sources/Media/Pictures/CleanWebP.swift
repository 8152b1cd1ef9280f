/// What of a WebP (RFC 9649) a clean copy keeps: the picture, its frames, transparency and colour profile. EXIF becomes a block
/// with the orientation where it says one; other chunks become one of zeros that nobody knows.
struct CleanWebP {
    private static let pictures: Set<String> = ["VP8 ", "VP8L", "ALPH"]
    private static let unknown = Array("JUNK".utf8)
    /// Of `VP8X`: that there is EXIF, that there is XMP.
    private static let (exifFlag, xmpFlag): (UInt8, UInt8) = (0x08, 0x04)

    private let reader: BoundedReader
    private(set) var overwrites = Overwrites()
    private var hasPicture = false
    private var hasExif = false
    /// Where the flags stand, and what they say.
    private var flags: (place: UInt64, value: UInt8)?

    /// - Throws: `noCleanCopy` for what has no header of a WebP and no picture.
    init(_ reader: BoundedReader) throws(MediaError) {
        self.reader = reader
        guard let head = reader.bytes(at: 0, count: 12), head.has("RIFF"), head.has("WEBP", at: 8),
            let stated: UInt32 = head.integer(at: 4, isLittleEndian: true)
        else { throw .noCleanCopy }
        let end = min(UInt64(stated) + 8, reader.byteCount)
        guard end >= 12 else { throw .noCleanCopy }
        overwrites.clear(end..<reader.byteCount)
        try take(12..<end, isFrame: false)
        guard hasPicture else { throw .noCleanCopy }
        if let flags {
            let kept = flags.value & ~(Self.xmpFlag | (hasExif ? 0 : Self.exifFlag))
            overwrites.put([kept, 0, 0, 0], at: flags.place)
        }
    }

    private mutating func take(_ range: Range<UInt64>, isFrame: Bool) throws(MediaError) {
        var position = range.lowerBound
        while position < range.upperBound {
            guard range.upperBound - position >= 8 else {
                overwrites.clear(position..<range.upperBound)
                return
            }
            guard let head = reader.bytes(at: position, count: 8),
                let length: UInt32 = head.integer(at: 4, isLittleEndian: true)
            else { throw .noCleanCopy }
            let end = min(position + 8 + UInt64(length), range.upperBound)
            let next = min(position + 8 + UInt64(length) + UInt64(length & 1), range.upperBound)
            try take(String(decoding: head[..<4], as: UTF8.self), position + 8..<end, isFrame: isFrame)
            // A byte that fills up.
            overwrites.clear(end..<next)
            position = next
        }
    }

    private mutating func take(_ type: String, _ content: Range<UInt64>, isFrame: Bool) throws(MediaError) {
        switch type {
        case _ where Self.pictures.contains(type): hasPicture = hasPicture || type != "ALPH"
        case "ICCP" where !isFrame: break
        case "ANIM" where !isFrame && content.count >= 6: overwrites.clear(content.lowerBound + 6..<content.upperBound)
        case "ANMF" where !isFrame && content.count >= 16:
            try take(content.lowerBound + 16..<content.upperBound, isFrame: true)
        case "VP8X" where !isFrame && flags == nil && content.count >= 10:
            guard let value = reader.bytes(at: content.lowerBound, count: 1)?.first else { throw .noCleanCopy }
            flags = (content.lowerBound, value)
            overwrites.clear(content.lowerBound + 10..<content.upperBound)
        case "EXIF" where !isFrame && !hasExif:
            guard let exif = reader.metadata(in: content).map(JPEGHeader.withoutIntroduction),
                let block = CleanExif.block(for: exif), block.count <= content.count
            else { return drop(content) }
            hasExif = true
            overwrites.put(block, at: content.lowerBound)
            overwrites.clear(content.lowerBound + UInt64(block.count)..<content.upperBound)
        default: drop(content)
        }
    }

    private mutating func drop(_ content: Range<UInt64>) {
        overwrites.put(Self.unknown, at: content.lowerBound - 8)
        overwrites.clear(content)
    }
}
