import CFFmpeg
import Glibc
import Media

/// A file as the demuxer reads it: by ranges, forwards and backwards, and not without end.
final class VideoInput {
    private static let bufferByteCount = 64 << 10
    /// A video's index and a few of its pictures are far less.
    private static let byteLimit: UInt64 = 512 << 20

    private let source: any ByteSource
    private var position: UInt64 = 0
    private var readByteCount: UInt64 = 0
    private var context: UnsafeMutablePointer<AVIOContext>?

    init(_ source: any ByteSource) { self.source = source }

    deinit {
        // The library may have put another buffer in the place of the one that it was given.
        if let context { av_free(context.pointee.buffer) }
        avio_context_free(&context)
    }

    /// Valid as long as this object; nil if there is no memory.
    func handle() -> UnsafeMutablePointer<AVIOContext>? {
        if let context { return context }
        guard let buffer = av_malloc(Self.bufferByteCount) else { return nil }
        context = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), CInt(Self.bufferByteCount), 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, buffer, count in VideoInput.of(opaque)?.read(into: buffer, atMost: count) ?? cffmpeg_input_output
            },
            nil,
            { opaque, offset, whence in VideoInput.of(opaque)?.seek(to: offset, whence) ?? -1 })
        if context == nil { av_free(buffer) }
        return context
    }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> VideoInput? {
        opaque.map { Unmanaged<VideoInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>?, atMost count: CInt) -> CInt {
        guard let buffer, count > 0, position < source.byteCount, readByteCount < Self.byteLimit else {
            return cffmpeg_end
        }
        guard let bytes = try? source.read(at: position, count: Int(count)), !bytes.isEmpty, bytes.count <= count else {
            return cffmpeg_input_output
        }
        buffer.update(from: bytes, count: bytes.count)
        position += UInt64(bytes.count)
        readByteCount += UInt64(bytes.count)
        return CInt(bytes.count)
    }

    private func seek(to offset: Int64, _ whence: CInt) -> Int64 {
        let size = Int64(clamping: source.byteCount)
        let start: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return size
        case SEEK_SET: start = 0
        case SEEK_CUR: start = Int64(clamping: position)
        case SEEK_END: start = size
        default: return -1
        }
        let (target, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return -1 }
        position = UInt64(target)
        return target
    }
}
