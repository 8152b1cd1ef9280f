package import Media
import Records
import Store

/// The tables of an open vault's index, in memory.
enum LibrarySchema {
    static let definition = """
        CREATE TABLE photo(
            serial INTEGER PRIMARY KEY, row INTEGER NOT NULL, object BLOB NOT NULL, byte_count INTEGER NOT NULL,
            name TEXT NOT NULL, type TEXT NOT NULL, received INTEGER NOT NULL, modified INTEGER,
            deleted INTEGER, sha256 BLOB, tree BLOB, ends BLOB, first_part INTEGER, verified INTEGER,
            damaged INTEGER, run_count INTEGER NOT NULL, shown INTEGER NOT NULL, picture INTEGER, taken BLOB,
            facts BLOB, family INTEGER NOT NULL, owner INTEGER, marks INTEGER NOT NULL, caption TEXT, albums BLOB,
            given BLOB, sidecar INTEGER, said BLOB, folder INTEGER, edit BLOB, place BLOB, words TEXT) STRICT;
        CREATE INDEX photo_deleted ON photo(deleted) WHERE deleted IS NOT NULL;
        CREATE INDEX photo_unverified ON photo(serial) WHERE verified IS NULL;
        CREATE INDEX photo_without_picture ON photo(serial) WHERE picture IS NULL;
        CREATE INDEX photo_without_player ON photo(serial) WHERE \(withoutPlayer);
        CREATE INDEX photo_old_facts ON photo(\(isVideo), serial DESC) WHERE \(hasOldFacts);
        CREATE INDEX photo_owner ON photo(owner) WHERE owner IS NOT NULL;
        CREATE INDEX photo_sidecar ON photo(serial) WHERE sidecar IS NOT NULL;
        CREATE INDEX photo_run_count ON photo(serial) WHERE run_count > \(RunBoundary.mostRunsOfPhoto);
        \(contentIndex);
        CREATE TABLE origin(
            upload BLOB PRIMARY KEY NOT NULL, creation BLOB, serial INTEGER NOT NULL, duplicate INTEGER NOT NULL,
            expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX origin_creation ON origin(creation) WHERE creation IS NOT NULL;
        CREATE INDEX origin_serial ON origin(serial);
        CREATE TABLE member(
            batch BLOB NOT NULL, serial INTEGER NOT NULL, duplicate INTEGER NOT NULL, name TEXT) STRICT;
        CREATE INDEX member_batch ON member(batch, serial);
        CREATE INDEX member_serial ON member(serial);
        CREATE TABLE folder(
            serial INTEGER NOT NULL, scope TEXT NOT NULL, path TEXT NOT NULL, name TEXT, duplicate INTEGER NOT NULL)
            STRICT;
        CREATE INDEX folder_scope ON folder(scope);
        CREATE INDEX folder_serial ON folder(serial);
        CREATE TABLE batch(
            id BLOB PRIMARY KEY NOT NULL, row INTEGER NOT NULL, expires INTEGER NOT NULL, finished INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        CREATE TABLE album(
            row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, name TEXT NOT NULL, cover INTEGER,
            created INTEGER NOT NULL, used INTEGER NOT NULL, place INTEGER) STRICT;
        CREATE TABLE shelf(album INTEGER NOT NULL, serial INTEGER NOT NULL, PRIMARY KEY(album, serial))
            STRICT, WITHOUT ROWID;
        CREATE TABLE alias(serial INTEGER PRIMARY KEY, kept INTEGER NOT NULL) STRICT;
        CREATE INDEX alias_kept ON alias(kept);
        """

    /// A condition on `picture`, whose last byte are the flags.
    static let withoutPlayer = "picture & \(PictureNote.withoutPlayer) != 0"

    /// There is a picture of it, and nobody has looked for words in that.
    static let isUnread = """
        picture <= 255 AND picture & \(PictureNote.wordsSought) = 0 AND type >= 'image/' AND type < 'image0'
        AND \(isTile)
        """

    /// What no version read, or another one than this, and can be read.
    static let hasOldFacts: String = {
        let digits = FactsCoding.introduction.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        let (count, known) = (FactsCoding.introduction.count, digits.joined())
        return "damaged IS NULL AND ifnull(substr(facts, 1, \(count)), x'') <> x'\(known)'"
    }()

    static let isVideo = "(type >= 'video/' AND type < 'video0')"

    /// In `owner`: of a sidecar whose photo is not there. Null for what is no sidecar.
    static let nobody: Int64 = -1
    /// What stands by itself in a list of photos: not deleted, and no sidecar of one that is there.
    static let isTile = "deleted IS NULL AND ifnull(owner, \(nobody)) = \(nobody)"

