import Synchronization

/// A clock that stands until a test moves it.
package final class StandingClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { instant.withLock { $0 } }

    package func advance(_ duration: Duration) { instant.withLock { $0 += duration } }
}
