import CArchive
import Glibc
import ImagingProtocol

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
