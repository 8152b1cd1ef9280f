package import Records

/// What an import proved: how many files of each kind there were.
package struct ImportProofPayload: Codable, Sendable {
    package var files: UInt32
    package var archives: UInt32
    /// Stored, read back and compared.
    package var stored: UInt32
    package var known: UInt32
    package var again: UInt32
    /// No photos, or in the trash there.
    package var left: UInt32
    /// Not proven to lie in the vault.
    package var failed: UInt32
    package var isProven: Bool

    package init(
        files: UInt32, archives: UInt32, stored: UInt32, known: UInt32, again: UInt32, left: UInt32, failed: UInt32,
        isProven: Bool
    ) {
        self.files = files
        self.archives = archives
        self.stored = stored
        self.known = known
        self.again = again
        self.left = left
        self.failed = failed
        self.isProven = isProven
    }

    /// - Parameter at: when it ended, in milliseconds since 1970.
    package func record(at: UInt64) -> LastImportRecord {
        LastImportRecord(
            at: at, files: files, archives: archives, stored: stored, known: known, again: again, left: left,
            failed: failed, isProven: isProven)
    }

    init(_ record: LastImportRecord) {
        self.init(
            files: record.files, archives: record.archives, stored: record.stored, known: record.known,
            again: record.again, left: record.left, failed: record.failed, isProven: record.isProven)
    }
}
