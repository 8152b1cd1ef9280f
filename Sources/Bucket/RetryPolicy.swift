/// When a request is sent again, and how long is waited before: stores are busy for moments, and lines are cut.
struct RetryPolicy: Sendable {
    /// With the first one.
    static let mostAttempts = 7
    private static let first = 0.25
    private static let longest = 20.0
    /// A store that wants to be left alone for longer than this is given up for today.
    static let longestAsked = 300.0

    /// - Parameters:
    ///   - attempts: those that have failed so far, from 1 on
    ///   - most: with the first one
    ///   - asked: seconds of the answer's `Retry-After`
    ///   - chance: 0 to 1; spreads those who were refused together
    /// - Returns: nil when it is enough.
    static func wait(
        after attempts: Int, of most: Int = mostAttempts, asked: Double?, chance: Double
    ) -> Duration? {
        guard attempts < most else { return nil }
        if let asked, asked > 0 {
            guard asked <= longestAsked else { return nil }
            return .seconds(asked + chance * first)
        }
        var step = first
        for _ in 1..<max(1, attempts) { step = min(longest, 2 * step) }
        // Between a half and the whole of the step.
        return .seconds(step * (1 + chance) / 2)
    }

    static func isPassing(_ status: Int, code: String?) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        case 200..<300: ["InternalError", "SlowDown", "ServiceUnavailable"].contains(code)
        // RFC 9110 has 408 for it; Amazon answers 400. The second is what two writers at once get.
        case 400: code == "RequestTimeout"
        case 409: code == "ConditionalRequestConflict" || code == "OperationAborted"
        default: false
        }
    }
}

/// How long a store is waited for.
package struct Patience: Sendable {
    var attempts: Int
    /// Seconds until a connection is made, and of each pause in a body or before an answer.
    var connecting: Int64
    var pause: Int64
    /// Until somebody has answered for the first time: milliseconds that one attempt may take, where nothing has to be sent
    /// for an answer, and how many may pass without one. Whoever waits for a store that is not there hears of it within a
    /// minute; one that was there may be away for longer.
    var firstAnswer: Int64 = 8_000
    var silences = 5

    /// For copies, which nobody waits for.
    package static let long = Patience(attempts: RetryPolicy.mostAttempts, connecting: 15, pause: 60)
    /// For a few bytes that somebody waits for, who may as well be told to try again. Shorter in all than what a service
    /// manager waits for a sign of life.
    package static let short = Patience(attempts: 3, connecting: 5, pause: 10)
}
