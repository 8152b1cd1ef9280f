/// Windows Media: the objects of the header, told apart by numbers of 16 bytes (Advanced Systems Format 1.2).
struct ASFFile {
    private static let header: [UInt8] = [
        0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
    ]
    private static let fileProperties: [UInt8] = [
        0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
    ]
    private static let streamProperties: [UInt8] = [
        0x91, 0x07, 0xDC, 0xB7, 0xB7, 0xA9, 0xCF, 0x11, 0x8E, 0xE6, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
    ]
    private static let video: [UInt8] = [
        0xC0, 0xEF, 0x19, 0xBC, 0x4D, 0x5B, 0xCF, 0x11, 0xA8, 0xFD, 0x00, 0x80, 0x5F, 0x5C, 0x44, 0x2B,
    ]
    /// From 1601 to 1970, in tenths of a microsecond.
    private static let epoch: UInt64 = 116_444_736_000_000_000

    private(set) var size: PictureSize?
    private(set) var duration: Duration?
    private(set) var createdAt: CaptureTime?

    static func begins(_ head: [UInt8]) -> Bool { head.starts(with: header) }

    init(_ reader: BoundedReader) {
        guard let head = reader.bytes(at: 0, count: 30), Self.begins(head) else { return }
        var position: UInt64 = 30
        for _ in 0..<64 {
            guard let start = reader.bytes(at: position, count: 24),
                let length: UInt64 = start.integer(at: 16, isLittleEndian: true), length >= 24,
                length <= reader.byteCount - position
            else { return }
            let object = reader.bytes(at: position + 24, count: Int(min(length - 24, 128))) ?? []
            if start.starts(with: Self.fileProperties) { takeFile(object) }
            if start.starts(with: Self.streamProperties), object.starts(with: Self.video) { takeStream(object) }
            position += length
        }
    }

    private mutating func takeFile(_ object: [UInt8]) {
        if let ticks: UInt64 = object.integer(at: 24, isLittleEndian: true), ticks > Self.epoch {
            let milliseconds = Int64((ticks - Self.epoch) / 10_000)
            createdAt = CaptureTime(milliseconds: milliseconds, isInstant: true, source: .container)
        }
        guard let play: UInt64 = object.integer(at: 40, isLittleEndian: true),
            let preroll: UInt64 = object.integer(at: 56, isLittleEndian: true)
        else { return }
        let (lead, overflow) = preroll.multipliedReportingOverflow(by: 10_000)
        guard !overflow, play > lead else { return }
        duration = Duration(units: play - lead, perSecond: 10_000_000)
    }

    private mutating func takeStream(_ object: [UInt8]) {
        guard size == nil, let width: UInt32 = object.integer(at: 54, isLittleEndian: true),
            let height: UInt32 = object.integer(at: 58, isLittleEndian: true)
        else { return }
        size = PictureSize(width: width, height: height)
    }
}
