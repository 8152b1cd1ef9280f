/// What became of a guest's photos when they moved into a vault.
package struct Migration: Equatable, Sendable {
    /// Photos that the vault has now and did not have before.
    package var moved = 0
    /// Photos whose content was there before.
    package var duplicates = 0
    /// Of those that moved: not read back yet, so that nobody knows whether their content was there before.
    package var pending = 0
    /// What the guest had lost to a damaged disk before.
    package var lost = 0

    package init(moved: Int = 0, duplicates: Int = 0, pending: Int = 0, lost: Int = 0) {
        self.moved = moved
        self.duplicates = duplicates
        self.pending = pending
        self.lost = lost
    }
}
