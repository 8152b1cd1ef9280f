import Glibc

/// Whether the file of small pictures is sound. Whatever is wrong with it is worth a note only: all of it is made again
/// from the photos.
enum PreviewCheck {
    static func run(_ root: Folder, _ path: String) throws -> [Finding] {
        guard try root.byteCount(of: StoreLayout.previews) ?? 0 > 0 else { return [] }
        // What the log of a daemon that was killed holds is not in the file yet, and reading it would change files.
        guard try root.byteCount(of: StoreLayout.previewsWriteAheadLog) ?? 0 == 0 else {
            return [.note("The previews were not closed; the next start takes up their log, then they can be checked.")]
        }
        guard let complaint = complaint(path) else { return [] }
        return [.note("The previews are damaged (\(complaint)); the daemon makes them again.")]
    }

    private static func complaint(_ path: String) -> String? {
        do {
            return try ImmutableLedger.open(path: path + "/" + StoreLayout.previews).complaintAboutPages()
        } catch {
            guard case .ledgerDamaged(let reason) = error else { return "\(error)" }
            return reason
        }
    }
}
