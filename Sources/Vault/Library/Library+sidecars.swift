package import GRDB
import GRDBSQLite
package import Media
import Records
import Store
import Synchronization

/// Which sidecar belongs to which photo. It follows from their names alone, so nothing on disk says it, and it is the
/// same whichever of the two came first.
extension Library {
    /// More files of one name than these are not looked through: all are compared with all, and others wait meanwhile.
    private static let mostOfFamily: Int64 = 256

    /// All sidecars of these photos, those of a photo behind each other.
    package func sidecars(of serials: [UInt64]) async throws -> [LibraryPhoto] {
        guard hasSidecars.withLock({ $0 }) else { return [] }
        var found: [LibraryPhoto] = []
        for start in stride(from: 0, to: serials.count, by: 500) {
            let part = serials[start..<min(start + 500, serials.count)]
            found += try await read { database in
                try part.flatMap { serial in
                    let statement = try database.cachedStatement(
                        sql: "SELECT * FROM photo WHERE owner = ? ORDER BY serial")
                    return try LibraryPhoto.fetchAll(statement, arguments: [Self.signed(serial)])
                }
            }
        }
        return found
    }

    /// After all photos were entered.
    func pairAll(_ database: Database) throws {
        try beginPairing(database)
        var families: Set<Int64> = []
        try database.cachedStatement(sql: "SELECT family FROM photo WHERE owner IS NOT NULL").run([]) {
            families.insert(sqlite3_column_int64($0, 0))
        }
        try pair(families, database)
    }

    /// One of the family was entered or changed.
    package func note(_ family: FamilyName, in families: inout Set<Int64>, _ database: Database) throws {
        if family.sidecar != nil { try beginPairing(database) }
        if hasSidecars.withLock({ $0 }) { families.insert(family.key) }
    }

    /// Nil while nobody needs it.
    package func family(of serial: UInt64, _ database: Database) throws -> Int64? {
        guard hasSidecars.withLock({ $0 }) else { return nil }
        var family: Int64?
        try database.cachedStatement(sql: "SELECT family FROM photo WHERE serial = ?").run([
            .integer(Self.signed(serial))
        ]) { family = sqlite3_column_int64($0, 0) }
        return family
    }

    package func pair(_ families: Set<Int64>, _ database: Database) throws {
        for family in families {
            var present: [UInt64: UInt64] = [:]
            let members = try members(of: family, &present, database)
            guard members.contains(where: \.isSidecar) else { continue }
            let owners = SidecarPairing(members).owners
            for member in members where member.isSidecar && present[member.serial] != owners[member.serial] {
                let owner = owners[member.serial].map(Self.signed) ?? LibrarySchema.nobody
                try database.run(
                    "UPDATE photo SET owner = ? WHERE serial = ?",
                    [.integer(owner), .integer(Self.signed(member.serial))])
                searchMemory.note([member.serial])
            }
        }
    }

    /// - Parameter present: the owners that stand there.
    private func members(
        of family: Int64, _ present: inout [UInt64: UInt64], _ database: Database
    ) throws -> [SidecarPairing.Candidate] {
        var members: [SidecarPairing.Candidate] = []
        let statement = try database.cachedStatement(
            sql: """
                SELECT serial, name, type, deleted, owner, given FROM photo WHERE family = ? \
                AND ifnull(sidecar, 0) & 1 = 0 ORDER BY serial DESC LIMIT ?
                """)
        try statement.run([.integer(family), .integer(Self.mostOfFamily)]) { row in
            let serial = UInt64(bitPattern: sqlite3_column_int64(row, 0))
            members.append(
                SidecarPairing.Candidate(
                    serial: serial, name: Self.text(row, 1), type: MediaType(mimeType: Self.text(row, 2)),
                    isDeleted: sqlite3_column_type(row, 3) != SQLITE_NULL, origin: Self.door(row, 5)))
            let owner = sqlite3_column_int64(row, 4)
            if owner > 0 { present[serial] = UInt64(owner) }
        }
        return members
    }

    /// The door through which it was given; nil for what came otherwise.
    private static func door(_ row: OpaquePointer, _ column: Int32) -> [UInt8]? {
        guard let bytes = sqlite3_column_blob(row, column) else { return nil }
        let encoded = UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(row, column)))
        return Given(encoded: Array(encoded))?.door.bytes
    }

    private static func text(_ row: OpaquePointer, _ column: Int32) -> String {
        sqlite3_column_text(row, column).map { String(cString: $0) } ?? ""
    }

    private func beginPairing(_ database: Database) throws {
        let isFirst = hasSidecars.withLock { has in
            defer { has = true }
            return !has
        }
        if isFirst { try database.run("CREATE INDEX IF NOT EXISTS photo_family ON photo(family)") }
    }
}
