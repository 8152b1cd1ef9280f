/// What a vault's memory will be once the running transaction is committed.
struct VaultDraft: Sendable {
    var head: VaultHead
    /// Numbers of rows that hold nothing.
    var emptyNumbers: [UInt64]
    var libraryChanges: [LibraryChange] = []

    init(head: VaultHead, emptyNumbers: [UInt64]) {
        self.head = head
        self.emptyNumbers = emptyNumbers
    }
}
