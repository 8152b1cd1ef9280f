import CZlib
import Glibc
import ImagingProtocol

/// The central directory of a ZIP archive (APPNOTE 6.3.10, 4.3.12 to 4.3.16): what is in it, and where. It leads: what
/// stands before each entry is compared with it, so that no two readers can see two archives in one file.
struct ZipDirectory {
    /// Methods but stored (0) and deflated (8).
    static let packings: [UInt16: Packing] = [9: .deflate64, 12: .bzip2, 14: .lzma, 93: .zstd, 95: .xz]

    struct Record {
        var entry: ImportEntry
        /// APPNOTE 4.4.5.
        var method: UInt16
        /// A mark in the stream of LZMA says where it ends.
        var hasEndMark: Bool
        var packedByteCount: UInt64
        var checksum: UInt32
        /// Of the header that stands before its bytes.
        var offset: UInt64
        /// As it stands there.
        var name: [UInt8]
    }

    private static let entryMark: UInt32 = 0x0403_4B50
    private static let recordMark: UInt32 = 0x0201_4B50
    /// Of a record, without its name and what follows that.
    private static let recordByteCount: UInt64 = 46
    /// Of a signature, behind the last record.
    private static let signatureMark: UInt32 = 0x0505_4B50
    private static let endByteCount = 22
    private static let longestComment = 65_535
    /// Of the header before an entry, without its name and what follows that.
    private static let headerByteCount: UInt64 = 30
    /// What may follow the bytes of an entry: a mark, a checksum and two sizes.
    private static let descriptorByteCount: UInt64 = 24
    /// Fewer bytes before an entry are what archivers put there, or a script that unpacks the rest, and no photo.
    private static let littleByteCount: UInt64 = 128
    private static let severalDisks =
        "is the last of several parts: join or unpack them with the program that made them, and name the folder"

    /// In the order in which they lie in the file; folders are left out, and what the directory does not name is refused.
    private(set) var records: [Record] = []
    /// Where folders lie, which have a header and no bytes.
    private var folders: [(offset: UInt64, byteCount: UInt64)] = []
    /// Where the directory begins: no entry reaches behind it.
    private(set) var begin: UInt64 = 0

    private struct End {
        var count: UInt64
        var byteCount: UInt64
        var offset: UInt64
        /// Where the record lies that told this: the directory ends there.
        var position: UInt64
    }

    /// - Throws: `ImportError.source`.
    init(_ file: PositionedFile) throws {
        let end = try Self.findEnd(file)
        guard end.count <= ArchiveLimits.mostEntries, end.byteCount <= ArchiveLimits.largestDirectory else {
            throw ImportError.source("has a directory that is too large")
        }
        guard end.byteCount <= end.position, end.offset <= end.position - end.byteCount else {
            throw ImportError.source(PositionedFile.cutOff)
        }
        begin = end.position - end.byteCount
        // What may stand before an archive moves everything in it.
        let shift = begin - end.offset
        // Two archives joined into one file: the directory of the last one knows nothing of those before it.
        if shift > 0, try file.bytes(at: 0, count: 4).little32(0) == Self.entryMark {
            throw ImportError.source("holds several archives behind each other; take them apart first")
        }
        try readRecords(file, end, shift: shift)
        records.sort { $0.offset < $1.offset }
        refuseOverlaps()
        try addHidden(file)
        for index in records.indices { records[index].entry.ordinal = index }
    }

    // MARK: The end

    private static func findEnd(_ file: PositionedFile) throws -> End {
        let count = Int(min(file.byteCount, UInt64(endByteCount + longestComment)))
        let start = file.byteCount - UInt64(count)
        let tail = try file.bytes(at: start, count: count)
        var place = tail.count - endByteCount
        while place >= 0 {
            if tail.little32(place) == 0x0605_4B50, place + endByteCount + Int(tail.little16(place + 20)) == tail.count
            {
                return try end(Array(tail[place...]), at: start + UInt64(place), file)
            }
            place -= 1
        }
        throw ImportError.source(PositionedFile.cutOff)
    }

    private static func end(_ bytes: [UInt8], at position: UInt64, _ file: PositionedFile) throws -> End {
        if position >= 20 {
            let locator = try file.bytes(at: position - 20, count: 20)
            if locator.little32(0) == 0x0706_4B50 {
                let large = try largeEnd(locator, before: position - 20, file)
                // Who reads only the small one sees the same list, or is sent on: else one file is two archives.
                let isSame =
                    (bytes.little16(10) == .max || UInt64(bytes.little16(10)) == large.count & 0xFFFF)
                    && [(bytes.little32(12), large.byteCount), (bytes.little32(16), large.offset)].allSatisfy {
                        $0 == .max || UInt64($0) == $1
                    }
                guard isSame else { throw ImportError.source("has two ends that tell different things") }
                return large
            }
        }
        guard bytes.little16(4) == 0, bytes.little16(6) == 0, bytes.little16(8) == bytes.little16(10) else {
            throw ImportError.source(severalDisks)
        }
        return End(
            count: UInt64(bytes.little16(10)), byteCount: UInt64(bytes.little32(12)),
            offset: UInt64(bytes.little32(16)), position: position)
    }

