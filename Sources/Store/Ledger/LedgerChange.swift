/// One indivisible change: at most one new object and the rows that go with it.
package struct LedgerChange: Sendable {
    package var object: ArrivingObject?
    package var participants: [any LedgerParticipant]
    /// May the disk reserve be given up for it? For deletes and openings; never for uploads.
    package var mayUseReserve: Bool
    /// Does it need a transaction of its own? For one after which its participants write in another way.
    package var runsAlone: Bool
    /// Slots that are written with it, where they go along with the ledger.
    var slots: [LogWriting.SlotWrite] = []
    /// Whether the log goes on in another epoch behind it.
    var beginsEpoch = false
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

/// An object that a change of the ledger lists: on disk already, or on the way to it.
package struct ArrivingObject: Sendable {
    /// It is published under a random id; one change may carry it, once.
    package let staged: StagedObject
    /// Where it is on the way: returns once it is synchronized, or throws what became of it. The transaction waits for
    /// it before its COMMIT, as late as it can, and everybody with it; so not for long, and not for anything that waits
    /// for the ledger.
    package let wait: (@Sendable () throws -> Void)?
    /// Whether nothing is written to it any more: then it may leave the house.
    package let isWhole: Bool

    package init(_ staged: StagedObject, isWhole: Bool = true, wait: (@Sendable () throws -> Void)? = nil) {
        self.staged = staged
        self.isWhole = isWhole
        self.wait = wait
    }
}

/// Takes part in every transaction that changes something of it: an open vault, which seals its head once per group.
/// Called on the ledger's writer thread; must not call `commitBlocking` from there.
package protocol LedgerParticipant: AnyObject, Sendable {
    /// After the changes of the group, before COMMIT. Throwing fails the whole group.
    func willCommit(_ transaction: LedgerTransaction) throws
    /// Everything of the group is durable.
    func didCommit()
    /// Nothing of it was stored: the transaction failed, or every change of this participant did. May be followed by
    /// another attempt of the same changes.
    func didRollBack()
}
