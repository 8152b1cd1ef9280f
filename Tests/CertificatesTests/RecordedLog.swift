import Logging
import Synchronization

/// What was logged, for tests to read.
final class RecordedLog: Sendable {
    private let recorded = Mutex<[(level: Logger.Level, text: String)]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    var notices: [String] { texts(.notice) }
    var warnings: [String] { texts(.warning) }
    var errors: [String] { texts(.error) }

    private func texts(_ level: Logger.Level) -> [String] {
        recorded.withLock { $0.filter { $0.level == level }.map(\.text) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.recorded.withLock { $0.append((event.level, event.message.description)) }
        }
    }
}
