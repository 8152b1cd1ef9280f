import CZlib

/// Deflated bytes (RFC 1951), and those of gzip (RFC 1952), as they come. For one thread at a time.
final class Inflater {
    enum Form: CInt {
        case raw = -15
        case gzip = 31
    }

    enum Step: Equatable {
        /// More input is needed, or there is more room to fill.
        case going
        case ended
    }

    private var stream = z_stream()

    init(_ form: Form) throws {
        guard inflateInit2_(&stream, form.rawValue, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ImportError.source("cannot be unpacked: no memory")
        }
    }

    deinit { inflateEnd(&stream) }

    /// For the next member, or the next entry.
    func restart() { inflateReset(&stream) }

    /// Unpacks as much as fits.
    /// - Returns: bytes taken, bytes made, and whether the end was met.
    /// - Throws: `ImportError.entry` for bytes that are none of that kind.
    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws -> (taken: Int, made: Int, step: Step) {
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = UInt32(clamping: output.count)
        let (before, room) = (stream.avail_in, stream.avail_out)
        let status = inflate(&stream, Z_NO_FLUSH)
        let (taken, made) = (Int(before - stream.avail_in), Int(room - stream.avail_out))
        // Nothing of these buffers is kept.
        (stream.next_in, stream.next_out) = (nil, nil)
        switch status {
        case Z_STREAM_END: return (taken, made, .ended)
        case Z_OK, Z_BUF_ERROR: return (taken, made, .going)
        default: throw ImportError.entry("its compressed bytes are damaged")
        }
    }
}
