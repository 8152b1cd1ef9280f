import Glibc

/// The first page of a ledger file where SQLite's own words mislead: a damaged version number there reads as a file
/// system that takes no writes, or as some mistake of the caller.
enum LedgerHeader {
    private static let byteCount = 100

    /// Nil when nothing is wrong, or when a log lies beside the ledger, which may hold a newer first page.
    static func complaint(in root: Folder) throws(StoreError) -> String? {
        guard try root.byteCount(of: StoreLayout.ledgerWriteAheadLog) ?? 0 == 0,
            let bytes = try root.openIfPresent(StoreLayout.ledger, O_RDONLY)?.bytes(at: 0, count: byteCount),
            bytes.count == byteCount
        else { return nil }
        // Offsets of SQLite's file format: 18 and 19 the versions for writing and reading, 44 that of the schema.
        guard bytes[18] <= 2, bytes[19] <= 2 else { return "its header names an unknown version" }
        guard bytes[44..<47].allSatisfy({ $0 == 0 }), bytes[47] <= 4 else {
            return "its header names an unknown version of the schema"
        }
        return nil
    }
}
