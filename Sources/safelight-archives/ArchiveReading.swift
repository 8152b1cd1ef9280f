import CArchive
import Glibc
import ImagingProtocol
import Media

/// One archive, or one packed stream, read by the library from its first byte to its last.
final class ArchiveReading {
    private static let pieceByteCount = 256 << 10

    private let input: ArchiveInput
    private let reader: OpaquePointer

    /// An archive of 7z.
    convenience init(_ input: ArchiveInput) throws(UnpackingFailure) {
        try self.init(input) { archive_read_support_format_7zip($0) == ARCHIVE_OK }
    }

    /// A stream that is packed in this way and no other, whatever it looks like.
    convenience init(packed packing: Packing, _ input: ArchiveInput) throws(UnpackingFailure) {
        let filter =
            switch packing {
            case .bzip2: ARCHIVE_FILTER_BZIP2
            case .xz: ARCHIVE_FILTER_XZ
            case .zstd: ARCHIVE_FILTER_ZSTD
            case .lzma: ARCHIVE_FILTER_LZMA
            case .deflate64, .sevenZip: ARCHIVE_FILTER_NONE
            }
        try self.init(input) { reader in
            archive_read_set_format(reader, ARCHIVE_FORMAT_RAW) == ARCHIVE_OK && filter != ARCHIVE_FILTER_NONE
                && archive_read_append_filter(reader, filter) == ARCHIVE_OK
        }
    }

    private init(_ input: ArchiveInput, _ prepare: (OpaquePointer) -> Bool) throws(UnpackingFailure) {
        guard let reader = archive_read_new() else { throw .tooMuchMemory }
        self.input = input
        self.reader = reader
        guard prepare(reader) else { throw .unsupported }
        guard input.open(by: reader) else { throw failure }
    }

    deinit {
        // It may read on to close, and asks the input.
        withExtendedLifetime(input) { _ = archive_read_free(reader) }
    }

    /// Tells all that comes out of a stream.
    func tellContent(_ tell: (ChildMessage) -> Void) throws(UnpackingFailure) {
        guard try nextEntry() != nil else { return }
        try tellPieces(tell)
    }

    /// Tells each entry and its content. An entry that cannot be unpacked is told as that, and the next one follows where
    /// the library goes on.
    func tellEntries(_ tell: (ChildMessage) -> Void) throws(UnpackingFailure) {
        while let entry = try nextEntry() {
            let told = UnpackedEntry(libraryEntry: entry)
            tell(.entry(told))
            guard told.kind == .file else { continue }
            do throws(UnpackingFailure) {
                try tellPieces(tell)
            } catch {
                tell(.unpackingFailure(error, isOfEntry: true))
                if hasEnded { throw error }
            }
        }
    }

    private func nextEntry() throws(UnpackingFailure) -> OpaquePointer? {
        var entry: OpaquePointer?
        switch note(archive_read_next_header(reader, &entry)) {
        case ARCHIVE_EOF: return nil
        // Of a name that is no text the rest is as it should be.
        case ARCHIVE_OK, ARCHIVE_WARN: return entry
        default: throw failure
        }
    }

    private func tellPieces(_ tell: (ChildMessage) -> Void) throws(UnpackingFailure) {
        while true {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { buffer, filled in
                count = archive_read_data(reader, buffer.baseAddress, buffer.count)
                filled = max(0, count)
            }
            // A warning is how it tells of another checksum.
            guard count >= 0 else {
                _ = note(CInt(truncatingIfNeeded: count))
                throw failure
            }
            guard count > 0 else { return }
            tell(.content(piece))
        }
    }

    private var hasEnded = false

    private func note(_ status: CInt) -> CInt {
        if status == ARCHIVE_FATAL { hasEnded = true }
        return status
    }

    /// Why the last call failed, which the library says in words alone.
    private var failure: UnpackingFailure {
        if archive_errno(reader) == ENOMEM { return .tooMuchMemory }
        let words = archive_error_string(reader).map { String(cString: $0) } ?? ""
        let means: [(String, UnpackingFailure)] = [
            ("encrypted", .encrypted), ("Unknown codec", .unsupported), ("nsupported", .unsupported),
            ("not supported", .unsupported), ("too much memory", .tooMuchMemory), ("memory limit", .tooMuchMemory),
            ("allocate", .tooMuchMemory),
        ]
        return means.first { words.contains($0.0) }?.1 ?? .damaged
    }
}

extension UnpackedEntry {
    fileprivate init(libraryEntry entry: OpaquePointer) {
        let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
        let bytes = name.map { UnsafeRawBufferPointer(start: $0, count: strlen($0)) }
        let hasTime = archive_entry_mtime_is_set(entry) != 0
        let (seconds, overflow) = Int64(archive_entry_mtime(entry)).multipliedReportingOverflow(by: 1000)
        self.init(
            name: bytes.map(Array.init) ?? [], kind: Kind(libraryEntry: entry),
            byteCount: UInt64(clamping: archive_entry_size(entry)), modifiedAt: hasTime && !overflow ? seconds : nil)
    }
}

extension UnpackedEntry.Kind {
    fileprivate init(libraryEntry entry: OpaquePointer) {
        guard archive_entry_hardlink(entry) == nil else {
            self = .link
            return
        }
        switch UInt32(archive_entry_filetype(entry)) {
        case CARCHIVE_FILE, 0: self = .file
        case CARCHIVE_FOLDER: self = .folder
        case CARCHIVE_LINK: self = .link
        default: self = .other
        }
    }
}

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

/// libarchive, reduced to one format of archives and four ways to pack.
enum ArchiveLibrary {
    /// Nothing, packed in each way.
    private static let nothing: [(Packing, [UInt8])] = [
        (.bzip2, [0x42, 0x5A, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0]),
        (
            .xz,
            [
                0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4, 0xE6, 0xD6, 0xB4, 0x46, 0, 0, 0, 0, 0x1C, 0xDF, 0x44, 0x21, 0x1F,
                0xB6, 0xF3, 0x7D, 1, 0, 0, 0, 0, 4, 0x59, 0x5A,
            ]
        ),
        (.zstd, [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]),
    ]

    static func load() -> Bool { carchive_use_utf8() != nil }

    /// Unpacks nothing in each way: tables are built, and the linker looks up what is called.
    static func warmUp() -> Bool {
        nothing.allSatisfy { packing, bytes in
            do throws(UnpackingFailure) {
                try ArchiveReading(packed: packing, ArchiveInput(bytes)).tellContent { _ in }
                return true
            } catch {
                return false
            }
        }
    }
}
