import FoundationEssentials
import NIOCore

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
