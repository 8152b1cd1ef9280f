/// GIF: the size of the logical screen, and the XMP packet among the blocks before the first picture.
enum GIFFile {
    private static let mostBlocks = 64
    private static let longestPacket = 256 << 10

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        guard let head = reader.bytes(at: 0, count: 13),
            let width: UInt16 = head.integer(at: 6, isLittleEndian: true),
            let height: UInt16 = head.integer(at: 8, isLittleEndian: true)
        else { return facts }
        facts.size = PictureSize(width: width, height: height)
        let palette: UInt64 = head[10] & 0x80 == 0 ? 0 : 3 << (UInt64(head[10] & 7) + 1)
        facts.xmp = packet(reader, from: 13 + palette)
        return facts
    }

    /// The packet is no chain of short blocks like others: it stands there as it is, and 258 bytes behind it lead whoever
    /// takes it for one to its end.
    private static func packet(_ reader: BoundedReader, from start: UInt64) -> [UInt8]? {
        var position = start
        for _ in 0..<mostBlocks {
            guard let head = reader.bytes(at: position, count: 14), head[0] == 0x21 else { return nil }
            if head[1] == 0xFF, head.has("XMP DataXMP", at: 3) {
                let count = min(UInt64(longestPacket), reader.byteCount - position - 14)
                return reader.bytes(at: position + 14, count: Int(count)).map { Array($0.prefix { $0 > 1 }) }
            }
            position += 2
            while let length = reader.bytes(at: position, count: 1)?.first, length > 0 {
                position += UInt64(length) + 1
            }
            position += 1
        }
        return nil
    }
}
