package import GRDB
import GRDBSQLite

/// What a statement's place is filled with.
package enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    /// The 16 bytes of an `OpaqueID`.
    case id(high: UInt64, low: UInt64)

    package static func id<Kind>(_ id: OpaqueID<Kind>) -> SQLValue { .id(high: id.high, low: id.low) }
    package static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
    package static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
    package static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }

    /// SQLite's "copy it": the bytes are valid during the call only.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, position)
        case .integer(let value): return sqlite3_bind_int64(statement, position, value)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(statement, position, $0.baseAddress, Int32($0.count), Self.transient)
                }
            }
        case .blob(let bytes): return bytes.withUnsafeBytes { Self.bind($0, to: statement, at: position) }
        case .id(let high, let low):
            return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Self.bind($0, to: statement, at: position) }
        }
    }

    private static func bind(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at position: Int32) -> Int32
    {
        // Bytes without an address would be bound as NULL.
        guard bytes.count > 0 else { return sqlite3_bind_zeroblob(statement, position, 0) }
        return sqlite3_bind_blob(statement, position, bytes.baseAddress, Int32(bytes.count), transient)
    }
}

/// The short way to SQLite: what a cached statement needs is bound and read in place. A photo costs some thirty
/// statements, and GRDB's arguments and rows cost more than what SQLite does with them.
extension Statement {
    /// Fills the places in their order, and calls `body` for each result row; its columns are valid inside the call.
    package func run(_ values: [SQLValue], _ body: (OpaquePointer) throws -> Void = { _ in }) throws {
        try run(filling: { places in for value in values { try places.fill(value) } }, body)
    }

    /// The same without a list of the values.
    package func run(
        filling fill: (inout SQLPlaces) throws -> Void, _ body: (OpaquePointer) throws -> Void = { _ in }
    ) throws {
        // The raw statement ends with its owner.
        try withExtendedLifetime(self) {
            let statement = sqliteStatement
            defer {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            }
            var places = SQLPlaces(statement: statement)
            try fill(&places)
            while true {
                let code = sqlite3_step(statement)
                guard code == SQLITE_ROW else { return try statement.check(code, SQLITE_DONE) }
                try body(statement)
            }
        }
    }
}

/// The places of a statement, filled one after the other.
package struct SQLPlaces {
    fileprivate let statement: OpaquePointer
    private var filled: Int32 = 0

    fileprivate init(statement: OpaquePointer) { self.statement = statement }

    package mutating func fill(_ value: SQLValue) throws {
        filled += 1
        try statement.check(value.bind(to: statement, at: filled), SQLITE_OK)
    }
}

extension OpaquePointer {
    /// Of a statement.
    fileprivate func check(_ code: Int32, _ expected: Int32) throws {
        guard code != expected else { return }
        let message = sqlite3_db_handle(self).flatMap(sqlite3_errmsg).map { String(cString: $0) }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
}

extension Database {
    package func run(_ sql: String, _ values: [SQLValue] = []) throws {
        try cachedStatement(sql: sql).run(values)
    }

    /// The first column of the first result row; nil without one.
    package func blob(_ sql: String, _ values: [SQLValue]) throws -> [UInt8]? {
        var found: [UInt8]?
        try cachedStatement(sql: sql).run(values) { found = found ?? Array(Self.blob($0, 0)) }
        return found
    }

    /// Whether there is a result row.
    package func hasRow(_ sql: String, _ values: [SQLValue]) throws -> Bool {
        var isThere = false
        try cachedStatement(sql: sql).run(values) { _ in isThere = true }
        return isThere
    }

    /// Calls `body` with the blobs of each result row, which are valid inside the call only.
    func forEachBlobs(
        _ sql: String, columns: Int, _ body: ([UnsafeRawBufferPointer]) throws -> Void
    ) throws {
        var blobs = [UnsafeRawBufferPointer](repeating: .init(start: nil, count: 0), count: columns)
        try makeStatement(sql: sql).run([]) { statement in
            for column in blobs.indices { blobs[column] = Self.blob(statement, Int32(column)) }
            try body(blobs)
        }
    }

    /// The same with the first column, of a statement that is kept: `body` must not begin it anew.
    func forEachBlob(_ sql: String, _ values: [SQLValue], _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try cachedStatement(sql: sql).run(values) { try body(Self.blob($0, 0)) }
    }

    private static func blob(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
