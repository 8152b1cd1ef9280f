internal import GRDB
internal import GRDBSQLite
import Glibc

/// The file of an open database, without its log. Read through SQLite: a descriptor of our own would, once it is closed,
/// take away the locks that SQLite has on the file.
struct DatabaseFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let calls: sqlite3_io_methods

    /// For as long as the database is used as this one is.
    init(of database: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let calls = file.pointee.pMethods else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        self.file = file
        self.calls = calls.pointee
    }

    func byteCount() throws -> UInt64 {
        var count: sqlite3_int64 = 0
        try require(calls.xFileSize?(file, &count))
        return UInt64(clamping: count)
    }

    /// - Returns: how much was read, which is all of it.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        try require(calls.xRead?(file, buffer.baseAddress, Int32(clamping: buffer.count), Int64(clamping: offset)))
        return buffer.count
    }

    private func require(_ code: Int32?) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code ?? SQLITE_IOERR)) }
    }
}
