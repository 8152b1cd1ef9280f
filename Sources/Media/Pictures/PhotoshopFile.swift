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

/// Photoshop's image resources, in its own files and in those of others: `8BIM`, a number, a name, a length and the data,
/// with even lengths.
struct PhotoshopResources {
    private static let maximumCount = 1024
    static let introduction: StaticString = "Photoshop 3.0\0"

    private var places: [UInt16: Range<Int>] = [:]
    private let bytes: [UInt8]

    /// As far as they can be read.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var position = bytes.has(Self.introduction) ? Self.introduction.utf8CodeUnitCount : 0
        for _ in 0..<Self.maximumCount {
            guard bytes.has("8BIM", at: position), let number: UInt16 = bytes.integer(at: position + 4),
                let nameLength: UInt8 = bytes.integer(at: position + 6)
            else { return }
            let start = position + 6 + (Int(nameLength) + 2) / 2 * 2
            guard let length: UInt32 = bytes.integer(at: start), Int(length) <= bytes.count - start - 4 else { return }
            let end = start + 4 + Int(length)
            if places[number] == nil { places[number] = start + 4..<end }
            position = end + Int(length & 1)
        }
    }

    subscript(number: UInt16) -> [UInt8]? { places[number].map { [UInt8](bytes[$0]) } }
}
