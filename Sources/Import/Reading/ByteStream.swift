import CZlib

/// Bytes from the first to the last. Blocking; for one thread at a time.
protocol ByteStream: AnyObject {
    /// At least one byte, or 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Bytes of the file that were read.
    var consumedByteCount: UInt64 { get }
}

/// The bytes of a file as they are.
final class PlainStream: ByteStream {
    private let file: PositionedFile
    private(set) var consumedByteCount: UInt64 = 0

    init(_ file: PositionedFile) { self.file = file }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try file.read(at: consumedByteCount, into: buffer)
        consumedByteCount += UInt64(count)
        return count
    }
}

/// What a gzip file holds, all its members one after the other (RFC 1952, 2.2).
final class GzipStream: ByteStream {
    private static let pieceByteCount = 64 << 10

    private let input: PlainStream
    private let inflater: Inflater
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    private var waiting = 0..<0
    private var made: UInt64 = 0
    private var isBetweenMembers = false

    var consumedByteCount: UInt64 { input.consumedByteCount }

    init(_ file: PositionedFile) throws {
        input = PlainStream(file)
        inflater = try Inflater(.gzip)
    }

    deinit { piece.deallocate() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            if waiting.isEmpty {
                waiting = 0..<(try input.read(into: piece))
                if waiting.isEmpty {
                    guard isBetweenMembers else { throw ImportError.source(PositionedFile.cutOff) }
                    return 0
                }
            }
            // Zeros may fill the last block of a tape.
            if isBetweenMembers, piece[waiting.lowerBound] == 0 {
                waiting = waiting.dropFirst()
                continue
            }
            let count = try step(into: buffer)
            if count > 0 { return count }
        }
    }

    private func step(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        do {
            let (taken, count, step) = try inflater.step(
                from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[waiting]), into: buffer)
            waiting = (waiting.lowerBound + taken)..<waiting.upperBound
            isBetweenMembers = step == .ended
            if isBetweenMembers { inflater.restart() }
            made += UInt64(count)
            guard !ArchiveLimits.isBomb(produced: made, consumed: consumedByteCount) else {
                throw ImportError.source(ArchiveLimits.bombReason)
            }
            return count
        } catch ImportError.entry(let reason) {
            throw ImportError.source(reason)
        }
    }
}

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
