package import Logging

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
