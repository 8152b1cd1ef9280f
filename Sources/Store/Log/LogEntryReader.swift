import Bytes

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
