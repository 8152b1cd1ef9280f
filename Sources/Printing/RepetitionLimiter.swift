package import Logging
import Synchronization

/// Keeps what a stranger can cause from filling the journal, whichever line of the program it makes speak: in each window
/// a place in the source says a few lines, and what it would say beyond is counted and said in one line at the end.
/// Lines for debugging are nobody's by default, and go through.
package final class RepetitionLimiter: Sendable {
    /// How many lines of one place a window takes.
    package static let most = 5
    package static let window: Duration = .seconds(3600)

    private struct Place: Hashable {
        let file: String
        let line: UInt
    }

    private struct Repetition {
        var count = 0
        var last: LogEvent
        let base: any LogHandler
    }

    private let repetitions = Mutex<[Place: Repetition]>([:])

    package init() {}

    /// Whether to say it now.
    fileprivate func admits(_ event: LogEvent, to base: any LogHandler) -> Bool {
        guard event.level > .debug else { return true }
        return repetitions.withLock { repetitions in
            let place = Place(file: event.file, line: event.line)
            var repetition = repetitions[place] ?? Repetition(last: event, base: base)
            repetition.count += 1
            repetition.last = event
            repetitions[place] = repetition
            return repetition.count <= Self.most
        }
    }

    /// Says what was kept back, and begins another window.
    package func endWindow() {
        let ended = repetitions.withLock { repetitions in
            defer { repetitions = [:] }
            return repetitions.values.filter { $0.count > Self.most }
        }
        for repetition in ended.sorted(by: { $0.count > $1.count }) {
            var event = repetition.last
            event.message = "\(event.message) (\(repetition.count) times within an hour, of which this is the last)"
            repetition.base.log(event: event)
        }
    }
}

/// Hands on what a limiter admits.
package struct LimitedLogHandler: LogHandler {
    private var base: any LogHandler
    private let limiter: RepetitionLimiter

    package init(_ base: any LogHandler, limiter: RepetitionLimiter) {
        self.base = base
        self.limiter = limiter
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        if limiter.admits(event, to: base) { base.log(event: event) }
    }
}
