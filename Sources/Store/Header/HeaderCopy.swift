import Bytes

/// One of the three copies in `store.header`: 4,096 bytes, integers big-endian.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 8 | magic `SLHEADER` |
/// | 8 | 4 | format version |
/// | 12 | 8 | sequence |
/// | 20 | 4 | creation day |
/// | 24 | 16 | host salt |
/// | 40 | 4 | number of KDF records |
/// | 44 | 64 | two KDF records, the second zero if there is one |
/// | 108 | 12 | features: compatible, read-only, incompatible |
/// | 120 | 4 | number of the writer |
/// | 124 | 3940 | zero |
/// | 4064 | 32 | SHA-256 of all before it |
///
/// Every later format keeps size, magic, version and digest where they are, so that it is recognised as newer.
enum HeaderCopy {
    static let byteCount = 4096
    static let count = 3
    private static let featuresOffset = 108
    private static let digestOffset = 4064
    private static let magic = Array("SLHEADER".utf8)

    enum Content: Equatable {
        case valid(HostHeader)
        case newer(UInt32)
        /// The digest is wrong, yet the version field reads as a later one.
        case damagedNewer(UInt32)
        case damaged
    }

    static func encode(_ header: HostHeader) throws(StoreError) -> [UInt8] {
        guard header.isWellFormed else { throw .unusable("The new header has fields of a wrong size.") }
        var bytes = magic + header.formatVersion.bigEndianBytes + header.sequence.bigEndianBytes
        bytes += header.createdDay.bigEndianBytes + header.hostSalt
        bytes += UInt32(header.kdfRecords.count).bigEndianBytes + header.kdfRecords.joined()
        bytes += [UInt8](repeating: 0, count: featuresOffset - bytes.count)
        for word in [
            header.features.compatible, header.features.readOnly, header.features.incompatible, header.writer,
        ] { bytes += word.bigEndianBytes }
        bytes += [UInt8](repeating: 0, count: digestOffset - bytes.count)
        return bytes + (try sha256(bytes))
    }

    static func decode(_ bytes: some Collection<UInt8>) throws(StoreError) -> Content {
        let bytes = [UInt8](bytes)
        guard bytes.count == byteCount, bytes.starts(with: magic) else { return .damaged }
        let version = integer(bytes, at: 8, as: UInt32.self)
        let isIntact = try sha256(bytes[..<digestOffset]) == Array(bytes[digestOffset...])
        guard version <= HostHeader.supportedFormatVersion else {
            return isIntact ? .newer(version) : .damagedNewer(version)
        }
        let recordCount = integer(bytes, at: 40, as: UInt32.self)
        guard isIntact, (1...2).contains(recordCount) else { return .damaged }
        var header = HostHeader(
            formatVersion: version, sequence: integer(bytes, at: 12, as: UInt64.self),
            createdDay: integer(bytes, at: 20, as: UInt32.self), hostSalt: Array(bytes[24..<40]),
            kdfRecords: (0..<Int(recordCount)).map { Array(bytes[(44 + 32 * $0)..<(76 + 32 * $0)]) })
        func word(_ index: Int) -> UInt32 { integer(bytes, at: featuresOffset + 4 * index, as: UInt32.self) }
        header.features = .init(compatible: word(0), readOnly: word(1), incompatible: word(2))
        header.writer = word(3)
        guard header.features.areReadable else { return .newer(version) }
        return header.isWellFormed ? .valid(header) : .damaged
    }

    private static func integer<I: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as type: I.Type) -> I {
        bytes[offset..<offset + MemoryLayout<I>.size].reduce(0) { $0 << 8 | I($1) }
    }
}
