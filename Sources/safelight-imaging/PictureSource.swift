import CVips
import Glibc
import Media

/// A file, or the part of it that is a picture, as libvips reads it: by ranges, forwards and backwards.
final class PictureSource {
    private let file: any ByteSource
    private let range: Range<UInt64>
    private let patches: HEIFPatches
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
        patches = HEIFPatches(reading: file, type: type)
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
        let bytes = cut?.applied(to: read, at: place) ?? patches.applied(to: read, at: place)
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
