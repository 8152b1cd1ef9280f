import Store
import Synchronization

/// The calendar of a host under test, which begins with that of this machine.
final class Day: Sendable {
    private let number = Mutex(StoreConfiguration.systemDay())

    var today: UInt32 { number.withLock { $0 } }

    /// By one day, as a running daemon sees it and trusts it; by more, or back, as after a clock that was wrong.
    func advance(by days: Int = 1) { number.withLock { $0 = UInt32(clamping: Int($0) + days) } }
}
