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
