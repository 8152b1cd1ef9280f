import CVips
import Glibc
import ImagingProtocol
import Media

/// A file, or the part of it that is a picture, as libvips reads it: by ranges, forwards and backwards.
final class PictureSource {
    private let file: any ByteSource
    private let range: Range<UInt64>
    private let overwrites: Overwrites
    private let cut: CutWebP?
    private let tail: Tail
    /// A decoder that comes so far has met no end mark.
    private(set) var hasReadTail = false

    /// What stands behind the last byte for the library.
    private enum Tail {
        case none
        /// Of a JPEG: toy cameras and interrupted copies leave out no more than this.
        case endMark
        /// So many zeros: of a WebP that is shorter than it says libwebp would show nothing at all.
        case zeros(Int)

        var byteCount: Int {
            switch self {
            case .none: 0
            case .endMark: 2
            case .zeros(let count): count
            }
        }

        func bytes(from start: Int, atMost count: Int) -> [UInt8] {
            if case .endMark = self { return Array([0xFF, 0xD9].dropFirst(start).prefix(count)) }
            return [UInt8](repeating: 0, count: min(count, byteCount - start))
        }
    }

    /// Whether the file says that it has bytes which it has not; one that only fills up is not missed.
    var isCut: Bool { cut?.isDamage ?? false }
    private var position: UInt64 = 0
    private let reader: UnsafeMutablePointer<cvips_reader>
    private var source: UnsafeMutablePointer<VipsSource>?

    /// - Parameter type: of the picture in the range.
    init(_ file: any ByteSource, range: Range<UInt64>, type: MediaType) {
        self.file = file
        self.range = range
        switch type {
        case .jpeg:
            cut = nil
            tail = .endMark
        case .webp:
            cut = CutWebP(reading: file)
            tail = cut.map { .zeros($0.missingByteCount) } ?? .none
        default:
            cut = nil
            tail = .none
        }
        overwrites = cut?.overwrites ?? HEIFPatches(reading: file, type: type).overwrites
        reader = .allocate(capacity: 1)
        reader.initialize(to: cvips_reader())
    }

    deinit {
        cvips_unref(source)
        reader.deallocate()
    }

    /// Valid as long as this object and whatever reads from it; nil if libvips has no memory.
    func handle() -> UnsafeMutablePointer<VipsSource>? {
        if let source { return source }
        // Unretained: images that are computed late are dropped before this object is (`withExtendedLifetime`).
        reader.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        reader.pointee.read = { context, buffer, count in
            PictureSource.of(context)?.read(into: buffer, atMost: count) ?? -1
        }
        reader.pointee.seek = { context, offset, whence in
            PictureSource.of(context)?.seek(to: offset, whence) ?? -1
        }
        source = cvips_source(reader)
        return source
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> PictureSource? {
        context.map { Unmanaged<PictureSource>.fromOpaque($0).takeUnretainedValue() }
    }

    private var fileByteCount: UInt64 { range.upperBound - range.lowerBound }
    private var byteCount: UInt64 { fileByteCount + UInt64(tail.byteCount) }

    // The numbers are those of GLib's `gint64`, which is Swift's `Int` on Linux of 64 bits.

    private func read(into buffer: UnsafeMutableRawPointer?, atMost count: Int) -> Int {
        guard let buffer, count > 0, position < byteCount else { return 0 }
        guard position < fileByteCount else {
            hasReadTail = true
            let rest = tail.bytes(from: Int(position - fileByteCount), atMost: count)
            rest.withUnsafeBytes {
                if let start = $0.baseAddress { buffer.copyMemory(from: start, byteCount: $0.count) }
            }
            position += UInt64(rest.count)
            return rest.count
        }
        let wanted = min(count, Int(clamping: fileByteCount - position))
        let place = range.lowerBound + position
        guard let read = try? file.read(at: place, count: wanted) else { return -1 }
        let bytes = overwrites.applied(to: read, at: place)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(buffer), byteCount: $0.count)
        }
        position += UInt64(bytes.count)
        return bytes.count
    }

    private func seek(to offset: Int, _ whence: CInt) -> Int {
        let start: Int? =
            switch whence {
            case SEEK_SET: 0
            case SEEK_CUR: Int(exactly: position)
            case SEEK_END: Int(exactly: byteCount)
            default: nil
            }
        guard let (target, overflow) = start?.addingReportingOverflow(offset), !overflow, target >= 0 else { return -1 }
        position = UInt64(target)
        return target
    }
}

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

/// The chunks of a WebP file (RFC 9649). libvips writes an EXIF chunk of its own even where it is told to keep nothing.
struct WebPContainer {
    private let chunks: [(name: String, bytes: ArraySlice<UInt8>)]

    private static let headerByteCount = 12
    private static let alphaFlag: UInt8 = 0x10

    /// Nil for what is no whole WebP file.
    init?(_ file: [UInt8]) {
        var chunks: [(name: String, bytes: ArraySlice<UInt8>)] = []
        var position = Self.headerByteCount
        while position + 8 <= file.count {
            let length = file[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = position + 8 + length + length % 2
            guard end <= file.count else { return nil }
            chunks.append((String(decoding: file[position..<position + 4], as: UTF8.self), file[position..<end]))
            position = end
        }
        guard position == file.count, !chunks.isEmpty else { return nil }
        self.chunks = chunks
    }

    /// The picture without anything but its pixels.
    var stripped: [UInt8] {
        let pixels = chunks.filter { ["VP8 ", "VP8L", "ALPH"].contains($0.name) }
        let hasAlphaChunk = pixels.contains { $0.name == "ALPH" }
        var body = hasAlphaChunk ? extendedHeader : []
        for chunk in pixels { body += chunk.bytes }
        let length = UInt32(truncatingIfNeeded: body.count + 4)
        let lengthBytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        return Array("RIFF".utf8) + lengthBytes + Array("WEBP".utf8) + body
    }

    /// The chunk that announces what a simple file cannot have: alpha only.
    private var extendedHeader: [UInt8] {
        guard var header = chunks.first(where: { $0.name == "VP8X" }).map({ Array($0.bytes) }), header.count > 8 else {
            return []
        }
        header[8] = Self.alphaFlag
        return header
    }
}
