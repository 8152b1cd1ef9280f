import Foundation
import GRDB
import Import
package import Media
package import Records
import Store

/// A file that lay in a folder, or a sidecar that lay in none, as far as matching needs it.
package struct SourceEntry: Sendable {
    package let serial: UInt64
    package let rowNumber: UInt64
    /// Folders and name; of what lay in none the name alone.
    package let path: String
    package let type: MediaType
    package let byteCount: UInt64
    package let receivedAt: UInt64
    package let sha256: [UInt8]?
    package let taken: CaptureTime?
    package let sidecar: SidecarState?
    /// As `SidecarFacts` has it.
    package let said: [UInt8]?
    package let given: Given?
    /// With what it was chosen; told of what lay in no folder alone.
    package let batches: Set<Substring>
    /// It was there before it came from that folder.
    package let isDuplicate: Bool

    init(_ row: Row) {
        serial = UInt64(bitPattern: row["serial"])
        rowNumber = UInt64(bitPattern: row["row"])
        let name: String = row["called"]
        path = (row["path"] as String?).map { "\($0)/\(name)" } ?? name
        type = MediaType(mimeType: row["type"])
        byteCount = UInt64(bitPattern: row["byte_count"])
        receivedAt = UInt64(bitPattern: row["received"])
        sha256 = (row["sha256"] as Data?).map(Array.init)
        taken = (row["taken"] as Data?).flatMap { CaptureTime(encoded: Array($0)) }
        sidecar = (row["sidecar"] as Int64?).map { SidecarState(marks: UInt8(truncatingIfNeeded: $0)) }
        said = (row["said"] as Data?).map(Array.init)
        given = (row["given"] as Data?).flatMap { Given(encoded: Array($0)) }
        batches = Set((row["batches"] as String?)?.split(separator: ",") ?? [])
        isDuplicate = row["duplicate"]
    }

    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    package var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
    package var family: FamilyName { FamilyName(name, isKnown: type != .other) }
    package var origin: String { SourceScopes.origin(given) }
}

/// Files that are looked at together when it is asked which sidecar speaks of which photo. Of what somebody gave, by giver:
/// nothing of it speaks of what others brought.
package enum SourceScopes {
    /// Of what lay in no folder.
    static let lone = ""

    static func origin(_ given: Given?) -> String {
        guard let given else { return "" }
        return "\(given.door.text)\n\(given.giver ?? "")\n\(given.sender.map { "\($0.bytes)" } ?? "")\n"
    }

    static func scope(of folder: SourceFolder, _ given: Given?) -> String? {
        PathScope.key(of: folder.path + "/a").map { origin(given) + $0 }
    }

    /// Whether folders are albums there that nothing says of.
    static func hasAlbumsWithoutTitle(_ scope: String) -> Bool { scope == PathScope.takeout }
}

/// Scopes in which something has come that was not looked at yet.
struct StaleScopes {
    private var numbers: [String: UInt64] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { numbers.isEmpty }
    var next: (scope: String, number: UInt64)? { numbers.first.map { ($0.key, $0.value) } }

    mutating func note(_ scope: String) {
        last += 1
        numbers[scope] = last
    }

    /// It was looked at; what came meanwhile is looked at once more.
    mutating func settle(_ scope: String, _ number: UInt64) {
        if numbers[scope] == number { numbers[scope] = nil }
    }
}

extension Library {
    /// A photo whose sidecar was not found so long after it came is not looked for at an opening.
    private static let freshMilliseconds: UInt64 = 7 * 86_400_000
    /// So long sidecars are kept that were told: a photo that was changed, or a video, may come with a later part.
    package static let toldMilliseconds: UInt64 = 60 * 86_400_000

    /// Whether all that came was looked at.
    package var isSettled: Bool { stale.withLock { $0.isEmpty } }

    /// Of all that may speak of each other, before it is entered.
    func noteStale(_ record: PhotoRecord, isNew: Bool, _ database: Database) throws {
        if record.folders.isEmpty {
            if record.sidecar != nil { hasLoneSidecars.withLock { $0 = true } }
            if isNew, hasLoneSidecars.withLock({ $0 }) { stale.withLock { $0.note(SourceScopes.lone) } }
            return
        }
        if !isNew {
            let count = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM folder WHERE serial = ?", arguments: [Self.signed(record.serial)])
            guard count != record.folders.count else { return }
        }
        let scopes = record.folders.compactMap { SourceScopes.scope(of: $0, record.given) }
        stale.withLock { stale in for scope in scopes { stale.note(scope) } }
    }

    /// At an opening: what came may not have been looked at, and what was told may go.
    func noteStale(asFound record: PhotoRecord, now: UInt64) {
        if record.folders.isEmpty, record.sidecar != nil { hasLoneSidecars.withLock { $0 = true } }
        let age = now - min(now, record.receivedAt)
        let isDue =
            if let sidecar = record.sidecar {
                !sidecar.isJoined || sidecar.isNothing || (sidecar.isHeld && age > Self.toldMilliseconds)
            } else {
                !record.folders.isEmpty && age < Self.freshMilliseconds
            }
        guard isDue else { return }
        let scopes = record.folders.compactMap { SourceScopes.scope(of: $0, record.given) }
        stale.withLock { stale in for scope in scopes.isEmpty ? [SourceScopes.lone] : scopes { stale.note(scope) } }
    }

