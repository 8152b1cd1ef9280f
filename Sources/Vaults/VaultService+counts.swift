import Synchronization

extension VaultService {
    /// The counts of the day begin anew: new vaults, new guests, changes of what opens vaults. For the owner, at the host
    /// itself: who connects to the page from here may be anybody that a program of this host hands on.
    package func beginCountsAnew() {
        newVaults.withLock { $0.beginAnew() }
        engine.guestDoor.beginAnew()
        registry.beginCountsAnew()
    }
}
