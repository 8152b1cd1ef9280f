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

/// A random 16-byte name that says nothing about what it names.
package struct OpaqueID<Kind>: Hashable, Sendable {
    package static var byteCount: Int { 16 }

    /// Bytes 0..<8, big-endian.
    package let high: UInt64
    /// Bytes 8..<16, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Nil unless there are exactly 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard let id = Array(bytes).withUnsafeBytes({ Self(bytes: $0) }) else { return nil }
        self = id
    }

    /// Nil unless it is 32 lower-case hexadecimal digits, the way file names are written.
    init?(hex: String) {
        guard hex.utf8.count == 32, let high = UInt64(hex.prefix(16), radix: 16),
            let low = UInt64(hex.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
        guard self.hex == hex else { return nil }
    }

    /// Of what lies at a path that ends with it; nil for another path than it has by `pathOf`.
    init?(at path: String, by pathOf: (Self) -> String) {
        guard let id = Self(hex: String(path.suffix(32))), pathOf(id) == path else { return nil }
        self = id
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

    package var hex: String { Hexadecimal.encode(bytes) }

    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(high: generator.next(), low: generator.next())
    }
}

extension OpaqueID: Comparable {
    /// As their bytes stand in an index.
    package static func < (first: Self, second: Self) -> Bool { (first.high, first.low) < (second.high, second.low) }
}

/// Names a sealed object's file.
package typealias ObjectID = OpaqueID<ObjectKind>
/// Names a sealed row of the ledger.
package typealias RowID = OpaqueID<RowKind>
/// Names a sealed preview.
package typealias PreviewID = OpaqueID<PreviewKind>
/// Names the row of a session that outlives the daemon.
package typealias SessionID = OpaqueID<SessionKind>

/// Names a door's row: the first half of its token's hash.
package typealias DoorID = OpaqueID<DoorKind>

package enum DoorKind {}
package enum ObjectKind {}
package enum RowKind {}
package enum PreviewKind {}
package enum SessionKind {}
