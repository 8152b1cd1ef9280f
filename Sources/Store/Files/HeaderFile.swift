import Bytes
import Glibc
import Synchronization

/// `store.header`: three copies, of which any good one heals the others.
final class HeaderFile: Sendable {
    private let file: OpenFile
    private let condition: StoreCondition
    private let current: Mutex<HostHeader>

    private init(_ file: OpenFile, _ condition: StoreCondition, _ header: HostHeader) {
        self.file = file
        self.condition = condition
        current = Mutex(header)
    }

    var header: HostHeader { current.withLock { $0 } }

    /// The header that counts, read without changing anything; nil when there is no file.
    static func inspect(in folder: Folder) throws(StoreError) -> HostHeader? {
        guard let file = try folder.openIfPresent(StoreLayout.header, O_RDONLY) else { return nil }
        return try choose(copies(in: file))
    }

    /// The header that counts, read without changing anything.
    /// - Parameter path: that of the folder, for the refusal when there is no store in it.
    @discardableResult
    static func require(in folder: Folder, path: String) throws(StoreError) -> HostHeader {
        try choose(copies(in: requireFile(in: folder, path: path)))
    }

    /// The same of a store that this program may change.
    @discardableResult
    static func requireChangeable(in folder: Folder, path: String) throws(StoreError) -> HostHeader {
        let header = try require(in: folder, path: path)
        try header.requireChangeable()
        return header
    }

    /// Whether something may be noted in a folder: it holds a store, and none of a later version, of which not a byte is
    /// changed. A store whose header is damaged has its notes all the same: a daemon may be serving it.
    static func takesNotes(_ folder: Folder) -> Bool {
        guard folder.contains(StoreLayout.header) else { return false }
        do {
            return try inspect(in: folder)?.features.areChangeable ?? false
        } catch {
            if case .newerFormat = error { return false }
            return true
        }
    }

    static func requireFile(in folder: Folder, path: String) throws(StoreError) -> OpenFile {
        guard let file = try folder.openIfPresent(StoreLayout.header, O_RDONLY) else {
            throw .unusable("\(path) has no \(StoreLayout.header); it is not a data directory.")
        }
        return file
    }

    static func copies(in file: OpenFile) throws(StoreError) -> [HeaderCopy.Content] {
        var copies: [HeaderCopy.Content] = []
        for index in 0..<HeaderCopy.count { copies.append(try copy(index, in: file)) }
        return copies
    }

    /// One that the disk cannot read is damaged: the others stand in for it.
    private static func copy(_ index: Int, in file: OpenFile) throws(StoreError) -> HeaderCopy.Content {
        let bytes: [UInt8]
        do {
            bytes = try file.bytes(at: UInt64(index * HeaderCopy.byteCount), count: HeaderCopy.byteCount)
        } catch .ioFailed(_, EIO) {
            return .damaged
        }
        return try HeaderCopy.decode(bytes)
    }

    /// The file with all three copies good.
    static func bytes(of header: HostHeader) throws(StoreError) -> [UInt8] {
        let copy = try HeaderCopy.encode(header)
        return copy + copy + copy
    }

    /// Refuses when a copy is of a newer format, or when none is good.
    static func choose(_ copies: [HeaderCopy.Content]) throws(StoreError) -> HostHeader {
        var best: HostHeader?
        var newer: UInt32?
        for case .newer(let version) in copies { newer = max(newer ?? 0, version) }
        for case .valid(let header) in copies where header.sequence > best?.sequence ?? 0 { best = header }
        if best == nil {
            for case .damagedNewer(let version) in copies { newer = newer ?? version }
        }
        if let newer { throw .newerFormat(found: newer, supported: HostHeader.supportedFormatVersion) }
        guard let best else {
            throw .unusable(
                "All three copies in \(StoreLayout.header) are damaged. Put this file back from a backup; "
                    + "nothing else was touched.")
        }
        return best
    }

    /// Opens the file and writes damaged or older copies again.
    static func open(
        in folder: Folder, condition: StoreCondition, _ report: inout StartupReport
    ) throws(StoreError) -> HeaderFile {
        let file = try folder.open(StoreLayout.header, O_RDWR)
        let copies = try copies(in: file)
        let header = try choose(copies)
        let opened = HeaderFile(file, condition, header)
        for index in copies.indices where copies[index] != .valid(header) { opened.heal(index, &report) }
        return opened
    }

