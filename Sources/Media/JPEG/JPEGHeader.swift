/// What stands before the pixels of a JPEG: its size and the blocks of metadata.
struct JPEGHeader {
    private(set) var size: PictureSize?
    /// Bits of a sample, and whether the pixels are coded by a cosine transform that every decoder knows.
    private(set) var isOrdinary = false
    /// A TIFF structure, put together if it took several segments.
    private(set) var exif: [UInt8]?
    private(set) var xmp: [UInt8]?
    private(set) var iptc: IPTCBlock?
    /// Of cameras that had a block of their own before there was EXIF.
    private(set) var takenAt: CaptureTime?
    /// The planes of the frame, and the steps of the coefficients by their table.
    private(set) var planes: [Plane] = []
    private(set) var steps: [UInt8: JPEGQuantization.Steps] = [:]
    /// What Adobe's segment says of three or four planes; nil without one.
    private(set) var adobeTransform: UInt8?

    private static let maximumSegmentCount = 1024
    private static let maximumExifByteCount = 4 << 20
    static let exifIntroduction: StaticString = "Exif\0\0"
    static let xmpIntroduction: StaticString = "http://ns.adobe.com/xap/1.0/\0"

    /// A TIFF structure, before which some writers put in other formats, too, what stands before it in JPEG.
    static func withoutIntroduction(_ block: [UInt8]) -> [UInt8] {
        block.has(exifIntroduction) ? [UInt8](block.dropFirst(exifIntroduction.utf8CodeUnitCount)) : block
    }

    /// Nil if no JPEG begins at `start`.
    init?(_ reader: BoundedReader, at start: UInt64 = 0) {
        guard let first = reader.bytes(at: start, count: 2), first == [0xFF, 0xD8] else { return nil }
        var position = start + 2
        for _ in 0..<Self.maximumSegmentCount {
            guard let segment = Self.segment(reader, at: position) else { return }
            guard segment.marker != 0xDA, segment.marker != 0xD9 else { return }
            take(segment, reader)
            position = segment.payload.upperBound
        }
    }

    private struct Segment {
        let marker: UInt8
        let payload: Range<UInt64>
    }

    /// The segment at `position`, before which fill bytes may stand.
    private static func segment(_ reader: BoundedReader, at position: UInt64) -> Segment? {
        var position = position
        for _ in 0..<1024 {
            guard let marker = reader.bytes(at: position, count: 2), marker[0] == 0xFF else { return nil }
            if marker[1] == 0xFF {
                position += 1
                continue
            }
            position += 2
            // The end, restart markers and TEM have no length.
            if marker[1] == 0xD9 || (0xD0...0xD8).contains(marker[1]) || marker[1] <= 1 {
                return Segment(marker: marker[1], payload: position..<position)
            }
            guard let length = reader.bytes(at: position, count: 2)?.integer(UInt16.self, at: 0), length >= 2 else {
                return nil
            }
            return Segment(marker: marker[1], payload: position + 2..<position + UInt64(length))
        }
        return nil
    }

    private mutating func take(_ segment: Segment, _ reader: BoundedReader) {
        switch segment.marker {
        case 0xE1: takeApplicationData(segment.payload, reader)
        case 0xED where iptc == nil:
            iptc = reader.bytes(at: segment.payload.lowerBound, count: segment.payload.count)
                .flatMap { $0.has(PhotoshopResources.introduction) ? IPTCBlock(PhotoshopResources($0)) : nil }
        case 0xC0...0xCF where segment.marker & 3 != 0 || segment.marker == 0xC0:
            guard size == nil, let frame = reader.bytes(at: segment.payload.lowerBound, count: 6),
                let height: UInt16 = frame.integer(at: 1), let width: UInt16 = frame.integer(at: 3)
            else { return }
            size = PictureSize(width: width, height: height)
            isOrdinary = frame[0] == 8 && [0xC0, 0xC1, 0xC2].contains(segment.marker) && [1, 3].contains(frame[5])
            planes = reader.bytes(at: segment.payload.lowerBound, count: 6 + Int(frame[5]) * 3).map(Self.planes) ?? []
        case 0xDB:
            guard let payload = reader.bytes(at: segment.payload.lowerBound, count: segment.payload.count) else {
                return
            }
            steps.merge(Self.steps(payload)) { $1 }
        case 0xEE:
            guard let payload = reader.bytes(at: segment.payload.lowerBound, count: 12), payload.has("Adobe") else {
                return
            }
            adobeTransform = payload[11]
        default: break
        }
    }

    private mutating func takeApplicationData(_ range: Range<UInt64>, _ reader: BoundedReader) {
        guard let payload = reader.bytes(at: range.lowerBound, count: range.count) else { return }
        if payload.has(Self.exifIntroduction) {
            takeExif([UInt8](payload.dropFirst(Self.exifIntroduction.utf8CodeUnitCount)))
        } else if payload.has(Self.xmpIntroduction), xmp == nil {
            xmp = [UInt8](payload.dropFirst(Self.xmpIntroduction.utf8CodeUnitCount))
        } else if payload.has("QVCI\0") {
            takenAt = takenAt ?? Self.casioTime(payload)
        }
    }

