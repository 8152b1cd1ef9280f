/// Directories of a TIFF structure: of a TIFF or raw file, of an EXIF block, of a maker's note.
struct TIFFReader {
    let reader: BoundedReader
    /// Where the offsets in the structure count from.
    let base: UInt64
    let isLittleEndian: Bool
    let firstDirectory: UInt64

    /// 42 is TIFF's own number; Olympus and Panasonic use others for their raw files.
    private static let magicNumbers: Set<UInt16> = [42, 0x4F52, 0x5352, 0x55]

    /// Nil if there is no TIFF header at `base`.
    init?(_ reader: BoundedReader, base: UInt64 = 0) {
        guard let header = reader.bytes(at: base, count: 8) else { return nil }
        switch (header[0], header[1]) {
        case (0x49, 0x49): isLittleEndian = true
        case (0x4D, 0x4D): isLittleEndian = false
        default: return nil
        }
        guard let magic: UInt16 = header.integer(at: 2, isLittleEndian: isLittleEndian),
            Self.magicNumbers.contains(magic),
            let first: UInt32 = header.integer(at: 4, isLittleEndian: isLittleEndian)
        else { return nil }
        self.reader = reader
        self.base = base
        firstDirectory = UInt64(first)
    }

    /// A structure without a header of its own.
    init(_ reader: BoundedReader, base: UInt64, isLittleEndian: Bool, firstDirectory: UInt64) {
        self.reader = reader
        self.base = base
        self.isLittleEndian = isLittleEndian
        self.firstDirectory = firstDirectory
    }

    /// The directory at `offset` from `base`; nil where there is none. Entries beyond a sane number are left out.
    func directory(at offset: UInt64) -> TIFFDirectory? {
        guard let start = position(of: offset), let head = reader.bytes(at: start, count: 2),
            let stated: UInt16 = head.integer(at: 0, isLittleEndian: isLittleEndian), stated > 0
        else { return nil }
        let room = (reader.byteCount - start - 2) / UInt64(TIFFDirectory.entryByteCount)
        let count = min(Int(stated), TIFFDirectory.maximumEntryCount, Int(min(room, UInt64(UInt16.max))))
        guard let body = reader.bytes(at: start + 2, count: count * TIFFDirectory.entryByteCount) else { return nil }
        let next = reader.bytes(at: start + 2 + UInt64(body.count), count: 4)
            .flatMap { $0.integer(UInt32.self, at: 0, isLittleEndian: isLittleEndian) }
        return TIFFDirectory(tiff: self, body: body, next: next.map(UInt64.init) ?? 0)
    }

    /// Directory 0 and those chained to it, at most eight, none twice.
    var chain: [TIFFDirectory] {
        var (directories, seen, offset): ([TIFFDirectory], Set<UInt64>, UInt64) = ([], [], firstDirectory)
        while offset != 0, directories.count < 8, seen.insert(offset).inserted, let found = directory(at: offset) {
            directories.append(found)
            offset = found.next
        }
        return directories
    }

    /// Where an offset lies in the file; nil beyond its end.
    func position(of offset: UInt64) -> UInt64? {
        let (sum, overflow) = base.addingReportingOverflow(offset)
        return overflow || sum > reader.byteCount ? nil : sum
    }
}
