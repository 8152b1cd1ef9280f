/// When a watched service proves that it lives. Each sign of life is earned by a probe that came back; nothing is sent
/// while one is under way, so that a probe that hangs ends in the watchdog's hands.
package struct Heartbeat: Sendable, Equatable {
    /// The time from the beginning of one probe to that of the next.
    let period: Duration

    /// - Parameter watchdog: within which one sign of life has to follow the other
    package init(watchdog: Duration) {
        // Two probes may take their time, or one a whole lot of it, before the watchdog bites.
        period = watchdog / 3
    }

    /// How long to rest after a probe. Also a disk that is slow gets some rest.
    package func pause(afterProbeOf duration: Duration) -> Duration {
        max(period - duration, period / 4)
    }
}
