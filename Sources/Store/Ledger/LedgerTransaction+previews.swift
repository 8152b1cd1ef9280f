internal import GRDB

/// Previews to be taken out of their own database. They stand in the transaction that deletes their photo, so that none
/// is left behind by a crash; whether one was made at all does not matter.
extension LedgerTransaction {
    package func doomPreviews(_ ids: [PreviewID]) throws {
        try recording {
            for id in ids { try database.run("INSERT OR IGNORE INTO doomed_preview (id) VALUES (?)", [.id(id)]) }
        }
    }

    func forgetDoomed(_ id: PreviewID) throws {
        try recording { try database.run("DELETE FROM doomed_preview WHERE id = ?", [.id(id)]) }
    }

    /// A guest's rows name their previews in clear, 16 bytes each, for nobody has the key when they go.
    func doomPreviewsOfGuests(before day: UInt32) throws {
        let byteCount = PreviewID.byteCount
        for place in 0..<Self.previewsPerPhoto {
            try database.run(
                """
                INSERT OR IGNORE INTO doomed_preview (id) SELECT substr(preview, \(place * byteCount + 1), \(byteCount))
                FROM guest WHERE expires_day < ? AND length(preview) >= \((place + 1) * byteCount)
                """, [.integer(Int64(day))])
        }
    }

    /// A row that names more of them would leave some behind.
    static let previewsPerPhoto = 2
}

extension LedgerReader {
    func doomedPreviews(limit: Int) throws -> [PreviewID] {
        try translatingLedgerErrors {
            var ids: [PreviewID] = []
            try database.forEachBlobs("SELECT id FROM doomed_preview LIMIT \(limit)", columns: 1) { blobs in
                if let id = PreviewID(bytes: blobs[0]) { ids.append(id) }
            }
            return ids
        }
    }
}
