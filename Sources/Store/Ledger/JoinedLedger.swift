internal import GRDB

/// A ledger made of a former host's disk, with which nobody has taken over to the end yet (`snapshot_due` in its `meta`). It
/// has what no entry of the log tells, so that what another host has changed meanwhile must not be put over it.
enum JoinedLedger {
    static let changed = StoreError.unusable(
        "The host that took over has changed something since, so what the former host's disk may know beyond the bucket cannot "
            + "be joined any more. Nothing was changed. safelight export brings it out of that disk, with the same "
            + "configuration; send to the other host what that one lacks.")

    static func set(_ writers: [LogWriterID], _ database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
            [.text(LedgerSchema.MetaKey.snapshotDue), .blob([1] + writers.flatMap(\.bytes))])
    }

    /// This data directory writes as that one, too, from now on.
    static func note(_ writer: LogWriterID, _ database: Database) throws {
        guard let writers = try writers(database) else { return }
        try set(writers + [writer], database)
    }

    /// Whether an entry of this writer may not come in.
    static func isClosed(to writer: LogWriterID, _ database: Database) throws -> Bool {
        try writers(database).map { !$0.contains(writer) } ?? false
    }

    /// Those whose entries may come in; nil in any other ledger.
    static func writers(_ database: Database) throws -> [LogWriterID]? {
        let key = LedgerSchema.MetaKey.snapshotDue
        guard let bytes = try database.blob("SELECT value FROM meta WHERE key = ?", [.text(key)]) else { return nil }
        return stride(from: 1, to: bytes.count, by: LogWriterID.byteCount).compactMap {
            LogWriterID(bytes: bytes[$0..<min($0 + LogWriterID.byteCount, bytes.count)])
        }
    }
}
