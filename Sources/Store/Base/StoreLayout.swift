import Bytes

/// The names in a data directory. Every store has the same ones, whatever it holds.
enum StoreLayout {
    static let header = "store.header"
    static let newHeader = "store.header.new"
    static let lock = "lock"
    static let slots = "slots"
    static let ledger = "ledger.sqlite"
    static let ledgerWriteAheadLog = "ledger.sqlite-wal"
    static let ledgerSharedMemory = "ledger.sqlite-shm"
    static let ledgerLogInUse = "ledger.log-in-use"
    static let newLedger = "ledger.new"
    static let ledgerCopies = ["ledger.copy-0", "ledger.copy-1"]
    static let newLedgerCopy = "ledger.copy-new"
    /// A copy on its way into a bucket.
    static let newSnapshot = "ledger.snapshot-new"
    static let previews = "previews.sqlite"
    static let previewsWriteAheadLog = "previews.sqlite-wal"
    /// With the log and its index.
    static let previewFiles = [previews, previewsWriteAheadLog, "previews.sqlite-shm"]
    static let reserve = "reserve"
    static let objects = "objects"
    static let quarantine = "quarantine"
    static let lastBackup = "last-backup"
    static let newLastBackup = "last-backup.new"
    static let failedBackup = "failed-backup"
    static let lastOffsite = "last-offsite"
    static let failedOffsite = "failed-offsite"
    static let lastRehearsal = "last-rehearsal"
    static let failedRehearsal = "failed-rehearsal"
    static let lastBackupRehearsal = "last-backup-rehearsal"
    static let failedBackupRehearsal = "failed-backup-rehearsal"
    static let lastHomeRehearsal = "last-home-rehearsal"
    static let failedHomeRehearsal = "failed-home-rehearsal"
    /// Stand while a process follows another host here (`--stand-by`), and once somebody has asked it to take over.
    static let standsBy = "stand-by"
    static let takeOverWanted = "take-over"
    /// Stands while a backup is put back, until the header is in place.
    static let restoring = "restoring"
    /// Stands from before the first file of a new store is written until after its header is in place, so that a
    /// directory without a header can be told from one that was never finished.
    static let initialising = "initialising"
    /// What is remembered of stores elsewhere lies where the first one is made by itself.
    static let knownPlaces = "known-places"
    /// Of a backup's place, which no data directory goes along to.
    static let backupMarker = "safelight-backup"
    /// Made by mkfs in the root of an ext4 file system.
    static let lostAndFound = "lost+found"

    /// Files that an unfinished creation may have left.
    static let filesOfCreation =
        [slots, ledger, ledgerWriteAheadLog, ledgerSharedMemory, "ledger.sqlite-journal", newLedgerCopy]
        + ledgerCopies + [reserve, newHeader]

    static let shardNames = (UInt8.min...UInt8.max).map { Hexadecimal.encode([$0]) }

    static func damagedFolder(day: UInt32, number: Int) -> String { "damaged-\(day)-\(number)" }

    /// The day in the name of such a folder; nil for any other name.
    static func day(ofDamagedFolder name: String) -> UInt32? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let day = UInt32(parts[1]), let number = Int(parts[2]),
            damagedFolder(day: day, number: number) == name
        else { return nil }
        return day
    }
}
