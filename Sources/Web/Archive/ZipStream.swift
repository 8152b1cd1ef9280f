import FoundationEssentials
package import NIOCore

/// Writes a ZIP archive whose entries are stored and streamed (PKWARE APPNOTE 6.3.10).
///
/// Sizes are known beforehand, checksums only behind each entry's bytes: those stand in a data descriptor. Entries of
/// 4 GiB and more, and archives of that size or of 65,535 entries and more, take the ZIP64 forms; smaller ones do not,
/// since some readers know only the older. Call, for each entry in order, `beginEntry()`, `append(_:)` for all of its
/// bytes, `endEntry()`; then `finish()`. What the calls return is to be sent in between.
package struct ZipStream {
    private struct Record {
        let entry: ZipEntry
        let name: String
        let offset: UInt64
        var checksum: UInt32 = 0
    }

    /// All sizes and positions of the archive, of which only the checksums are missing.
    private var records: [Record] = []
    private let directoryOffset: UInt64
    private var current = -1
    private var checksum = ZipChecksum()

    package init(entries: [ZipEntry]) {
        var names = ZipNames()
        var offset: UInt64 = 0
        for entry in entries {
            let record = Record(entry: entry, name: names.assign(entry.name), offset: offset)
            offset += Self.byteCount(of: record)
            records.append(record)
        }
        directoryOffset = offset
    }

    /// The size of the whole archive in bytes, known before the first one is written.
    package var byteCount: UInt64 {
        let directory = records.reduce(0) { $0 + UInt64(ZipRecords.directoryHeaderByteCount(for: facts($1))) }
        return directoryOffset + directory + UInt64(endRecords(directoryByteCount: directory).readableBytes)
    }

    /// The local header of the next entry.
    package mutating func beginEntry() -> ByteBuffer {
        current += 1
        checksum = ZipChecksum()
        return ZipRecords.localHeader(facts(records[current]))
    }

    /// Counts bytes of the current entry into its checksum; they are sent as they are.
    package mutating func append(_ bytes: ByteBuffer) {
        checksum.append(bytes)
    }

    /// The data descriptor behind the current entry's bytes.
    package mutating func endEntry() -> ByteBuffer {
        records[current].checksum = checksum.value
        return ZipRecords.dataDescriptor(facts(records[current]))
    }

    /// The central directory and the end of the archive.
    package func finish() -> ByteBuffer {
        var buffer = ByteBuffer()
        for record in records { buffer.writeImmutableBuffer(ZipRecords.directoryHeader(facts(record))) }
        buffer.writeImmutableBuffer(endRecords(directoryByteCount: UInt64(buffer.readableBytes)))
        return buffer
    }

    private func endRecords(directoryByteCount: UInt64) -> ByteBuffer {
        ZipRecords.end(
            entryCount: UInt64(records.count), directoryOffset: directoryOffset,
            directoryByteCount: directoryByteCount)
    }

    private func facts(_ record: Record) -> ZipRecords.Facts { Self.facts(record) }

    private static func facts(_ record: Record) -> ZipRecords.Facts {
        ZipRecords.Facts(
            name: record.name, byteCount: record.entry.byteCount, offset: record.offset, checksum: record.checksum,
            modifiedAt: record.entry.modifiedAt)
    }

    private static func byteCount(of record: Record) -> UInt64 {
        let facts = facts(record)
        let frame = ZipRecords.localHeader(facts).readableBytes + ZipRecords.dataDescriptor(facts).readableBytes
        return UInt64(frame) + record.entry.byteCount
    }
}
