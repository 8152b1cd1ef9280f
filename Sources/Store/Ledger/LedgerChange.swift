/// One indivisible change: at most one new object and the rows that go with it.
package struct LedgerChange: Sendable {
    package var object: ArrivingObject?
    package var participants: [any LedgerParticipant]
    /// May the disk reserve be given up for it? For deletes and openings; never for uploads.
    package var mayUseReserve: Bool
    /// Does it need a transaction of its own? For one after which its participants write in another way.
    package var runsAlone: Bool
    /// Runs on the writer thread, possibly more than once (after the reserve was released, or without another change
    /// whose object did not come). It gets the id under which the object is published. What it throws fails this change
    /// only.
    package var apply: @Sendable (LedgerTransaction, ObjectID?) throws -> Void

    package init(
        object: ArrivingObject? = nil, participants: [any LedgerParticipant] = [], mayUseReserve: Bool = false,
        runsAlone: Bool = false,
        apply: @escaping @Sendable (LedgerTransaction, ObjectID?) throws -> Void
    ) {
        self.object = object
        self.participants = participants
        self.mayUseReserve = mayUseReserve
        self.runsAlone = runsAlone
        self.apply = apply
    }
}
