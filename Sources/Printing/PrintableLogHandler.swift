package import Logging
import Synchronization

/// Hands log lines on with everything in them made printable, so that no name, host or error text from outside makes a
/// line of its own or rules the terminal that shows the log.
package struct PrintableLogHandler: LogHandler {
    private var base: any LogHandler

    package init(_ base: any LogHandler) { self.base = base }

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
        set { base.metadata = Self.printable(newValue) }
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key.printable] }
        set { base[metadataKey: key.printable] = newValue.map(Self.printable) }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(event.message.description.printable)"
        // The error would be described by the handler below, past what is done here.
        var metadata = event.metadata.map(Self.printable)
        if let error = event.error {
            metadata = (metadata ?? [:]).merging(["error": "\("\(error)".printable)"]) { own, _ in own }
            event.error = nil
        }
        event.metadata = metadata
        base.log(event: event)
    }

    private static func printable(_ metadata: Logger.Metadata) -> Logger.Metadata {
        Logger.Metadata(metadata.map { ($0.key.printable, printable($0.value)) }) { first, _ in first }
    }

    private static func printable(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .dictionary(let entries): .dictionary(printable(entries))
        case .array(let values): .array(values.map(printable))
        default: .string("\(value)".printable)
        }
    }
}

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
