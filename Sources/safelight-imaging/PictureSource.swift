import CVips
import Glibc
import Media

/// A file, or the part of it that is a picture, as libvips reads it: by ranges, forwards and backwards.
final class PictureSource {
    private let file: any ByteSource
    private let range: Range<UInt64>
    private var position: UInt64 = 0
    private let reader: UnsafeMutablePointer<cvips_reader>
    private var source: UnsafeMutablePointer<VipsSource>?

    init(_ file: any ByteSource, range: Range<UInt64>) {
        self.file = file
        self.range = range
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

    private var byteCount: UInt64 { range.upperBound - range.lowerBound }

    // The numbers are those of GLib's `gint64`, which is Swift's `Int` on Linux of 64 bits.

    private func read(into buffer: UnsafeMutableRawPointer?, atMost count: Int) -> Int {
        guard let buffer, count > 0, position < byteCount else { return 0 }
        let wanted = min(count, Int(clamping: byteCount - position))
        guard let bytes = try? file.read(at: range.lowerBound + position, count: wanted) else { return -1 }
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