    /// ZIP64.
    private static func largeEnd(_ locator: [UInt8], before limit: UInt64, _ file: PositionedFile) throws -> End {
        let named = locator.little64(8)
        // Behind other bytes it lies further on than it is said to.
        for place in [named, limit >= 56 ? limit - 56 : 0] where place <= limit && limit - place >= 56 {
            let bytes = try file.bytes(at: place, count: 56)
            guard bytes.little32(0) == 0x0606_4B50 else { continue }
            guard bytes.little32(16) == 0, bytes.little32(20) == 0 else {
                throw ImportError.source(severalDisks)
            }
            return End(
                count: bytes.little64(32), byteCount: bytes.little64(40), offset: bytes.little64(48), position: place)
        }
        throw ImportError.source(PositionedFile.cutOff)
    }

    // MARK: Records

    private mutating func readRecords(_ file: PositionedFile, _ end: End, shift: UInt64) throws {
        var (place, count): (UInt64, UInt64) = (begin, 0)
        // All of them, for the number may be wrong: archivers without 64 bits write it modulo 65,536.
        while place < end.position {
            let header = try file.bytes(at: place, count: Int(min(Self.recordByteCount, end.position - place)))
            if header.count >= 4, header.little32(0) == Self.signatureMark { break }
            guard header.count == Int(Self.recordByteCount), header.little32(0) == Self.recordMark,
                count < ArchiveLimits.mostEntries
            else { throw ImportError.source("has a damaged directory") }
            count += 1
            let counts = [28, 30, 32].map { Int(header.little16($0)) }
            let rest = try file.bytes(at: place + Self.recordByteCount, count: counts[0] + counts[1])
            place += Self.recordByteCount + UInt64(counts[0] + counts[1] + counts[2])
            guard place <= end.position else { throw ImportError.source("has a damaged directory") }
            try add(header, name: Array(rest[..<counts[0]]), extra: Array(rest[counts[0]...]), shift: shift)
        }
        guard (count ^ end.count) & 0xFFFF == 0 else {
            throw ImportError.source("has a directory of \(count) files that counts \(end.count)")
        }
    }

    private mutating func add(_ header: [UInt8], name: [UInt8], extra: [UInt8], shift: UInt64) throws {
        let extras = ZipExtras(extra)
        var sizes = [header.little32(24), header.little32(20), header.little32(42)].map(UInt64.init)
        guard extras.widen(&sizes) else { throw ImportError.source("has a damaged directory") }
        let (offset, overflow) = sizes[2].addingReportingOverflow(shift)
        guard !overflow else { throw ImportError.source("has a damaged directory") }
        // A folder is a name that ends so, and has no content.
        if name.last == UInt8(ascii: "/"), sizes[0] == 0 {
            folders.append((offset, Self.headerByteCount + UInt64(name.count)))
            return
        }
        let written = extras.unicodeName(of: name) ?? name
        var (path, refusal) = EntryName.checked(EntryName.text(written))
        let (flags, method) = (header.little16(8), header.little16(10))
        if refusal == nil { refusal = Self.refusal(flags: flags, method: method, sizes, header) }
        var entry = ImportEntry(
            ordinal: 0, path: path, byteCount: sizes[0],
            modifiedAt: extras.modifiedAt ?? Self.time(header.little16(12), date: header.little16(14)),
            refusal: refusal)
        entry.isPathGuessed = EntryName.isGuess(written)
        records.append(
            Record(
                entry: entry, method: method, hasEndMark: flags & 2 != 0, packedByteCount: sizes[1],
                checksum: header.little32(16),
                offset: offset,
                name: name))
    }

    private static func refusal(flags: UInt16, method: UInt16, _ sizes: [UInt64], _ header: [UInt8]) -> String? {
        if flags & 0x41 != 0 { return "it is encrypted: \(UnpackingFailure.remedy)" }
        guard [0, 8].contains(method) || packings[method] != nil else {
            return "it is packed in a way that is not known here (\(method)): \(UnpackingFailure.remedy)"
        }
        if method == 0, sizes[0] != sizes[1] { return "its two sizes differ" }
        // Unix notes the kind of a file in the upper half; a link has its target for content.
        if header[5] == 3, header.little32(38) >> 28 == 0xA { return "it is a link" }
        return ArchiveLimits.isBomb(produced: sizes[0], consumed: sizes[1]) ? ArchiveLimits.bombReason : nil
    }

