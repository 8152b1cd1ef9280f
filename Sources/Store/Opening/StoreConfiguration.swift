import CLinux
import Glibc

/// Where a store lies and what it takes from its surroundings.
package struct StoreConfiguration: Sendable {
    /// The data directory. Its parent must exist.
    package var path: String
    /// Bytes kept allocated, so that deletes and openings still commit on a full disk.
    package var reserveByteCount: UInt64
    /// Free bytes below which nothing new is accepted.
    package var floorByteCount: UInt64
    /// Days since 1970-01-01 UTC.
    package var today: @Sendable () -> UInt32
    /// Time since the machine booted, sleep included; never set back.
    package var uptime: @Sendable () -> Duration
    /// Rows nobody owns, drawn once at creation, so that the row count does not tell how many vaults there are.
    package var coverRowCount: Int
    /// Sessions and doors nobody holds, drawn on each day on which the daemon runs, for either.
    package var coverSessionCount: @Sendable () -> Int
    /// The same at creation: so many that one which somebody holds is lost in them from the first day on.
    package var coverSessionCountAtBirth: @Sendable () -> Int
    /// The data directory whose photos are read, where `path` is a `WorkingCopy` of it: nothing there is changed.
    package var originalPath: String?
    /// Whether the slots of a new store are random. Off for tests of other things, which make hundreds of stores: a file of
    /// holes takes no room on the disk.
    package var fillsSlots = true
    /// The disk tells for ever when a file was made. So many are made at one moment for objects that are still to come, and
    /// taken in any order: of all of them it tells the same.
    package var filesMadeAtOnce = 128
    /// Whether a new store is made where nothing is, and no disk is missing.
    package var beginsNewStore = true
    /// Where stores on other disks are remembered; nil where nothing is.
    package var knownPlaces: KnownPlaces?
    /// The bucket that everything goes along to; nil where this disk is all there is.
    package var tier: TierConfiguration?
    /// Looks at the header of a store before anything is changed there; what it throws ends the opening.
    package var accepts: @Sendable (HostHeader) throws -> Void = { _ in }
    /// Gets a sentence for the log when something was amiss with what can be made again.
    package var note: @Sendable (String) -> Void

    package init(
        path: String,
        reserveByteCount: UInt64 = 64 << 20,
        floorByteCount: UInt64 = 32 << 20,
        coverRowCount: Int = Self.drawCoverRowCount(),
        coverSessionCount: @escaping @Sendable () -> Int = { .random(in: 0...3) },
        coverSessionCountAtBirth: @escaping @Sendable () -> Int = { .random(in: 0...24) },
        note: @escaping @Sendable (String) -> Void = { _ in },
        today: @escaping @Sendable () -> UInt32 = StoreConfiguration.systemDay,
        uptime: @escaping @Sendable () -> Duration = StoreConfiguration.systemUptime
    ) {
        self.path = path
        self.reserveByteCount = reserveByteCount
        self.floorByteCount = floorByteCount
        self.coverRowCount = coverRowCount
        self.coverSessionCount = coverSessionCount
        self.coverSessionCountAtBirth = coverSessionCountAtBirth
        self.note = note
        self.today = today
        self.uptime = uptime
    }

    /// So wide that the 17 rows with which a vault begins are lost in it.
    package static let coverRowCounts = 256...8192

    /// One of these counts, its logarithm evenly.
    package static func drawCoverRowCount() -> Int {
        let ends = (log2(Double(coverRowCounts.lowerBound)), log2(Double(coverRowCounts.upperBound)))
        return Int(exp2(Double.random(in: ends.0...ends.1)))
    }

    @Sendable package static func systemDay() -> UInt32 {
        UInt32(clamping: time(nil) / 86_400)
    }

    @Sendable package static func systemUptime() -> Duration {
        .nanoseconds(linux_clock_nanoseconds(CLOCK_BOOTTIME))
    }
}

/// The bucket that everything goes along to, and what a start is to do there.
package struct TierConfiguration: Sendable {
    package enum Intent: Sendable {
        /// Only where this data directory was the last to write there, or is new and the bucket is empty.
        case goOn
        /// Whoever wrote there last: from then on this data directory does.
        case takeOver
    }

    package var remote: any RemoteObjects
    package var intent: Intent
    /// Whether a take-over goes on without what is behind a hole of the log.
    package var mayLose = false
    /// Whether a take-over lets go what it finds in the bucket and nothing lists, 30 days later. Otherwise it stays.
    package var mayLoseUnlisted = false
    /// Entries of the log after which a snapshot takes the place of the former ones.
    package var snapshotEntryCount: Int
    /// Bytes of files that are kept here of objects in the bucket; nil: all that there is room for.
    package var cacheByteCount: UInt64?
    /// Gets how many objects are in the bucket by now, and of how many, where a data directory begins to go along.
    package var progress: @Sendable (_ done: Int, _ of: Int) -> Void

    package init(
        _ remote: any RemoteObjects, intent: Intent = .goOn, snapshotEntryCount: Int = 2000,
        cacheByteCount: UInt64? = nil,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) {
        self.remote = remote
        self.intent = intent
        self.snapshotEntryCount = snapshotEntryCount
        self.cacheByteCount = cacheByteCount
        self.progress = progress
    }
}
