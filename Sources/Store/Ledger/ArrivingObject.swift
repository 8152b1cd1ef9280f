/// An object that a change of the ledger lists: on disk already, or on the way to it.
package struct ArrivingObject: Sendable {
    /// It is published under a random id; one change may carry it, once.
    package let staged: StagedObject
    /// Where it is on the way: returns once it is synchronized, or throws what became of it. The transaction waits for
    /// it before its COMMIT, as late as it can, and everybody with it; so not for long, and not for anything that waits
    /// for the ledger.
    package let wait: (@Sendable () throws -> Void)?

    package init(_ staged: StagedObject, wait: (@Sendable () throws -> Void)? = nil) {
        self.staged = staged
        self.wait = wait
    }
}
