import CArchive
import Glibc
import ImagingProtocol
import Media

/// What is to be unpacked, as the library reads it: by ranges, forwards and, where it has entries, backwards.
final class ArchiveInput {
    private static let pieceByteCount = 1 << 20

    private let source: any ByteSource
    /// Read before the rest of the source: a header as the library wants it.
    private var head: [UInt8] = []
    private var position: UInt64 = 0
    private let isSeekable: Bool
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    /// As it is.
    init(_ source: any ByteSource) {
        self.source = source
        isSeekable = true
    }

    /// One stream, from its first byte to its last.
    init(_ source: any ByteSource, _ job: UnpackingJob) throws(UnpackingFailure) {
        self.source = source
        isSeekable = false
        guard job.packing == .lzma else { return }
        // A version and the size of the properties, which are five bytes in LZMA; a file of LZMA has these, and the size
        // of what comes out, which is all ones where a mark says where that ends.
        guard let start = try? source.read(at: 0, count: 9), start.count == 9, start[2] == 5, start[3] == 0 else {
            throw .damaged
        }
        head = start[4...] + withUnsafeBytes(of: (job.unpackedByteCount ?? .max).littleEndian) { Array($0) }
        position = 9
    }

    deinit { buffer.deallocate() }

    /// The reader must not outlive this object.
    func open(by reader: OpaquePointer) -> Bool {
        archive_read_set_callback_data(reader, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_read_callback(reader) { _, input, place in ArchiveInput.of(input)?.read(place) ?? -1 }
        if isSeekable {
            archive_read_set_seek_callback(reader) { _, input, offset, whence in
                ArchiveInput.of(input)?.seek(offset, whence) ?? Int64(ARCHIVE_FATAL)
            }
        }
        return archive_read_open1(reader) == ARCHIVE_OK
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> ArchiveInput? {
        pointer.map { Unmanaged<ArchiveInput>.fromOpaque($0).takeUnretainedValue() }
    }

    /// At least one byte, or 0 at the end; -1 where there should be some, and the daemon has none.
    private func read(_ place: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        guard let place else { return -1 }
        place.pointee = UnsafeRawPointer(buffer.baseAddress)
        if !head.isEmpty {
            defer { head = [] }
            buffer.copyBytes(from: head)
            return head.count
        }
        guard position < source.byteCount else { return 0 }
        guard let bytes = try? source.read(at: position, count: Self.pieceByteCount), !bytes.isEmpty,
            bytes.count <= Self.pieceByteCount
        else { return -1 }
        buffer.copyBytes(from: bytes)
        position += UInt64(bytes.count)
        return bytes.count
    }

    private func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
        let start: Int64
        switch whence {
        case SEEK_SET: start = 0
        case SEEK_CUR: start = Int64(clamping: position)
        case SEEK_END: start = Int64(clamping: source.byteCount)
        default: return Int64(ARCHIVE_FATAL)
        }
        let (target, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return Int64(ARCHIVE_FATAL) }
        position = UInt64(target)
        return target
    }
}