    /// Entries that share bytes are how small archives claim to be large ones.
    private mutating func refuseOverlaps() {
        for index in records.indices {
            let record = records[index]
            let next = index + 1 < records.count ? records[index + 1].offset : begin
            // The header, and the name again.
            let (size, overflow) = record.packedByteCount.addingReportingOverflow(
                Self.headerByteCount + UInt64(record.name.count))
            if overflow || record.offset > next || next - record.offset < size {
                records[index].entry.refusal = records[index].entry.refusal ?? "its bytes are those of others, too"
            }
        }
    }

    /// Bytes that the directory does not name may be photos all the same, as of an archive that lost its list or a program
    /// that forgot one: nobody may say that everything was read.
    private mutating func addHidden(_ file: PositionedFile) throws {
        let entries = records.map { record -> (offset: UInt64, byteCount: UInt64) in
            // Of what is refused nothing is believed, its size neither.
            guard record.entry.refusal == nil else { return (record.offset, .max) }
            return (record.offset, Self.headerByteCount + UInt64(record.name.count) + record.packedByteCount)
        }
        let places = (folders + entries).sorted { $0.offset < $1.offset }
        var hidden: [Range<UInt64>] = []
        let first = min(places.first?.offset ?? begin, begin)
        if first > Self.littleByteCount { hidden.append(0..<first) }
        for (index, place) in places.enumerated() {
            let limit = index + 1 < places.count ? places[index + 1].offset : begin
            let (end, overflow) = place.offset.addingReportingOverflow(place.byteCount)
            guard !overflow, end < limit, limit - end > Self.littleByteCount else { continue }
            let extra = UInt64(try file.bytes(at: place.offset, count: Int(Self.headerByteCount)).little16(28))
            let known = end + extra + Self.descriptorByteCount
            if known < limit { hidden.append(known..<limit) }
        }
        records += hidden.map { range in
            let byteCount = range.upperBound - range.lowerBound
            return Record(
                entry: ImportEntry(
                    ordinal: 0, path: "bytes from \(range.lowerBound) to \(range.upperBound)", byteCount: byteCount,
                    refusal: "the archive's own list does not name them: \(UnpackingFailure.remedy)"),
                method: 0, hasEndMark: false, packedByteCount: byteCount, checksum: 0, offset: range.lowerBound,
                name: [])
        }
        records.sort { $0.offset < $1.offset }
    }

    /// Of a clock on the wall of whoever packed it, read as one of here.
    private static func time(_ time: UInt16, date: UInt16) -> Int64? {
        guard date != 0 else { return nil }
        var parts = tm()
        parts.tm_year = CInt(date >> 9) + 80
        parts.tm_mon = CInt(date >> 5 & 15) - 1
        parts.tm_mday = CInt(date & 31)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (CInt(time >> 11), CInt(time >> 5 & 63), CInt(time & 31) * 2)
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        return seconds == -1 ? nil : Int64(seconds) * 1000
    }
}

/// The extra fields of an entry (APPNOTE 4.5): sizes beyond 32 bits, a name in UTF-8, times in UTC.
struct ZipExtras {
    private var fields: [UInt16: [UInt8]] = [:]

    init(_ bytes: [UInt8]) {
        var place = 0
        while place + 4 <= bytes.count {
            let (tag, count) = (bytes.little16(place), Int(bytes.little16(place + 2)))
            guard place + 4 + count <= bytes.count else { return }
            if fields[tag] == nil { fields[tag] = Array(bytes[(place + 4)..<(place + 4 + count)]) }
            place += 4 + count
        }
    }

    /// Puts the whole numbers in place of those that did not fit.
    /// - Parameter sizes: unpacked, packed, offset, in the order in which they stand in the field.
    /// - Returns: false where one is missing.
    func widen(_ sizes: inout [UInt64]) -> Bool {
        let field = fields[0x0001] ?? []
        var place = 0
        for index in sizes.indices where sizes[index] == 0xFFFF_FFFF {
            guard place + 8 <= field.count else { return fields[0x0001] == nil }
            sizes[index] = field.little64(place)
            place += 8
        }
        return true
    }

    /// That of Info-ZIP, if it was made for this very name.
    func unicodeName(of name: [UInt8]) -> [UInt8]? {
        guard let field = fields[0x7075], field.count > 5, field[0] == 1 else { return nil }
        let checksum = UInt32(truncatingIfNeeded: crc32(0, name, UInt32(clamping: name.count)))
        return checksum == field.little32(1) ? Array(field[5...]) : nil
    }

    /// Milliseconds since 1970.
    var modifiedAt: Int64? {
        guard let field = fields[0x5455], field.count >= 5, field[0] & 1 != 0 else { return nil }
        return Int64(Int32(bitPattern: field.little32(1))) * 1000
    }
}

/// Integers as ZIP writes them, at places that were checked before.
extension [UInt8] {
    func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func little32(_ offset: Int) -> UInt32 { UInt32(little16(offset)) | UInt32(little16(offset + 2)) << 16 }
    func little64(_ offset: Int) -> UInt64 { UInt64(little32(offset)) | UInt64(little32(offset + 4)) << 32 }
}
