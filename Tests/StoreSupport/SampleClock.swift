import Synchronization

/// A clock that stands until a test moves it.
package final class SampleClock: Sendable {
    private let state = Mutex((today: SampleStore.day, uptime: Duration.seconds(1000)))

    package init() {}

    package var today: UInt32 { state.withLock { $0.today } }
    package var uptime: Duration { state.withLock { $0.uptime } }

    /// As when somebody sets it.
    package func stand(on day: UInt32) { state.withLock { $0.today = day } }

    package func advance(days: UInt32 = 0, running: Duration = .zero) {
        state.withLock {
            $0.today += days
            $0.uptime += running
        }
    }
}
