import Foundation

/// Opens the ledger of a stopped store for looking, so that not a byte changes in the data directory.
enum UnchangedLedger {
    /// A log that was left by a crash holds commits that count. Merging it would change the ledger, so both files are
    /// then copied to a temporary folder (only sealed bytes are in them), which goes as soon as the copy is open.
    static func open(_ root: Folder, _ path: String) throws -> ImmutableLedger {
        guard try root.byteCount(of: StoreLayout.ledgerWriteAheadLog) ?? 0 > 0 else {
            return try ImmutableLedger.open(path: path + "/" + StoreLayout.ledger)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-check-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in [StoreLayout.ledger, StoreLayout.ledgerWriteAheadLog] {
            try FileManager.default.copyItem(
                atPath: path + "/" + name, toPath: folder.appendingPathComponent(name).path)
        }
        return try ImmutableLedger.open(mergingLogOf: folder.appendingPathComponent(StoreLayout.ledger).path)
    }
}
