/// One indivisible change: at most one new object and the rows that go with it.
package struct LedgerChange: Sendable {
    /// Synchronized already, or on the way to it. It is published under a random id, which `apply` gets; one change may
    /// carry it, once.
    package var staged: StagedObject?
    /// For an object that is on the way: returns once it is synchronized, or throws what became of it. The transaction
    /// waits for it before its COMMIT, as late as it can, and everybody with it; so not for long, and not for anything
    /// that waits for the ledger.
    package var whenStaged: (@Sendable () throws -> Void)?
    package var participants: [any LedgerParticipant]
    /// May the disk reserve be given up for it? For deletes and openings; never for uploads.
    package var mayUseReserve: Bool
    /// Does it need a transaction of its own? For one after which its participants write in another way.
    package var runsAlone: Bool
    /// Runs on the writer thread, possibly more than once (after the reserve was released, or without another change
    /// whose object did not come). What it throws fails this change only.
    package var apply: @Sendable (LedgerTransaction, ObjectID?) throws -> Void

    package init(
        staged: StagedObject? = nil, whenStaged: (@Sendable () throws -> Void)? = nil,
        participants: [any LedgerParticipant] = [], mayUseReserve: Bool = false, runsAlone: Bool = false,
        apply: @escaping @Sendable (LedgerTransaction, ObjectID?) throws -> Void
    ) {
        self.staged = staged
        self.whenStaged = whenStaged
        self.participants = participants
        self.mayUseReserve = mayUseReserve
        self.runsAlone = runsAlone
        self.apply = apply
    }
}