    static func putFolders(_ record: PhotoRecord, _ database: Database) throws {
        for folder in record.folders {
            guard let scope = SourceScopes.scope(of: folder, record.given) else { continue }
            try database.run(
                "INSERT INTO folder VALUES (?,?,?,?,?)",
                [
                    .integer(signed(record.serial)), .text(scope), .text(folder.path), .optional(folder.name),
                    .integer(folder.isDuplicate ? 1 : 0),
                ])
        }
    }

    // MARK: What is matched

    private static let columns = """
        photo.serial, photo.row, photo.type, photo.byte_count, photo.received, photo.sha256, photo.taken, photo.sidecar,
        photo.said, photo.given
        """
    private static let isThere = "(photo.deleted IS NULL OR photo.deleted = \(LibrarySchema.waiting))"
    private static let isLone = "NOT EXISTS (SELECT 1 FROM folder WHERE folder.serial = photo.serial)"

    func entries(of scope: String) async throws -> [SourceEntry] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Self.columns), folder.path, coalesce(folder.name, photo.name) AS called, folder.duplicate
                    FROM folder JOIN photo ON photo.serial = folder.serial
                    WHERE folder.scope = ? AND \(Self.isThere) ORDER BY photo.serial
                    """, arguments: [scope]
            ).map(SourceEntry.init)
        }
    }

    func loneSidecars() async throws -> [SourceEntry] {
        try await lone(where: "photo.sidecar IS NOT NULL", [])
    }

    /// Photos in no folder whose names are of these families.
    func lonePhotos(of families: Set<Int64>) async throws -> [SourceEntry] {
        var found: [SourceEntry] = []
        for family in families { found += try await lone(where: "photo.family = ?", [family]) }
        return found.filter { $0.sidecar == nil && $0.type != .other }
    }

    private func lone(where condition: String, _ arguments: StatementArguments) async throws -> [SourceEntry] {
        try await read { database in
            // Sidecars are looked for by name: most vaults have none.
            try database.run("CREATE INDEX IF NOT EXISTS photo_family ON photo(family)")
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Self.columns), NULL AS path, photo.name AS called, 0 AS duplicate,
                        (SELECT group_concat(hex(member.batch)) FROM member WHERE member.serial = photo.serial) AS batches
                    FROM photo
                    WHERE \(condition) AND \(Self.isThere) AND \(Self.isLone) ORDER BY photo.serial
                    """, arguments: arguments
            ).map(SourceEntry.init)
        }
    }

    /// Photos that are in an album, whatever stands in lists.
    func members(of album: AlbumID) async throws -> [UInt64] {
        try await read { [self] database in
            try buildShelf(database)
            return try Int64.fetchAll(
                database,
                sql: """
                    SELECT shelf.serial FROM shelf JOIN album ON album.row = shelf.album
                    JOIN photo ON photo.serial = shelf.serial WHERE album.id = ? AND photo.deleted IS NULL
                    """, arguments: [Data(album.bytes)]
            ).map { UInt64(bitPattern: $0) }
        }
    }

    // MARK: What is told of it

    private static let isWaiting = "sidecar & 3 = 1"

    /// Held sidecars that have found no photo, the newest first.
    package func waitingSidecars(atMost limit: Int) async throws -> (photos: [LibraryPhoto], count: Int) {
        try await read { database in
            (
                try LibraryPhoto.fetchAll(
                    database, sql: "SELECT * FROM photo WHERE \(Self.isWaiting) ORDER BY serial DESC LIMIT ?",
                    arguments: [limit]),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM photo WHERE \(Self.isWaiting)") ?? 0
            )
        }
    }

    /// The same, all of them, with folders and names as they were told; of what lay in no folder the name alone.
    package func waitingPaths() async throws -> [(serial: UInt64, path: String)] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT photo.serial, folder.path, coalesce(folder.name, photo.name) AS called
                    FROM photo LEFT JOIN folder ON folder.serial = photo.serial
                    WHERE \(Self.isWaiting) ORDER BY photo.serial DESC
                    """
            ).map { row in
                let name: String = row["called"]
                let path = (row["path"] as String?).map { "\($0)/\(name)" } ?? name
                return (UInt64(bitPattern: row["serial"] as Int64), path)
            }
        }
    }

    /// What of a batch is beside its photos, and where those are.
    package func movingIn(of batch: BatchID) async throws -> BatchStatus.MovingIn {
        try await read { [self] database in
            try buildShelf(database)
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*) FILTER (WHERE sidecar & 6 = 2) AS joined,
                        count(*) FILTER (WHERE sidecar & 2 = 0) AS waiting,
                        count(*) FILTER (WHERE sidecar & 2 = 2 AND sidecar & 24 <> 0) AS partial,
                        count(*) FILTER (WHERE sidecar IS NULL AND type = ?) AS files,
                        count(*) FILTER (WHERE sidecar IS NULL AND deleted IS NOT NULL
                            AND deleted <> \(LibrarySchema.waiting)) AS trashed
                    FROM photo WHERE serial IN (SELECT serial FROM member WHERE batch = ?)
                    """, arguments: [MediaType.other.mimeType, Data(batch.bytes)])
            var tally = BatchStatus.MovingIn()
            guard let row else { return tally }
            (tally.joined, tally.waiting, tally.partial) = (row["joined"], row["waiting"], row["partial"])
            (tally.files, tally.trashed) = (row["files"], row["trashed"])
            tally.albums =
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT count(DISTINCT shelf.album) FROM member JOIN shelf ON shelf.serial = member.serial
                        JOIN photo ON photo.serial = member.serial WHERE member.batch = ? AND photo.deleted IS NULL
                        """, arguments: [Data(batch.bytes)]) ?? 0
            tally.isSettled = isSettled
            return tally
        }
    }
}
