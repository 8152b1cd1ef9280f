/// One indivisible change: at most one new object and the rows that go with it.
package struct LedgerChange: Sendable {
    /// Already synchronized. It is published under a random id, which `apply` gets; one change may carry it, once.
    package var staged: StagedObject?
    package var participants: [any LedgerParticipant]
    /// May the disk reserve be given up for it? For deletes and openings; never for uploads.
    package var mayUseReserve: Bool
    /// Does it need a transaction of its own? For one after which its participants write in another way.
    package var runsAlone: Bool
    /// Runs on the writer thread, possibly twice (after the reserve was released). What it throws fails this change
    /// only.
    package var apply: @Sendable (LedgerTransaction, ObjectID?) throws -> Void

    package init(
        staged: StagedObject? = nil, participants: [any LedgerParticipant] = [], mayUseReserve: Bool = false,
        runsAlone: Bool = false,
        apply: @escaping @Sendable (LedgerTransaction, ObjectID?) throws -> Void
    ) {
        self.staged = staged
        self.participants = participants
        self.mayUseReserve = mayUseReserve
        self.runsAlone = runsAlone
        self.apply = apply
    }
}
