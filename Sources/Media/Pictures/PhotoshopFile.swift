/// Photoshop's own files (PSD, and PSB for larger ones): the size, and the resources in which it keeps what others say too.
enum PhotoshopFile {
    /// Nil if none begins so.
    static func size(_ head: [UInt8]) -> PictureSize? {
        guard head.has("8BPS"), let version: UInt16 = head.integer(at: 4), version == 1 || version == 2,
            let height: UInt32 = head.integer(at: 14), let width: UInt32 = head.integer(at: 18)
        else { return nil }
        return PictureSize(width: width, height: height)
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