    /// `1998.10.24.12.08.57`, at a fixed place.
    private static func casioTime(_ block: [UInt8]) -> CaptureTime? {
        guard let text = block.bytes(at: 0x4D, count: 19).map({ String(decoding: $0, as: UTF8.self) }) else {
            return nil
        }
        let parts = text.split(separator: ".")
        guard parts.count == 6 else { return nil }
        return CivilTime("\(parts[0]):\(parts[1]):\(parts[2]) \(parts[3]):\(parts[4]):\(parts[5])")
            .map(CaptureTime.init(exif:))
    }

    /// EXIF longer than a segment goes on in further ones, which do not begin with a TIFF header.
    private mutating func takeExif(_ block: [UInt8]) {
        guard let begun = exif else {
            exif = block
            return
        }
        let isAnother = block.has("II*\0") || block.has("MM\0*")
        if !isAnother, begun.count + block.count <= Self.maximumExifByteCount { exif = begun + block }
    }
}

/// Whether the scans of a progressive JPEG bring every bit of every coefficient: a file that ends between two scans looks
/// whole to a decoder, only blurred.
package struct JPEGScans {
    /// False where coefficients are missing; true for a JPEG that is not progressive, of which the decoder itself knows.
    package private(set) var isComplete = true

    private var isProgressive = false
    private var components: [UInt8] = []
    /// By component: for each coefficient the lowest bit that has come.
    private var lowest: [UInt8: [UInt8]] = [:]
    private static let pieceByteCount = 256 << 10

    package init(reading source: some ByteSource) {
        var position: UInt64 = 2
        while let marker = Self.marker(source, from: &position) {
            guard marker != 0xD9, let head = try? source.read(at: position, count: 2),
                let length: UInt16 = head.integer(at: 0), length >= 2,
                let payload = try? source.read(at: position + 2, count: Int(length) - 2)
            else { break }
            take(marker, payload)
            position += UInt64(length)
        }
        isComplete = !isProgressive || components.allSatisfy { lowest[$0]?.allSatisfy { $0 == 0 } ?? false }
    }

    private mutating func take(_ marker: UInt8, _ payload: [UInt8]) {
        if marker == 0xC2, payload.count > 6 {
            isProgressive = true
            components = (0..<Int(payload[5])).compactMap { payload.integer(UInt8.self, at: 6 + $0 * 3) }
        }
        guard marker == 0xDA, let count = payload.first, payload.count >= 4 + Int(count) * 2 else { return }
        let end = 1 + Int(count) * 2
        let (first, last, bits) = (Int(payload[end]), Int(payload[end + 1]), payload[end + 2] & 15)
        guard first <= last, last < 64 else { return }
        for index in 0..<Int(count) {
            var levels = lowest[payload[1 + index * 2]] ?? [UInt8](repeating: 255, count: 64)
            for coefficient in first...last { levels[coefficient] = min(levels[coefficient], bits) }
            lowest[payload[1 + index * 2]] = levels
        }
    }

    /// The next marker that begins a segment, or the end's; `position` is behind it then.
    private static func marker(_ source: some ByteSource, from position: inout UInt64) -> UInt8? {
        while let piece = try? source.read(at: position, count: pieceByteCount), piece.count > 1 {
            for index in 0..<piece.count - 1 where piece[index] == 0xFF {
                let next = piece[index + 1]
                // Samples, fills and restarts have no segment.
                if next == 0 || next == 0xFF || next == 1 || (0xD0...0xD8).contains(next) { continue }
                position += UInt64(index + 2)
                return next
            }
            position += UInt64(piece.count - 1)
        }
        return nil
    }
}

/// What programs of the 1990s put behind a picture: blocks, with a directory of them that the last twelve bytes point to (AXS
/// File Concatenation Protocol).
struct AppendedBlocks {
    private static let mostEntries = 64

    private let reader: BoundedReader
    private let isLittleEndian: Bool
    /// Four signs, a length and a place for each.
    private let entries: [UInt8]

    /// Nil where the file ends otherwise.
    init?(_ reader: BoundedReader) {
        guard reader.byteCount > 24, let end = reader.bytes(at: reader.byteCount - 12, count: 12),
            end.has("AXS!") || end.has("AXS*")
        else { return nil }
        let isLittleEndian = end.has("AXS*")
        guard let start: UInt32 = end.integer(at: 4, isLittleEndian: isLittleEndian),
            let head = reader.bytes(at: UInt64(start), count: 12), head.starts(with: end[..<4]),
            let count: UInt16 = head.integer(at: 6, isLittleEndian: isLittleEndian), count <= Self.mostEntries,
            let entries = reader.bytes(at: UInt64(start) + 12, count: Int(count) * 12)
        else { return nil }
        self.reader = reader
        self.isLittleEndian = isLittleEndian
        self.entries = entries
    }

    var iptc: IPTCBlock? {
        for entry in stride(from: 0, to: entries.count, by: 12) where entries.has("IPTC", at: entry) {
            guard let length: UInt32 = entries.integer(at: entry + 4, isLittleEndian: isLittleEndian),
                let start: UInt32 = entries.integer(at: entry + 8, isLittleEndian: isLittleEndian)
            else { return nil }
            return reader.metadata(in: UInt64(start)..<UInt64(start) + UInt64(length)).map(IPTCBlock.init(records:))
        }
        return nil
    }
}
