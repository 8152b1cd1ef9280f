/// Matroska and WebM (RFC 9559): elements of the segment before the first cluster.
struct MatroskaFile {
    private enum ID {
        static let segment: UInt32 = 0x1853_8067
        static let cluster: UInt32 = 0x1F43_B675
        static let info: UInt32 = 0x1549_A966
        static let timestampScale: UInt32 = 0x2AD7B1
        static let duration: UInt32 = 0x4489
        static let date: UInt32 = 0x4461
        static let tracks: UInt32 = 0x1654_AE6B
        static let track: UInt32 = 0xAE
        static let video: UInt32 = 0xE0
        static let pixelWidth: UInt32 = 0xB0
        static let pixelHeight: UInt32 = 0xBA
    }
    /// From 1970-01-01 to 2001-01-01, where Matroska's dates begin.
    private static let epochMilliseconds: Int64 = 978_307_200_000
    private static let maximumTrackCount = 32

    let duration: Duration?
    let createdAt: CaptureTime?
    let size: PictureSize?

    init?(_ reader: BoundedReader) {
        let top = EBMLList(reader, in: 0..<reader.byteCount, until: ID.segment)
        guard let segment = top.elements.first(where: { $0.id == ID.segment }) else { return nil }
        let parts = EBMLList(reader, in: segment.payload, until: ID.cluster).elements
        let info = parts.first { $0.id == ID.info }.map { EBMLList(reader, in: $0.payload) }
        let tracks = parts.first { $0.id == ID.tracks }.map { EBMLList(reader, in: $0.payload) }
        duration = info.flatMap(Self.duration)
        createdAt = info?.bytes(ID.date).flatMap(Self.date)
        let videos = tracks?.elements.filter { $0.id == ID.track }.prefix(Self.maximumTrackCount)
            .compactMap { EBMLList(reader, in: $0.payload).first(ID.video) }.map { EBMLList(reader, in: $0.payload) }
        size =
            videos?.lazy.compactMap { video in
                PictureSize(width: video.unsigned(ID.pixelWidth) ?? 0, height: video.unsigned(ID.pixelHeight) ?? 0)
            }.first
    }

    private static func duration(_ info: EBMLList) -> Duration? {
        let scale = Double(info.unsigned(ID.timestampScale) ?? 1_000_000)
        guard let ticks = info.float(ID.duration) else { return nil }
        let milliseconds = (ticks * scale / 1_000_000).rounded()
        guard milliseconds > 0, milliseconds < 366 * 86_400_000 else { return nil }
        return .milliseconds(Int64(milliseconds))
    }

    /// Nanoseconds since 2001, in UTC.
    private static func date(_ bytes: [UInt8]) -> CaptureTime? {
        guard let nanoseconds: Int64 = bytes.integer(at: 0) else { return nil }
        return CaptureTime(
            milliseconds: nanoseconds / 1_000_000 + epochMilliseconds, isInstant: true, source: .container)
    }
}

/// Elements of EBML (RFC 8794) that lie in a range of a file, one after another.
struct EBMLList {
    struct Element {
        /// With its length marker, as specifications write it.
        let id: UInt32
        let payload: Range<UInt64>
    }

    private static let maximumCount = 1024

    let elements: [Element]
    private let reader: BoundedReader

    /// Stops after an element with the number `last`.
    init(_ reader: BoundedReader, in range: Range<UInt64>, until last: UInt32? = nil) {
        var (found, position): ([Element], UInt64) = ([], range.lowerBound)
        while found.count < Self.maximumCount, position < range.upperBound,
            let element = Self.element(reader, at: position, end: range.upperBound)
        {
            found.append(element)
            position = element.payload.upperBound
            if element.id == last { break }
        }
        elements = found
        self.reader = reader
    }

    func first(_ id: UInt32) -> Element? { elements.first { $0.id == id } }

    /// What a short element holds.
    func bytes(_ id: UInt32) -> [UInt8]? {
        guard let payload = first(id)?.payload, payload.upperBound - payload.lowerBound <= 64 else { return nil }
        return reader.bytes(at: payload.lowerBound, count: payload.count)
    }

    func unsigned(_ id: UInt32) -> UInt64? {
        guard let bytes = bytes(id), bytes.count <= 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func float(_ id: UInt32) -> Double? {
        guard let bytes = bytes(id) else { return nil }
        switch bytes.count {
        case 4: return bytes.integer(UInt32.self, at: 0).map { Double(Float(bitPattern: $0)) }
        case 8: return bytes.integer(UInt64.self, at: 0).map { Double(bitPattern: $0) }
        default: return nil
        }
    }

    private static func element(_ reader: BoundedReader, at position: UInt64, end: UInt64) -> Element? {
        guard let first = reader.bytes(at: position, count: 1)?.first, first >= 0x10,
            let id = reader.bytes(at: position, count: first.leadingZeroBitCount + 1)
        else { return nil }
        let sizeStart = position + UInt64(id.count)
        guard let head = reader.bytes(at: sizeStart, count: 1)?.first, head != 0,
            let size = reader.bytes(at: sizeStart, count: head.leadingZeroBitCount + 1)
        else { return nil }
        let start = sizeStart + UInt64(size.count)
        guard start <= end else { return nil }
        let marker = UInt64(1) << (7 * UInt64(size.count))
        let length = size.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (marker - 1)
        // All ones mean "unknown"; that, and what a recording that was cut off promises, reaches to the end.
        return Element(id: id.reduce(0) { $0 << 8 | UInt32($1) }, payload: start..<start + min(length, end - start))
    }
}
