import Imaging
import ImagingProtocol

/// Reads an archive of 7z from its first entry to its last, as the caged program tells it. Entries are packed together, so
/// that whoever wants the last one has all of them unpacked.
final class SevenZipReader: EntryReader {
    private let file: PositionedFile
    private let unpacking: Unpacking
    private var ordinal = -1
    /// Of all that was told, folders among it.
    private var toldCount = 0
    private var nameByteCount: UInt64 = 0
    private var present: ImportEntry?
    private var made: UInt64 = 0

    var consumedByteCount: UInt64 { unpacking.consumedByteCount }
    var totalByteCount: UInt64 { file.byteCount }

    /// - Throws: `ImportError.source`.
    convenience init(path: String, _ unpacker: Unpacker) throws {
        try self.init(PositionedFile(path: path), unpacker)
    }

    init(_ file: PositionedFile, _ unpacker: Unpacker) throws {
        self.file = file
        unpacking = Unpacking(file, unpacker)
        try unpacking.begin(.sevenZip, 0..<file.byteCount)
    }

    func next() throws -> ImportEntry? {
        (present, made) = (nil, 0)
        while let told = try unpacking.nextEntry() {
            toldCount += 1
            nameByteCount += UInt64(told.name.count)
            guard toldCount <= ArchiveLimits.mostEntries, nameByteCount <= ArchiveLimits.largestDirectory else {
                throw ImportError.source("has a directory that is too large")
            }
            guard told.kind != .folder else { continue }
            ordinal += 1
            present = entry(told)
            return present
        }
        return nil
    }

    private func entry(_ told: UnpackedEntry) -> ImportEntry {
        let (path, wrong) = EntryName.checked(EntryName.text(told.name))
        let reason: String? =
            switch told.kind {
            case .file, .folder: nil
            case .link: "it is a link"
            case .other: "it is no file"
            }
        return ImportEntry(
            ordinal: ordinal, path: path, byteCount: told.byteCount, modifiedAt: told.modifiedAt,
            refusal: wrong ?? reason)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let present else { return 0 }
        if let refusal = present.refusal { throw ImportError.entry(refusal) }
        let count = try unpacking.read(into: buffer)
        made += UInt64(count)
        guard made <= present.byteCount else { throw ImportError.entry("it is larger than it says") }
        guard count > 0 || made == present.byteCount else { throw ImportError.entry("it is not as large as it says") }
        return count
    }
}
