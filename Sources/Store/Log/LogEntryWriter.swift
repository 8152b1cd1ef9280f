import Bytes
import Glibc

/// The first bytes of every entry.
struct LogEntryHeader: Equatable {
    enum Kind: UInt32 {
        case changes = 1
        /// Nothing follows in its epoch; `writer` is that of the next one.
        case seal = 2
    }

    static let magic = Array("SLLEDLOG".utf8)
    static let version: UInt32 = 1
    static let byteCount = 48

    var kind: Kind
    var position: LogPosition
    var writer: LogWriterID

    var bytes: [UInt8] {
        Self.magic + Self.version.bigEndianBytes + kind.rawValue.bigEndianBytes + position.epoch.bigEndianBytes
            + position.number.bigEndianBytes + writer.bytes
    }

    init(kind: Kind, position: LogPosition, writer: LogWriterID) {
        self.kind = kind
        self.position = position
        self.writer = writer
    }

    /// - Throws: `unusable` for one of a later version, `ledgerDamaged` for what is none.
    init(_ bytes: [UInt8]) throws(StoreError) {
        var reader = ByteReader(bytes)
        guard let magic = reader.read(Self.magic.count), Array(magic) == Self.magic, let version = reader.readUInt32()
        else { throw .ledgerDamaged("an entry of its log in the bucket is none") }
        guard version == Self.version else {
            throw .unusable("The bucket's log was written by a later version of Safelight. Install that one.")
        }
        guard let kind = reader.readUInt32().flatMap(Kind.init), let epoch = reader.readUInt64(),
            let number = reader.readUInt64(), let writer = reader.read(16).flatMap({ LogWriterID(bytes: $0) })
        else { throw .ledgerDamaged("an entry of its log in the bucket is damaged") }
        self.init(kind: kind, position: LogPosition(epoch: epoch, number: number), writer: writer)
    }
}

/// An entry of the log in the making. What is long lies in a file without a name: a change of key writes every row anew.
final class LogEntryWriter {
    /// Above that it goes to the file.
    private static let mostInMemory = 1 << 20
    /// Behind the rows.
    static let endTag: UInt8 = 0

    let position: LogPosition
    private let folder: Folder
    private let running: RunningSHA256
    private var buffer: [UInt8]
    private var file: OpenFile?
    private var byteCount: UInt64 = 0

    /// - Parameter folder: on whose file system the file may lie
    init(_ header: LogEntryHeader, in folder: Folder) throws(StoreError) {
        position = header.position
        self.folder = folder
        running = try RunningSHA256()
        buffer = header.bytes
    }

    func append(_ row: LogRow) throws {
        buffer.append(row.table)
        put(row.key)
        buffer.append(row.values == nil ? 0 : 1)
        for value in row.values ?? [] { put(value) }
        if buffer.count >= Self.mostInMemory { try flush() }
    }

    private func put(_ value: LogValue) {
        switch value {
        case .null: buffer.append(0)
        case .integer(let number):
            buffer.append(1)
            buffer += number.bigEndianBytes
        case .text(let bytes):
            buffer.append(2)
            putCounted(bytes)
        case .blob(let bytes):
            buffer.append(3)
            putCounted(bytes)
        }
    }

    private func putCounted(_ bytes: [UInt8]) {
        buffer += UInt32(truncatingIfNeeded: bytes.count).bigEndianBytes
        buffer += bytes
    }

    private func flush() throws {
        let target = try file ?? folder.openTemporary()
        file = target
        try digest(buffer)
        try target.write(buffer, at: byteCount)
        byteCount += UInt64(buffer.count)
        buffer = []
    }

    private func digest(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try running.update($0) }
    }

    /// With end mark and digest, ready to be sent. To be called once.
    func finish() throws -> LogEntryBody {
        buffer.append(Self.endTag)
        if file != nil { try flush() } else { try digest(buffer) }
        let end = try running.finish()
        if let file {
            try file.write(end, at: byteCount)
            return LogEntryBody(position: position, byteCount: byteCount + UInt64(end.count), source: file)
        }
        return LogEntryBody(position: position, byteCount: UInt64(buffer.count + end.count), source: buffer + end)
    }
}

/// An entry that can be sent as often as it takes.
struct LogEntryBody: Sendable {
    let position: LogPosition
    let byteCount: UInt64
    fileprivate let source: any ByteSource

