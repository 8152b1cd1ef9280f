import Bytes

/// In which way bytes are packed that the daemon and its commands do not unpack themselves.
package enum Packing: UInt8, Sendable, CaseIterable {
    // One stream of bytes: of a tar archive, or of one entry of a ZIP archive.
    case bzip2 = 1
    case xz = 2
    case zstd = 3
    /// As ZIP has it (APPNOTE 5.8): two bytes of a version, two of a size, the properties, and the stream.
    case lzma = 4
    case deflate64 = 5

    /// An archive with entries.
    case sevenZip = 16
}

/// Something to be unpacked.
package struct UnpackingJob: Equatable, Sendable {
    package let packing: Packing
    package let byteCount: UInt64
    /// What comes out, where that is known and the stream has no mark of its own for its end.
    package let unpackedByteCount: UInt64?

    package init(packing: Packing, byteCount: UInt64, unpackedByteCount: UInt64? = nil) {
        self.packing = packing
        self.byteCount = byteCount
        self.unpackedByteCount = unpackedByteCount
    }

    func write(to writer: inout ByteWriter) {
        writer.put(packing.rawValue)
        writer.put(byteCount)
        if let unpackedByteCount { writer.put(unpackedByteCount) }
    }

    init?(from reader: inout ByteReader) {
        guard let packing = reader.integer().flatMap(Packing.init(rawValue:)),
            let byteCount = reader.integer(UInt64.self)
        else { return nil }
        self.init(
            packing: packing, byteCount: byteCount,
            unpackedByteCount: reader.isAtEnd ? nil : reader.integer(UInt64.self))
    }
}

/// One entry of an archive, as its directory has it.
package struct UnpackedEntry: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case file
        case folder
        case link
        case other
    }

    /// In bytes. A longer name is cut behind one byte more, so that it shows.
    package static let longestName = 4096

    /// UTF-8, if the archive says so rightly.
    package let name: [UInt8]
    package let kind: Kind
    package let byteCount: UInt64
    /// Milliseconds since 1970.
    package let modifiedAt: Int64?

    package init(name: some Sequence<UInt8>, kind: Kind, byteCount: UInt64, modifiedAt: Int64?) {
        self.name = Array(name.prefix(Self.longestName + 1))
        self.kind = kind
        self.byteCount = byteCount
        self.modifiedAt = modifiedAt
    }

    /// Times between the years of four digits.
    private static let times: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000

    func write(to writer: inout ByteWriter) {
        writer.put(kind.rawValue)
        writer.put(byteCount)
        writer.put(modifiedAt ?? .min)
        writer.put(name)
    }

    init?(from payload: [UInt8]) {
        var reader = ByteReader(payload)
        guard let kind = reader.integer().flatMap(Kind.init(rawValue:)), let byteCount = reader.integer(UInt64.self),
            let time = reader.integer(Int64.self)
        else { return nil }
        self.init(
            name: payload.dropFirst(17), kind: kind, byteCount: byteCount,
            modifiedAt: Self.times.contains(time) ? time : nil)
    }
}

/// Why something could not be unpacked.
package enum UnpackingFailure: UInt8, Error, Sendable, CaseIterable {
    case damaged = 1
    case encrypted = 2
    case unsupported = 3
    case tooMuchMemory = 4
}
