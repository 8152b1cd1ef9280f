/// Photoshop's own files (PSD, and PSB for larger ones): the size, and the resources in which it keeps what others say too.
enum PhotoshopFile {
    /// Nil if none begins so.
    static func size(_ head: [UInt8]) -> PictureSize? {
        guard head.has("8BPS"), let version: UInt16 = head.integer(at: 4), version == 1 || version == 2,
            let height: UInt32 = head.integer(at: 14), let width: UInt32 = head.integer(at: 18)
        else { return nil }
        return PictureSize(width: width, height: height)
    }

    private static let mostResources = 1024
    private static let thumbnailHeaderByteCount: UInt64 = 28

    /// The JPEG by which other programs show the file (resource 1036), which is of 160 pixels mostly.
    static func thumbnail(_ reader: BoundedReader) -> Range<UInt64>? {
        guard let colours: UInt32 = reader.bytes(at: 26, count: 4)?.integer(at: 0) else { return nil }
        var position = 34 + UInt64(colours)
        for _ in 0..<mostResources {
            guard let head = reader.bytes(at: position, count: 7), head.has("8BIM"),
                let number: UInt16 = head.integer(at: 4)
            else { return nil }
            // A name of even length with its count.
            let start = position + 6 + (UInt64(head[6]) + 2) / 2 * 2
            guard let length: UInt32 = reader.bytes(at: start, count: 4)?.integer(at: 0) else { return nil }
            let data = start + 4..<start + 4 + UInt64(length)
            if number == 0x040C, UInt64(length) > thumbnailHeaderByteCount, data.upperBound <= reader.byteCount {
                return data.lowerBound + thumbnailHeaderByteCount..<data.upperBound
            }
            position = data.upperBound + UInt64(length & 1)
        }
        return nil
    }

    static func facts(_ reader: BoundedReader) -> PictureFacts {
        var facts = PictureFacts()
        guard let head = reader.bytes(at: 0, count: 30), let colours: UInt32 = head.integer(at: 26) else {
            return facts
        }
        facts.size = size(head)
        let place = 30 + UInt64(colours)
        guard let length = reader.bytes(at: place, count: 4)?.integer(UInt32.self, at: 0),
            let bytes = reader.metadata(in: place + 4..<place + 4 + UInt64(length))
        else { return facts }
        let resources = PhotoshopResources(bytes)
        facts.exif = resources[0x0422].map(JPEGHeader.withoutIntroduction)
        facts.xmp = resources[0x0424]
        facts.iptc = IPTCBlock(resources)
        return facts
    }
}
