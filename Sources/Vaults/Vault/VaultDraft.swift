/// What a vault's memory will be once the running transaction is committed.
struct VaultDraft: Sendable {
    var head: VaultHead
    /// Numbers of rows that hold nothing.
    var emptyNumbers: [UInt64]
    /// The oldest first.
    var keptSessions: [KeptSession]
    /// Besides the first password, which stands in the head.
    var ways: [WayRecord]
    var libraryChanges: [LibraryChange] = []

    init(
        head: VaultHead, emptyNumbers: [UInt64], keptSessions: [KeptSession] = [], ways: [WayRecord] = []
    ) {
        self.head = head
        self.emptyNumbers = emptyNumbers
        self.keptSessions = keptSessions
        self.ways = ways
    }
}