    /// Another copy is good: one that cannot be written is no reason to keep anybody from the photos.
    private func heal(_ index: Int, _ report: inout StartupReport) {
        do {
            try write(header, to: [index])
            report.healedHeaderCopies += 1
        } catch {
            report.notes.append(
                "Header copy \(index) is damaged and could not be written again (\(error)); the next start tries again."
            )
        }
    }

    /// The file of a new store, complete and synced under its name.
    static func create(_ header: HostHeader, in folder: Folder) throws(StoreError) {
        let bytes = try bytes(of: header)
        try folder.unlink(StoreLayout.newHeader)
        let file = try folder.open(StoreLayout.newHeader, O_RDWR | O_CREAT | O_EXCL)
        try file.write(bytes, at: 0)
        try file.synchronize()
        try folder.rename(StoreLayout.newHeader, to: StoreLayout.header)
        try folder.synchronize()
    }

    /// Writes `header` under the next sequence number, each copy synced before the next is touched.
    func replace(_ header: HostHeader) throws {
        try condition.requireSound()
        try current.withLock { current in
            var next = header
            next.sequence = current.sequence + 1
            next.writer = HostHeader.currentWriter
            try write(next, to: Array(0..<HeaderCopy.count))
            current = next
        }
    }

    private func write(_ header: HostHeader, to copies: [Int]) throws(StoreError) {
        let bytes = try HeaderCopy.encode(header)
        for index in copies {
            do {
                try file.write(bytes, at: UInt64(index * HeaderCopy.byteCount))
                try file.synchronizeData()
            } catch {
                condition.noteWriteFailure(error)
                throw error
            }
        }
    }
}

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

/// What the whole store has in common: readable by anybody, secret to nobody.
package struct HostHeader: Equatable, Sendable {
    package static let supportedFormatVersion: UInt32 = 1
    /// A number of the versions of this program whose stores another one may have to tell apart; it only grows.
    package static let currentWriter: UInt32 = 1
    package static let hostSaltByteCount = 16
    package static let kdfRecordByteCount = 32

    package var formatVersion: UInt32
    /// Grows with every replacement; the highest valid copy wins.
    package var sequence: UInt64
    /// Days since 1970.
    package var createdDay: UInt32
    /// 16 bytes.
    package var hostSalt: [UInt8]
    /// One or two records of 32 bytes, opaque here.
    package var kdfRecords: [[UInt8]]
    package var features = Features()
    /// Of the version that has written this header; 0 for those of before there were numbers.
    package var writer: UInt32 = currentWriter

    package init(
        formatVersion: UInt32 = supportedFormatVersion, sequence: UInt64 = 1, createdDay: UInt32, hostSalt: [UInt8],
        kdfRecords: [[UInt8]]
    ) {
        self.formatVersion = formatVersion
        self.sequence = sequence
        self.createdDay = createdDay
        self.hostSalt = hostSalt
        self.kdfRecords = kdfRecords
    }

    /// What the store has besides what every store of this format has, a bit each: as ext4 does, a store tells an older
    /// program by the word in which a bit stands what that may do.
    package struct Features: Equatable, Sendable {
        /// A program that does not know one may read and change the store.
        package var compatible: UInt32 = 0
        /// Such a one may read the store, and change nothing.
        package var readOnly: UInt32 = 0
        /// Such a one can do nothing with it.
        package var incompatible: UInt32 = 0

        /// Those of this program.
        package static let known = Features()

        var areReadable: Bool { incompatible & ~Self.known.incompatible == 0 }
        var areChangeable: Bool { areReadable && readOnly & ~Self.known.readOnly == 0 }
    }

    /// - Throws: `unusable` where the store has something that this program may not change.
    func requireChangeable() throws(StoreError) {
        guard !features.areChangeable else { return }
        throw .unusable(
            "The data directory has something that came with a later version; this one may read it, and not change it: "
                + "check, export and backup work. Nothing was changed. Install the version that wrote it, or a later one."
        )
    }

    var isWellFormed: Bool {
        formatVersion == Self.supportedFormatVersion && hostSalt.count == Self.hostSaltByteCount
            && (1...2).contains(kdfRecords.count) && kdfRecords.allSatisfy { $0.count == Self.kdfRecordByteCount }
    }
}
