/// When the feed is asked: not at the start but a little later, and never twice within 24 hours, over restarts.
package struct FeedSchedule: Sendable {
    /// After a start, before anything is asked.
    package static let patience: Duration = .seconds(5)
    package static let interval: Duration = .seconds(86_400)
    /// The most that chance adds to an interval, so that not all hosts ask at the same time of day.
    package static let spread: Duration = .seconds(3_600)

    /// How long to wait from now on.
    /// - Parameters:
    ///   - lastAsked: seconds since 1970 of the last request, begun, not ended; `nil` for none
    ///   - now: seconds since 1970
    ///   - isAtStart: the daemon has just started
    ///   - chance: 0 to 1
    package static func wait(lastAsked: Int64?, now: Int64, isAtStart: Bool, chance: Double) -> Duration {
        let least = isAtStart ? patience * (1 + chance) : .zero
        guard let lastAsked else { return least }
        // A clock that stood in the future must not silence the feed for ever.
        let begun = min(lastAsked, now)
        let due = Duration.seconds(begun - now) + interval + spread * chance
        return max(due, least)
    }
}