    /// In `marks`: has a heart.
    static let isFavourite = "marks & 1 = 1"
    /// The same: is kept out of the timeline, and is not.
    static let isArchived = "marks & 32 = 32"
    static let isInTimeline = "marks & 32 = 0"

    /// By itself, because making it over many rows at once costs less than entering them one by one.
    static let contentIndex = "CREATE INDEX photo_content ON photo(byte_count, first_part)"

    /// Nothing has to be replaced when the library is filled, and to be ready for it takes SQLite a third longer.
    /// Many at once, because table and indexes are opened anew for each statement.
    static func addPhotos(_ count: Int) -> String {
        "INSERT OR IGNORE INTO photo VALUES " + repeatElement(places, count: count).joined(separator: ",")
    }
    static let addPhoto = addPhotos(1)
    static let putPhoto = "INSERT OR REPLACE INTO photo VALUES \(places)"
    private static let places = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

    /// Fills the places of one photo.
    static func fill(_ places: inout SQLPlaces, with entry: LibraryEntry) throws {
        let record = entry.record
        try places.fill(.integer(Int64(bitPattern: record.serial)))
        try places.fill(.integer(Int64(bitPattern: entry.rowNumber)))
        try places.fill(.id(record.object))
        try places.fill(.integer(Int64(bitPattern: record.byteCount)))
        try places.fill(.text(record.name))
        try places.fill(.text(record.type))
        try places.fill(.integer(Int64(bitPattern: record.receivedAt)))
        try places.fill(time(record.modifiedAt))
        try places.fill(time(hiddenAt(record)))
        try places.fill(.optional(record.sha256))
        try places.fill(.optional(record.treeDigest))
        try places.fill(.optional(record.endsDigest))
        try places.fill(.optional(record.firstPart))
        try places.fill(time(record.verifiedAt))
        try places.fill(time(record.damagedAt))
        try places.fill(.integer(Int64(record.runs.count)))
        try places.fill(.integer(shown(record)))
        try places.fill(.optional(picture(record)))
        try places.fill(.optional(record.shownTakenAt))
        try places.fill(.optional(record.facts))
        let family = record.family
        try places.fill(.integer(family.key))
        // What is held belongs to its photo by what it says, not by its name alone.
        try places.fill(family.sidecar == nil || record.isHeld ? .null : .integer(nobody))
        try places.fill(.integer(Int64(record.keeping.marks)))
        try places.fill(.optional(record.keeping.caption))
        try places.fill(.optional(record.keeping.encodedAlbums))
        try places.fill(.optional(record.given?.encoded))
        try places.fill(.optional(record.sidecar.map { Int64($0.marks) }))
        try places.fill(.optional(record.told.flatMap { SidecarFacts(encoded: $0).said }))
        try places.fill(.optional(folder(record)))
        try places.fill(.optional(record.keeping.edit?.encoded))
        try places.fill(.optional(record.keeping.place?.encoded))
        try places.fill(.optional(record.words))
    }

    /// In `deleted`: of what came through a door whose owner looks first, until that is done, and of sidecars that are held.
    /// Nothing was deleted then.
    static let waiting = UInt64(Int64.max)

    /// What stands in `deleted`: whatever is set there is in no list but its own.
    static func hiddenAt(_ record: PhotoRecord) -> UInt64? {
        record.given?.isWaiting == true || record.isHeld ? waiting : record.deletedAt
    }

    /// Where it stands in the timeline: what a clock on the wall showed when it was taken, as milliseconds since 1970 as
    /// if that were UTC; for photos of which nobody knows that, when they came, by the clock of this host.
    static func shown(_ record: PhotoRecord) -> Int64 {
        record.shownTakenAt.flatMap(CaptureTime.init(encoded:))?.wallClockMilliseconds
            ?? HostZone.wallClock(of: Int64(bitPattern: record.receivedAt))
    }

    /// Equal for what first lay in one folder, as long as this process runs; nil for what lay in none.
    static func folder(_ record: PhotoRecord) -> Int64? { record.folders.first.map { Int64($0.path.hashValue) } }

    /// Nil while somebody has to look into the file, else outcome and flags.
    static func picture(_ record: PhotoRecord) -> Int64? {
        guard let note = record.picture, note.isFinal else { return nil }
        return Int64(note.outcome) << 8 | Int64(note.flags)
    }

    private static func time(_ milliseconds: UInt64?) -> SQLValue {
        .optional(milliseconds.map { Int64(bitPattern: $0) })
    }

    /// Enough of the first part's digest to find likely duplicates; a whole one for every photo would cost memory.
    static func firstPart(_ digest: [UInt8]) -> Int64 {
        digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension PhotoRecord {
    /// As the library keeps it.
    package var firstPart: Int64? { firstPartDigest.map(LibrarySchema.firstPart) }
    package var family: FamilyName { FamilyName(name, isKnown: MediaType(mimeType: type) != .other) }
}
