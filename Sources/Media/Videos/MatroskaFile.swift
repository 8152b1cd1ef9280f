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
