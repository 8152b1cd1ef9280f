import Foundation
internal import GRDB
internal import GRDBSQLite

/// The ledger speaks in byte arrays; GRDB in `Data`.
extension Database {
    func run(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }

    func blob(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws -> [UInt8]? {
        let statement = try cachedStatement(sql: sql)
        return try Data.fetchOne(statement, arguments: StatementArguments(arguments)).map { [UInt8]($0) }
    }

    /// Calls `body` with the blobs of each result row, which are valid inside the call only.
    func forEachBlobs(
        _ sql: String, columns: Int, _ body: ([UnsafeRawBufferPointer]) throws -> Void
    ) throws {
        let statement = try makeStatement(sql: sql)
        // The raw statement ends with its owner.
        try withExtendedLifetime(statement) { try step(statement.sqliteStatement, columns, body) }
    }

    private func step(
        _ statement: OpaquePointer, _ columns: Int, _ body: ([UnsafeRawBufferPointer]) throws -> Void
    ) throws {
        var blobs = [UnsafeRawBufferPointer](repeating: .init(start: nil, count: 0), count: columns)
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
            }
            for column in blobs.indices {
                blobs[column] = UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(statement, Int32(column)),
                    count: Int(sqlite3_column_bytes(statement, Int32(column))))
            }
            try body(blobs)
        }
    }
}