    /// A seal, which has no rows.
    static func seal(at position: LogPosition, by writer: LogWriterID) throws(StoreError) -> LogEntryBody {
        let start = LogEntryHeader(kind: .seal, position: position, writer: writer).bytes + [LogEntryWriter.endTag]
        let bytes = start + (try sha256(start))
        return LogEntryBody(position: position, byteCount: UInt64(bytes.count), source: bytes)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        try source.read(into: buffer, at: offset)
    }

    /// SHA-256 in hexadecimal digits.
    func digest() throws -> String {
        let running = try RunningSHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < byteCount {
            let count = try read(into: buffer, at: offset)
            guard count > 0 else { throw StoreError.failure("reading an entry of the log", EIO) }
            try running.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += UInt64(count)
        }
        return Hexadecimal.encode(try running.finish())
    }
}

/// Reads an entry of the log front to back from the bucket, piece by piece. Nothing in it is trusted.
final class LogEntryReader {
    private static let pieceByteCount = 1 << 20
    private static let longestValue = 64 << 20

    let header: LogEntryHeader
    private let remote: any RemoteObjects
    private let name: String
    private let running: RunningSHA256
    private var piece: [UInt8]
    private var used = 0
    private var offset: UInt64
    private var isLastPiece: Bool

    /// Nil when there is no such entry.
    /// - Throws: `StoreError`, and what the place says that cannot be reached.
    static func open(_ position: LogPosition, in remote: any RemoteObjects) throws -> LogEntryReader? {
        let name = LogNames.entry(position)
        guard let first = try remote.read(name, 0..<UInt64(pieceByteCount)) else { return nil }
        let reader = try LogEntryReader(name, first, remote)
        guard reader.header.position == position else { throw damage() }
        return reader
    }

    private init(_ name: String, _ first: [UInt8], _ remote: any RemoteObjects) throws {
        guard first.count >= LogEntryHeader.byteCount else { throw Self.damage() }
        header = try LogEntryHeader(Array(first[..<LogEntryHeader.byteCount]))
        self.remote = remote
        self.name = name
        running = try RunningSHA256()
        piece = first
        offset = UInt64(first.count)
        isLastPiece = first.count < Self.pieceByteCount
        _ = try take(LogEntryHeader.byteCount)
    }

    /// Calls `body` for each row, and throws afterwards unless all of them were what was written: what was done with them
    /// must be undone then.
    func forEachRow(_ body: (LogRow) throws -> Void) throws {
        while true {
            let table = try byte()
            if table == LogEntryWriter.endTag { break }
            try body(try row(of: table))
        }
        let expected = try running.finish()
        guard Array(try take(expected.count, isDigested: false)) == expected else { throw Self.damage() }
    }

    private func row(of table: UInt8) throws -> LogRow {
        let columnCount: Int
        if table == LogTable.slots {
            columnCount = 1
        } else {
            guard let known = LogTable.numbered(table) else {
                throw StoreError.unusable(
                    "The bucket's log was written by a later version of Safelight. Install that one.")
            }
            columnCount = known.columns.count
        }
        let key = try value()
        switch try byte() {
        case 0: return LogRow(table: table, key: key, values: nil)
        case 1: return LogRow(table: table, key: key, values: try (0..<columnCount).map { _ in try value() })
        default: throw Self.damage()
        }
    }

    private func value() throws -> LogValue {
        switch try byte() {
        case 0: return .null
        case 1: return .integer(Int64(bitPattern: try integer(8)))
        case 2: return .text(try counted())
        case 3: return .blob(try counted())
        default: throw Self.damage()
        }
    }

    private func counted() throws -> [UInt8] {
        let count = Int(try integer(4))
        guard count <= Self.longestValue else { throw Self.damage() }
        return Array(try take(count))
    }

    private func byte() throws -> UInt8 {
        guard let byte = try take(1).first else { throw Self.damage() }
        return byte
    }

    private func integer(_ count: Int) throws -> UInt64 { try take(count).reduce(0) { $0 << 8 | UInt64($1) } }

    private func take(_ count: Int, isDigested: Bool = true) throws -> ArraySlice<UInt8> {
        while piece.count - used < count {
            guard !isLastPiece else { throw Self.damage() }
            let more = try remote.read(name, offset..<offset + UInt64(Self.pieceByteCount)) ?? []
            isLastPiece = more.count < Self.pieceByteCount
            offset += UInt64(more.count)
            piece = Array(piece[used...]) + more
            used = 0
        }
        defer { used += count }
        let taken = piece[used..<used + count]
        if isDigested { try taken.withUnsafeBytes { try running.update($0) } }
        return taken
    }

    private static func damage() -> StoreError { .ledgerDamaged("an entry of its log in the bucket is damaged") }
}
