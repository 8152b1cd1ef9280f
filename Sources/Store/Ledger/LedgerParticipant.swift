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
