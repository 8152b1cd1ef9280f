package import FoundationEssentials
package import NIOCore

/// How a ZIP archive is laid out whose entries are stored as they are (PKWARE APPNOTE 6.3.10): all sizes and positions
/// are known before the first byte, so that any part of it can be sent by itself.
///
/// Each entry says its size and checksum in front of its bytes, for readers that unpack while they read take no stored
/// entry that says them behind. Entries of 4 GiB and more, and archives of that size or of 65,535 entries and more, take
/// the ZIP64 forms; smaller ones do not, since some readers know only the older.
package struct ZipLayout: Sendable {
    private struct Record {
        let entry: ZipEntry
        let name: String
        let offset: UInt64
    }

    private var records: [Record] = []
    /// Behind the last entry.
    package let directoryOffset: UInt64
    private let directoryByteCount: UInt64
    /// The size of the whole archive in bytes.
    package let byteCount: UInt64

    package init(entries: [ZipEntry]) {
        var names = ZipPaths(folders: entries.compactMap(\.folder))
        var offset: UInt64 = 0
        var directory: UInt64 = 0
        for entry in entries {
            let record = Record(entry: entry, name: names.assign(entry), offset: offset)
            let facts = Self.facts(record, 0)
            offset += UInt64(ZipRecords.localHeader(facts).readableBytes) + entry.byteCount
            directory += UInt64(ZipRecords.directoryHeaderByteCount(for: facts))
            records.append(record)
        }
        directoryOffset = offset
        directoryByteCount = directory
        let end = ZipRecords.end(
            entryCount: UInt64(entries.count), directoryOffset: offset, directoryByteCount: directory)
        byteCount = offset + directory + UInt64(end.readableBytes)
    }

    package var count: Int { records.count }

    /// Where an entry begins.
    package func offset(of index: Int) -> UInt64 { records[index].offset }

    /// Where the entry behind it begins, or the directory.
    package func end(of index: Int) -> UInt64 {
        index + 1 < records.count ? records[index + 1].offset : directoryOffset
    }

    /// What stands in front of an entry's bytes.
    package func header(of index: Int, checksum: UInt32) -> ByteBuffer {
        ZipRecords.localHeader(Self.facts(records[index], checksum))
    }

    /// What the directory says of an entry.
    package func directoryHeader(of index: Int, checksum: UInt32) -> ByteBuffer {
        ZipRecords.directoryHeader(Self.facts(records[index], checksum))
    }

    /// The end of the archive.
    package func endRecords() -> ByteBuffer {
        ZipRecords.end(
            entryCount: UInt64(records.count), directoryOffset: directoryOffset,
            directoryByteCount: directoryByteCount)
    }

    /// Another one for other names, sizes, times or places.
    package var fingerprint: String {
        var checksum = ZipChecksum()
        for index in records.indices { checksum.append(directoryHeader(of: index, checksum: 0)) }
        return "\(byteCount)-\(checksum.value)"
    }

    private static func facts(_ record: Record, _ checksum: UInt32) -> ZipRecords.Facts {
        ZipRecords.Facts(
            name: record.name, byteCount: record.entry.byteCount, offset: record.offset, checksum: checksum,
            modifiedAt: record.entry.modifiedAt)
    }
}

/// One photo in an archive.
package struct ZipEntry: Equatable, Sendable {
    /// A name as the vault holds it; `ZipLayout` makes it safe and unique.
    package let name: String
    /// That of the folder that it is in, in the same way; nil for none.
    package let folder: String?
    package let byteCount: UInt64
    package let modifiedAt: Date

    package init(name: String, folder: String? = nil, byteCount: UInt64, modifiedAt: Date) {
        self.name = name
        self.folder = folder
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
    }
}

/// Names of entries and of their folders. Files beside the folders take no name of theirs.
struct ZipPaths {
    private var beside = ZipNames()
    private var folders: [String: (path: String, names: ZipNames)] = [:]

    init(folders: [String]) {
        for folder in folders where self.folders[folder] == nil {
            self.folders[folder] = (beside.assign(folder), ZipNames())
        }
    }

    mutating func assign(_ entry: ZipEntry) -> String {
        guard let folder = entry.folder, let path = folders[folder]?.path else { return beside.assign(entry.name) }
        let name = folders[folder]?.names.assign(entry.name) ?? entry.name
        return "\(path)/\(name)"
    }
}

/// Gives every entry of an archive a name that unpacks into one folder on every system, beside the others.
struct ZipNames {
    private var taken: Set<String> = []
    /// How often a name was asked for, so that many equal names do not make the search quadratic.
    private var repetitions: [String: Int] = [:]

    /// The portable form of `name`, with ` (2)`, ` (3)`, … before its extension where it is taken. Letter case and
    /// Unicode form do not tell names apart, as on the file systems of phones and laptops.
    mutating func assign(_ name: String) -> String {
        let name = PortableName(name)
        let key = PortableName.folded(name.text)
        var number = repetitions[key, default: 0]
        while true {
            number += 1
            let candidate = name.numbered(number)
            if taken.insert(PortableName.folded(candidate)).inserted {
                repetitions[key] = number
                return candidate
            }
        }
    }
}

/// The byte layouts of a ZIP archive: little endian, section numbers of PKWARE's APPNOTE 6.3.10.
enum ZipRecords {
    /// What the records of one entry say.
    struct Facts {
        let name: String
        let byteCount: UInt64
        /// Where the local header begins, from the archive's start.
        let offset: UInt64
        let checksum: UInt32
        let modifiedAt: Date

        var isLarge: Bool { byteCount >= 0xffff_ffff }
        var isFarBack: Bool { offset >= 0xffff_ffff }
    }

