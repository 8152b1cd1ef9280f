import ImagingProtocol
import Media

/// Windows' icons: the largest of their pictures.
struct IconFile {
    /// 256 pixels a side, of 32 bits, with their mask.
    private static let longestBitmap: UInt64 = 1 << 20
    private static let fileHeaderByteCount = 14

    private let source: any ByteSource
    private let limits: ImagingLimits
    private let range: Range<UInt64>

    init(_ source: any ByteSource, _ limits: ImagingLimits) throws(UnreadableReason) {
        guard let head = try? source.read(at: 0, count: MediaType.headByteCount),
            let directory = IconDirectory(head), directory.best.range.lowerBound < source.byteCount
        else { throw .damaged }
        self.source = source
        self.limits = limits
        range = directory.best.range.clamped(to: 0..<source.byteCount)
    }

    func picture() throws(UnreadableReason) -> Decoding.Picture {
        let head = (try? source.read(at: range.lowerBound, count: MediaType.headByteCount)) ?? []
        if MediaType.sniff(head) == .png {
            return try Decoding(source: PictureSource(source, range: range, type: .png), limits: limits).picture()
        }
        guard UInt64(range.count) <= Self.longestBitmap,
            var bitmap = try? source.read(at: range.lowerBound, count: range.count), bitmap.count >= 40
        else { throw .damaged }
        // It counts the rows of its mask as well.
        let rows = (0..<4).reduce(Int32(0)) { $0 | Int32(bitmap[8 + $1]) << Int32(8 * $1) } / 2
        for index in 0..<4 { bitmap[8 + index] = UInt8(truncatingIfNeeded: rows >> Int32(8 * index)) }
        // Zeros for what a file's header says besides: where the pixels begin follows from the palette.
        let header = Array("BM".utf8) + [UInt8](repeating: 0, count: Self.fileHeaderByteCount - 2)
        return try BitmapFile(header + bitmap, limits, isIcon: true).picture()
    }
}
