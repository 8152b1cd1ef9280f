import Logging
import Synchronization

/// Keeps what it is given, each as one text.
struct Lines: LogHandler {
    private final class Store: Sendable { let lines = Mutex<[String]>([]) }

    private let store = Store()
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    var all: [String] { store.lines.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { _, new in new }
        store.lines.withLock { $0.append("\(event.message) \(metadata) \(event.error.map { "\($0)" } ?? "")") }
    }
}
