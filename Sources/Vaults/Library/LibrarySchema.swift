import Foundation
import GRDB

/// The tables of an open vault's index, in memory.
enum LibrarySchema {
    static let definition = """
        CREATE TABLE photo(
            serial INTEGER PRIMARY KEY, row INTEGER NOT NULL, object BLOB NOT NULL, byte_count INTEGER NOT NULL,
            name TEXT NOT NULL, type TEXT NOT NULL, received INTEGER NOT NULL, modified INTEGER,
            deleted INTEGER, sha256 BLOB, tree BLOB, ends BLOB, first_part INTEGER, verified INTEGER,
            damaged INTEGER, run_count INTEGER NOT NULL) STRICT;
        CREATE INDEX photo_deleted ON photo(deleted) WHERE deleted IS NOT NULL;
        CREATE INDEX photo_unverified ON photo(serial) WHERE verified IS NULL;
        CREATE INDEX photo_run_count ON photo(serial) WHERE run_count > \(Verifier.mostRuns);
        CREATE INDEX photo_byte_count ON photo(byte_count);
        CREATE TABLE origin(
            upload BLOB PRIMARY KEY NOT NULL, creation BLOB, serial INTEGER NOT NULL, duplicate INTEGER NOT NULL,
            expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX origin_creation ON origin(creation) WHERE creation IS NOT NULL;
        CREATE INDEX origin_serial ON origin(serial);
        CREATE TABLE member(
            batch BLOB NOT NULL, serial INTEGER NOT NULL, duplicate INTEGER NOT NULL, name TEXT) STRICT;
        CREATE INDEX member_batch ON member(batch);
        CREATE INDEX member_serial ON member(serial);
        CREATE TABLE batch(
            id BLOB PRIMARY KEY NOT NULL, row INTEGER NOT NULL, expires INTEGER NOT NULL, finished INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        CREATE TABLE alias(serial INTEGER PRIMARY KEY, kept INTEGER NOT NULL) STRICT;
        CREATE INDEX alias_kept ON alias(kept);
        """

    static let putPhoto = "INSERT OR REPLACE INTO photo VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

    static func arguments(_ entry: LibraryEntry) -> StatementArguments {
        let record = entry.record
        return [
            Int64(bitPattern: record.serial), Int64(bitPattern: entry.rowNumber), record.object.data,
            Int64(bitPattern: record.byteCount), record.name, record.type, Int64(bitPattern: record.receivedAt),
            record.modifiedAt.map { Int64(bitPattern: $0) }, record.deletedAt.map { Int64(bitPattern: $0) },
            record.sha256.map { Data($0) }, record.treeDigest.map { Data($0) }, record.endsDigest.map { Data($0) },
            record.firstPartDigest.map(firstPart), record.verifiedAt.map { Int64(bitPattern: $0) },
            record.damagedAt.map { Int64(bitPattern: $0) }, record.runs.count,
        ]
    }

    /// Enough of the first part's digest to find likely duplicates; a whole one for every photo would cost memory.
    static func firstPart(_ digest: [UInt8]) -> Int64 {
        digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