    /// Bit 11: the name is UTF-8.
    private static let flags: UInt16 = 1 << 11
    private static let plainVersion: UInt16 = 20
    private static let zip64Version: UInt16 = 45
    /// Made by a Unix system, so that the file mode in the external attributes counts.
    private static let madeByUnix: UInt16 = 3 << 8
    /// A regular file, rw-r--r--.
    private static let attributes: UInt32 = 0o100_644 << 16

    /// 4.3.7
    static func localHeader(_ facts: Facts) -> ByteBuffer {
        var extra = timestamp(facts.modifiedAt)
        if facts.isLarge {
            extra.write(UInt16(1), UInt16(16))
            extra.write(facts.byteCount, facts.byteCount)
        }
        // A ZIP64 entry says so by sizes of all ones; the true ones stand in its extra field.
        let size = facts.isLarge ? 0xffff_ffff : UInt32(facts.byteCount)
        var buffer = ByteBuffer()
        buffer.write(UInt32(0x0403_4b50))
        buffer.write(facts.isLarge ? zip64Version : plainVersion, flags, UInt16(0))
        buffer.write(dosTime(facts.modifiedAt))
        buffer.write(facts.checksum, size, size)
        buffer.write(UInt16(facts.name.utf8.count), UInt16(extra.readableBytes))
        buffer.writeString(facts.name)
        buffer.writeImmutableBuffer(extra)
        return buffer
    }

    /// 4.3.12
    static func directoryHeader(_ facts: Facts) -> ByteBuffer {
        let extra = directoryExtra(facts)
        let size = facts.isLarge ? 0xffff_ffff : UInt32(facts.byteCount)
        let version = facts.isLarge || facts.isFarBack ? zip64Version : plainVersion
        var buffer = ByteBuffer()
        buffer.write(UInt32(0x0201_4b50))
        buffer.write(madeByUnix | version, version, flags, UInt16(0))
        buffer.write(dosTime(facts.modifiedAt))
        buffer.write(facts.checksum, size, size)
        buffer.write(UInt16(facts.name.utf8.count), UInt16(extra.readableBytes), UInt16(0), UInt16(0), UInt16(0))
        buffer.write(attributes, facts.isFarBack ? 0xffff_ffff : UInt32(facts.offset))
        buffer.writeString(facts.name)
        buffer.writeImmutableBuffer(extra)
        return buffer
    }

    static func directoryHeaderByteCount(for facts: Facts) -> Int {
        46 + facts.name.utf8.count + directoryExtra(facts).readableBytes
    }

    /// 4.3.14 to 4.3.16
    static func end(entryCount: UInt64, directoryOffset: UInt64, directoryByteCount: UInt64) -> ByteBuffer {
        var buffer = ByteBuffer()
        if entryCount >= 0xffff || directoryOffset >= 0xffff_ffff || directoryByteCount >= 0xffff_ffff {
            buffer.write(UInt32(0x0606_4b50))
            buffer.write(UInt64(44))
            buffer.write(madeByUnix | zip64Version, zip64Version)
            buffer.write(UInt32(0), UInt32(0))
            buffer.write(entryCount, entryCount, directoryByteCount, directoryOffset)
            buffer.write(UInt32(0x0706_4b50), UInt32(0))
            buffer.write(directoryOffset + directoryByteCount)
            buffer.write(UInt32(1))
        }
        let shortCount = UInt16(min(entryCount, 0xffff))
        buffer.write(UInt32(0x0605_4b50))
        buffer.write(UInt16(0), UInt16(0), shortCount, shortCount)
        buffer.write(UInt32(min(directoryByteCount, 0xffff_ffff)), UInt32(min(directoryOffset, 0xffff_ffff)))
        buffer.write(UInt16(0))
        return buffer
    }

    private static func directoryExtra(_ facts: Facts) -> ByteBuffer {
        var extra = timestamp(facts.modifiedAt)
        let count: UInt16 = (facts.isLarge ? 16 : 0) + (facts.isFarBack ? 8 : 0)
        guard count > 0 else { return extra }
        extra.write(UInt16(1), count)
        if facts.isLarge { extra.write(facts.byteCount, facts.byteCount) }
        if facts.isFarBack { extra.write(facts.offset) }
        return extra
    }

    /// Info-ZIP's extended timestamp: seconds since 1970 as 32 bits with sign, left out where they do not fit.
    private static func timestamp(_ date: Date) -> ByteBuffer {
        var extra = ByteBuffer()
        guard let seconds = Int32(exactly: date.timeIntervalSince1970.rounded(.down)) else { return extra }
        extra.write(UInt16(0x5455), UInt16(5))
        extra.writeInteger(UInt8(1))
        extra.writeInteger(seconds, endianness: .little)
        return extra
    }

    /// 4.4.6: steps of two seconds from 1980 on, without a zone: what a clock on the wall of this host
    /// showed, for so readers understand it.
    private static func dosTime(_ date: Date) -> UInt32 {
        let time = UTCTime.onHost(date)
        guard time.year >= 1980 else { return 1 << 21 | 1 << 16 }
        guard time.year <= 2107 else { return 0xff9f_bf7d }
        let day = UInt32(time.year - 1980) << 9 | UInt32(time.month) << 5 | UInt32(time.day)
        return day << 16 | UInt32(time.hour) << 11 | UInt32(time.minute) << 5 | UInt32(time.second / 2)
    }
}

extension ByteBuffer {
    fileprivate mutating func write<Number: FixedWidthInteger>(_ numbers: Number...) {
        for number in numbers { writeInteger(number, endianness: .little) }
    }
}
