package import GRDB
import Records
package import Search
import Store
import Synchronization
import Threads

/// The index of an open vault: a private SQLite database in memory, filled from the vault's sealed rows and gone with
/// them. It holds no file key. Writes come from the ledger's writer thread, after each COMMIT and in its order.
package final class Library: Sendable {
    private static let photosPerStatement = 16

    private let queue: DatabaseQueue
    private let reading = AsyncLock()
    /// Serials of photos whose objects were not found at the opening.
    private let lost = Mutex<Set<UInt64>>([])
    /// Serials from here on were never entered.
    private let nextSerial = Mutex<UInt64>(0)
    /// Another one after every change of what is listed. Where it begins says nothing, and no other opening begins there:
    /// who has seen a number of an earlier one takes none for it.
    private let listing = Mutex<UInt64>(.random(in: 0..<1 << 48))
    private let knownPhotoCount = ListingMemory<Int>()
    let knownMonths = ListingMemory<[(month: CalendarMonth, count: Int)]>()
    /// How the photos begin that are here or were: tells of nearly every new one that it is new, without waiting for
    /// the database, which serves one caller at a time.
    let firstParts = Mutex<Set<Int64>>([])
    /// Whether sidecars are or were here: most vaults have none, and look for no family.
    let hasSidecars = Mutex(false)
    /// Whether `shelf` says which photos are in which album: made by the first who asks.
    let hasShelf = Mutex(false)
    let knownAlbums = ListingMemory<[AlbumSummary]>()
    let searchMemory = SearchMemory()
    /// Where something came that may speak of something else.
    let stale = Mutex(StaleScopes())
    /// Whether a sidecar is or was here that lay in no folder: until then nobody looks at what comes in none.
    let hasLoneSidecars = Mutex(false)

    /// Nil: no place has a name.
    package let gazetteer: Gazetteer?

    package init(gazetteer: Gazetteer? = nil) throws {
        self.gazetteer = gazetteer
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
        queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: LibrarySchema.definition) }
    }

    /// Blocking; for a library that is still empty. In the order of the serials the table grows at its end.
    /// - Parameter lost: photos that are damaged here whatever their rows say: content that comes again must not be
    ///   thrown away for one of them.
    package func fill(
        _ entries: [LibraryEntry], _ batches: [BatchEntry], _ albums: [AlbumEntry] = [],
        lost: some Sequence<UInt64> = []
    ) throws {
        self.lost.withLock { $0 = Set(lost) }
        let ordered = entries.sorted { $0.record.serial < $1.record.serial }
        let now = Milliseconds.now
        for entry in ordered { noteStale(asFound: entry.record, now: now) }
        try write { database in
            try database.run("DROP INDEX photo_content")
            for start in stride(from: 0, to: ordered.count, by: Self.photosPerStatement) {
                let part = ordered[start..<min(start + Self.photosPerStatement, ordered.count)]
                try database.cachedStatement(sql: LibrarySchema.addPhotos(part.count)).run { places in
                    for entry in part { try LibrarySchema.fill(&places, with: asFound(entry)) }
                }
                for entry in part { try Self.putReferences(entry.record, database) }
            }
            try database.run(LibrarySchema.contentIndex)
            for batch in batches { try Self.put(batch, database) }
            for album in albums { try Self.put(album, database) }
            if try database.hasRow("SELECT 1 FROM photo WHERE owner IS NOT NULL LIMIT 1", []) { try pairAll(database) }
        }
        if let last = ordered.last { nextSerial.withLock { $0 = last.record.serial + 1 } }
        firstParts.withLock { $0 = Set(ordered.lazy.compactMap(\.record.firstPart)) }
    }

    /// Another one than before when photos came, went, or are known better. At most 2⁵³, as scripts count.
    package var listingNumber: UInt64 { listing.withLock { $0 } }

    private func noteListing() { listing.withLock { $0 += 1 } }

    /// Blocking.
    package func apply(_ changes: [LibraryChange]) throws {
        guard !changes.isEmpty else { return }
        // Whoever hears of the change finds it.
        defer {
            searchMemory.note(changes.lazy.filter(\.isListed).compactMap(\.serial))
            if changes.contains(where: \.isListed) { noteListing() }
        }
        try write { database in
            // However many of one family are among them, it is looked through once.
            var families: Set<Int64> = []
            for change in changes {
                switch change {
                case .put(let entry): try put(entry, &families, database)
                case .remove(let serial):
                    try remove(serial, &families, database)
                    try database.run("DELETE FROM alias WHERE kept = ?", [.integer(Self.signed(serial))])
                case .replace(let serial, let kept):
                    try remove(serial, &families, database)
                    try Self.lead(from: serial, to: kept, database)
                case .putBatch(let batch): try Self.put(batch, database)
                case .removeBatch(let id): try database.run("DELETE FROM batch WHERE id = ?", [.blob(id.bytes)])
                case .putAlbum(let entry):
                    try Self.put(entry, database)
                    if entry.isBack { hasShelf.withLock { $0 = false } }
                case .removeAlbum(let row): try Self.removeAlbum(row, database)
                }
            }
            try pair(families, database)
        }
    }

    private func put(_ entry: LibraryEntry, _ families: inout Set<Int64>, _ database: Database) throws {
        let serial = entry.record.serial
        let isNew = nextSerial.withLock { next in
            guard serial >= next else { return false }
            next = serial + 1
            return true
        }
        if let firstPart = entry.record.firstPart { firstParts.withLock { _ = $0.insert(firstPart) } }
        let statement = isNew ? LibrarySchema.addPhoto : LibrarySchema.putPhoto
        try database.cachedStatement(sql: statement).run { places in
            try LibrarySchema.fill(&places, with: asFound(entry))
        }
        try noteStale(entry.record, isNew: isNew, database)
        if !isNew { try removeReferences(serial, database) }
        try Self.putReferences(entry.record, database)
        if hasShelf.withLock({ $0 }) {
            for album in entry.record.keeping.albums { try Self.shelve(serial, in: album, database) }
        }
        if !entry.record.isHeld { try note(entry.record.family, in: &families, database) }
    }

    /// Blocking. Damaged from now on, whatever its row says: it is gone, or cannot be read or written any more.
    /// - Returns: false when it is not entered, or was damaged before.
    func lose(_ serial: UInt64) throws -> Bool {
        var isNews = false
        try write { database in
            try database.run(
                "UPDATE photo SET verified = NULL, damaged = ? WHERE serial = ? AND damaged IS NULL",
                [.integer(Self.signed(Milliseconds.now)), .integer(Self.signed(serial))])
            isNews = database.changesCount > 0
        }
        if isNews {
            lost.withLock { _ = $0.insert(serial) }
            searchMemory.note([serial])
            noteListing()
        }
        return isNews
    }

    /// It was read whole: what its row says counts again.
    package func unmarkLost(_ serial: UInt64) { lost.withLock { _ = $0.remove(serial) } }

    /// As the library shows what the row says.
    package func asFound(_ entry: LibraryEntry) -> LibraryEntry {
        guard lost.withLock({ $0.contains(entry.record.serial) }) else { return entry }
        var record = entry.record
        record.verifiedAt = nil
        record.damagedAt = record.damagedAt ?? Milliseconds.now
        return LibraryEntry(rowNumber: entry.rowNumber, record: record)
    }

    private func write(_ body: (Database) throws -> Void) throws {
        try queue.writeWithoutTransaction { database in
            try database.run("BEGIN")
            do {
                try body(database)
                try database.run("COMMIT")
            } catch {
                try? database.rollback()
                throw error
            }
        }
    }

    // MARK: Reading

    /// The one connection serves one caller at a time: what `body` reads belongs together without a transaction. Of all
    /// who ask at once one stands in its line, so that the ledger's writer, which all vaults share, waits for no more.
    package func read<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        await reading.acquire()
        defer { reading.release() }
        return try await queue.unsafeRead(body)
    }

    package func readBlocking<R>(_ body: (Database) throws -> R) throws -> R { try queue.unsafeRead(body) }

    /// Newest first, between two serials: that of the last photo of the page before, and one below which nobody asks.
    package func photos(after: UInt64?, before: UInt64?, limit: Int) async throws -> [LibraryPhoto] {
        try await read { database in
            try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo WHERE deleted IS NULL AND serial > ? AND serial < ? ORDER BY serial DESC LIMIT ?
                    """,
                arguments: [
                    after.map { Int64(clamping: $0) } ?? -1, before.map { Int64(clamping: $0) } ?? Int64.max, limit,
                ])
        }
    }

    package func photoCount() async throws -> Int {
        try await whileUnchanged(knownPhotoCount) { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM photo WHERE \(LibrarySchema.isTile)") ?? 0
        }
    }

    /// What takes the longer to read the more photos there are, and is asked for again and again: it is read once after
    /// each change of what is listed.
    func whileUnchanged<R: Sendable>(
        _ memory: ListingMemory<R>, _ body: @escaping @Sendable (Database) throws -> R
    ) async throws -> R {
        if let known = memory.value(at: listingNumber) { return known }
        return try await read { [self] database in
            // Before it is read: what is entered meanwhile has another number afterwards.
            let listing = listingNumber
            // Of those that waited, another may have asked for the same.
            if let known = memory.value(at: listing) { return known }
            let value = try body(database)
            memory.note(value, at: listing)
            return value
        }
    }

    /// What lies in "Recently deleted", last deleted first.
    package func trash(behind place: TrashPlace?, limit: Int) async throws -> [LibraryPhoto] {
        let place = place ?? TrashPlace(deletedAt: .max, serial: .max)
        return try await read { database in
            try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo
                    WHERE deleted IS NOT NULL AND deleted <> \(LibrarySchema.waiting) AND (deleted, serial) < (?, ?)
                    ORDER BY deleted DESC, serial DESC LIMIT ?
                    """, arguments: [Int64(clamping: place.deletedAt), Int64(clamping: place.serial), limit])
        }
    }

    /// What waits for its owner's look, the last that came first.
    package func waiting() async throws -> [LibraryPhoto] {
        try await read { database in
            try LibraryPhoto.fetchAll(
                database,
                sql: """
                    SELECT * FROM photo WHERE deleted = \(LibrarySchema.waiting) AND ifnull(sidecar, 0) & 1 = 0
                    ORDER BY serial DESC
                    """)
        }
    }

    /// Of all that lies there, or of what was deleted before a moment, in milliseconds since 1970.
    package func trashSerials(before moment: UInt64 = .max) async throws -> [UInt64] {
        try await read { database in
            try Int64.fetchAll(
                database, sql: "SELECT serial FROM photo WHERE deleted IS NOT NULL AND deleted < ? ORDER BY serial",
                arguments: [Int64(clamping: moment)]
            ).map { UInt64(bitPattern: $0) }
        }
    }

    package func photo(serial: UInt64) async throws -> LibraryPhoto? {
        try await read { try Self.photo(serial, $0) }
    }

    /// The photo, or the older one of the same content that was kept in its place.
    package func photoOrKept(serial: UInt64) async throws -> LibraryPhoto? {
        try await read { try Self.photoOrKept(serial, $0) }
    }

    /// Finds a photo as `photoOrKept(serial:)` does. Blocking.
    func photoOrKeptBlocking(serial: UInt64) throws -> LibraryPhoto? {
        try readBlocking { try Self.photoOrKept(serial, $0) }
    }

    /// Those that are there, in their order. Whoever has many asks in parts: nobody else reads meanwhile.
    package func photosOrKept(serials: some Sequence<UInt64> & Sendable) async throws -> [LibraryPhoto] {
        try await read { database in try serials.compactMap { try Self.photoOrKept($0, database) } }
    }

    private static func photoOrKept(_ serial: UInt64, _ database: Database) throws -> LibraryPhoto? {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM photo WHERE serial = coalesce((SELECT kept FROM alias WHERE serial = ?1), ?1)")
        return try LibraryPhoto.fetchOne(statement, arguments: [signed(serial)])
    }

    /// Blocking.
    func photoBlocking(serial: UInt64) throws -> LibraryPhoto? {
        try readBlocking { try Self.photo(serial, $0) }
    }

    /// Blocking; every photo, deleted ones too, oldest first.
    package func allBlocking() throws -> [LibraryPhoto] {
        try readBlocking { try LibraryPhoto.fetchAll($0, sql: "SELECT * FROM photo ORDER BY serial") }
    }

    package static func photo(_ serial: UInt64, _ database: Database) throws -> LibraryPhoto? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM photo WHERE serial = ?")
        return try LibraryPhoto.fetchOne(statement, arguments: [signed(serial)])
    }

    package static func signed(_ value: UInt64) -> Int64 { Int64(bitPattern: value) }

    private func remove(_ serial: UInt64, _ families: inout Set<Int64>, _ database: Database) throws {
        if let family = try family(of: serial, database) { families.insert(family) }
        try database.run("DELETE FROM photo WHERE serial = ?", [.integer(Self.signed(serial))])
        try removeReferences(serial, database)
    }

    // MARK: What refers to a photo

    /// Clients know a photo by its session's name for the serial, so this is needed no longer than a session lives, and
    /// memory is the right place: an entry is smaller than the photo that it stands for.
    private static func lead(from serial: UInt64, to kept: UInt64, _ database: Database) throws {
        let serials: [SQLValue] = [.integer(signed(kept)), .integer(signed(serial))]
        try database.run("UPDATE alias SET kept = ? WHERE kept = ?", serials)
        try database.run("INSERT OR REPLACE INTO alias (kept, serial) VALUES (?, ?)", serials)
    }

    private static func putReferences(_ record: PhotoRecord, _ database: Database) throws {
        try putFolders(record, database)
        for origin in record.origins {
            try database.run(
                "INSERT OR REPLACE INTO origin VALUES (?,?,?,?,?)",
                [
                    .blob(origin.upload.bytes), .optional(origin.creation?.bytes), .integer(signed(record.serial)),
                    .integer(origin.isDuplicate ? 1 : 0), .integer(Int64(origin.expiresDay)),
                ])
        }
        for membership in record.memberships {
            try database.run(
                "INSERT INTO member VALUES (?,?,?,?)",
                [
                    .blob(membership.batch.bytes), .integer(signed(record.serial)),
                    .integer(membership.isDuplicate ? 1 : 0), .optional(membership.name),
                ])
        }
    }

    private func removeReferences(_ serial: UInt64, _ database: Database) throws {
        let serial: [SQLValue] = [.integer(Self.signed(serial))]
        try database.run("DELETE FROM origin WHERE serial = ?", serial)
        try database.run("DELETE FROM member WHERE serial = ?", serial)
        try database.run("DELETE FROM folder WHERE serial = ?", serial)
        if hasShelf.withLock({ $0 }) { try database.run("DELETE FROM shelf WHERE serial = ?", serial) }
    }

    private static func put(_ batch: BatchEntry, _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO batch VALUES (?,?,?,?)",
            [
                .blob(batch.record.id.bytes), .integer(signed(batch.rowNumber)),
                .integer(Int64(batch.record.expiresDay)), .integer(batch.record.isFinished ? 1 : 0),
            ])
    }
}
