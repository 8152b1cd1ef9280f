import GRDB

@testable import Store

/// Rows of tables that other rooms will fill.
extension LedgerTransaction {
    func addSampleSession(expiresDay: UInt32) throws {
        try database.run(
            "INSERT INTO session (id, body, expires_day) VALUES (?, ?, ?)",
            [.id(RowID.random()), .blob([UInt8](repeating: 0, count: 512)), .integer(Int64(expiresDay))])
    }

    func addSampleUpload(part: ObjectID, expiresDay: UInt32) throws {
        try database.run(
            "INSERT INTO upload (id, body, part, expires_day) VALUES (?, ?, ?, ?)",
            [.id(RowID.random()), .blob([UInt8](repeating: 0, count: 512)), .id(part), .integer(Int64(expiresDay))])
    }

    func forgetObject(_ id: ObjectID) throws {
        try database.run("DELETE FROM object WHERE id = ?", [.id(id)])
    }

    func addSampleGuest(object: ObjectID, expiresDay: UInt32) throws {
        try database.run(
            "INSERT INTO guest (id, body, object, expires_day) VALUES (?, ?, ?, ?)",
            [.id(RowID.random()), .blob([UInt8](repeating: 0, count: 512)), .id(object), .integer(Int64(expiresDay))])
    }
}

extension LedgerReader {
    func sessionCount() throws -> Int {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM session") ?? 0
    }

    func containsObject(_ id: ObjectID) throws -> Bool {
        var isThere = false
        try forEachObject { isThere = isThere || $0 == id }
        return isThere
    }
}
