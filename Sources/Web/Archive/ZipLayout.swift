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
