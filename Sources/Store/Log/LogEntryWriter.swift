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
