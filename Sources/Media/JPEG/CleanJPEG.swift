import Glibc

/// What of a JPEG a clean copy keeps: everything that pixels, colours and orientation need.
///
/// Kept: tables, frames and scans, colour profile (ICC), what decides about colours (JFIF, Adobe's APP14), and the
/// orientation, in an EXIF block of its own. Overwritten: EXIF with its thumbnail and maker's note, XMP, IPTC, further
/// pictures (MPF), comments, unknown application data, and everything after the end of the picture, where phones append
/// videos.
struct CleanJPEG {
    /// Application data of which no program knows anything.
    private static let unknown: UInt8 = 0xEF
    private static let bytesPerRead: UInt64 = 256 << 10
    /// Markers, and bytes between segments, that are looked at: no camera writes a hundredth of it.
    private static let mostSteps = 1 << 18

    private let reader: BoundedReader
    private let isTrial: Bool
    private var steps = 0
    private(set) var overwrites = Overwrites()
    private var position: UInt64 = 2
    private var hasFrame = false
    private var hasScan = false
    private var hasExif = false

    /// - Parameter isTrial: only the header is read, which decides whether a copy can be made.
    /// - Throws: `noCleanCopy` for what has no header of a JPEG.
    init(_ reader: BoundedReader, isTrial: Bool = false) throws(MediaError) {
        self.reader = reader
        self.isTrial = isTrial
        guard reader.bytes(at: 0, count: 2) == [0xFF, 0xD8] else { throw .noCleanCopy }
        while position < reader.byteCount, !(isTrial && hasScan) { try takeSegment() }
        guard hasScan else { throw .noCleanCopy }
    }

    /// One segment, with what stands before it.
    private mutating func takeSegment() throws(MediaError) {
        guard let marker = try nextMarker() else { return }
        switch marker {
        case 0xD9:
            guard hasScan else { throw .noCleanCopy }
            clear(from: position)
        case 0x02..<0xC0, 0xD8: try giveUp(at: position - 2)
        default:
            guard let length = reader.bytes(at: position, count: 2)?.integer(UInt16.self, at: 0), length >= 2,
                position + UInt64(length) <= reader.byteCount
            else { return try giveUp(at: position - 2) }
            let payload = position + 2..<position + UInt64(length)
            try take(marker, payload)
        }
    }

    /// Nothing here is a segment. Behind a scan the picture ends there; in the header there is none.
    private mutating func giveUp(at place: UInt64) throws(MediaError) {
        guard hasScan else { throw .noCleanCopy }
        clear(from: place)
    }

    private mutating func clear(from place: UInt64) {
        overwrites.clear(place..<reader.byteCount)
        position = reader.byteCount
    }

    /// Nil at the end of the file. What is no marker on the way is overwritten, but for bytes that fill up.
    private mutating func nextMarker() throws(MediaError) -> UInt8? {
        while position < reader.byteCount {
            steps += 1
            guard position + 1 < reader.byteCount, steps <= Self.mostSteps else {
                try giveUp(at: position)
                return nil
            }
            guard let pair = reader.bytes(at: position, count: 2) else { throw .noCleanCopy }
            switch (pair[0], pair[1]) {
            case (0xFF, 0xFF): position += 1
            case (0xFF, 0x00), (0xFF, 0x01), (0xFF, 0xD0...0xD7):
                overwrites.clear(position..<position + 2)
                position += 2
            case (0xFF, let marker):
                position += 2
                return marker
            default:
                overwrites.clear(position..<position + 1)
                position += 1
            }
        }
        return nil
    }

    private mutating func take(_ marker: UInt8, _ payload: Range<UInt64>) throws(MediaError) {
        position = payload.upperBound
        switch marker {
        case 0xC4, 0xCC, 0xDB: break
        // How many lines there are, and how many blocks a restart interval has.
        case 0xDC where payload.count == 2, 0xDD where payload.count == 2: break
        case 0xC0...0xC7, 0xC9...0xCF: hasFrame = true
        case 0xDA:
            guard hasFrame else { throw .noCleanCopy }
            hasScan = true
            if !isTrial { try passScan() }
        case 0xE0, 0xE1, 0xE2, 0xEE:
            guard let content = reader.bytes(at: payload.lowerBound, count: payload.count) else { throw .noCleanCopy }
            takeApplicationData(marker, content, payload)
        default: drop(payload)
        }
    }

    /// In a scan 0xFF is followed by zero if it is a sample's byte, by a restart marker, or by the next segment's. What is no
    /// marker that exists stays: a damaged scan is as damaged as it was.
    private mutating func passScan() throws(MediaError) {
        while position + 1 < reader.byteCount {
            let count = Int(min(Self.bytesPerRead, reader.byteCount - position))
            guard let piece = reader.bytes(at: position, count: count) else { throw .noCleanCopy }
            if let mark = Self.mark(in: piece) {
                position += UInt64(mark)
                return
            }
            // The last byte may be half of a marker.
            position += UInt64(count - 1)
        }
        position = reader.byteCount
    }

    /// Where a marker stands that ends a scan. By the C library: a picture may be large.
    private static func mark(in piece: [UInt8]) -> Int? {
        piece.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            var index = 0
            while index + 1 < bytes.count, let found = memchr(base + index, 0xFF, bytes.count - 1 - index) {
                index = UnsafeRawPointer(found) - base
                switch bytes[index + 1] {
                case 0xFF: index += 1
                case 0x00..<0xC0, 0xD0...0xD7: index += 2
                default: return index
                }
            }
            return nil
        }
    }

    /// What of an application's segment is kept.
    private mutating func takeApplicationData(_ marker: UInt8, _ content: [UInt8], _ payload: Range<UInt64>) {
        switch marker {
        // Version and resolution; the thumbnail that may follow is left out, and its size of zero kept.
        case 0xE0 where content.has("JFIF\0") && content.count >= 14: keep(12, of: payload)
        case 0xE2 where content.has("ICC_PROFILE\0"): break
        case 0xEE where content.has("Adobe") && content.count >= 12: keep(12, of: payload)
        case 0xE1 where !hasExif && content.has(JPEGHeader.exifIntroduction):
            let introduction = JPEGHeader.exifIntroduction.utf8CodeUnitCount
            let block = CleanExif.block(for: [UInt8](content.dropFirst(introduction)))
            guard let block, introduction + block.count <= content.count else { return drop(payload) }
            hasExif = true
            overwrites.put(block, at: payload.lowerBound + UInt64(introduction))
            keep(introduction + block.count, of: payload)
        default: drop(payload)
        }
    }

    private mutating func keep(_ count: Int, of payload: Range<UInt64>) {
        overwrites.clear(payload.lowerBound + UInt64(count)..<payload.upperBound)
    }

    private mutating func drop(_ payload: Range<UInt64>) {
        overwrites.put([Self.unknown], at: payload.lowerBound - 3)
        overwrites.clear(payload)
    }
}
