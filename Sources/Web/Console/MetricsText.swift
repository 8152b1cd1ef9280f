import HTTPTypes
import Synchronization
package import Vaults

/// Figures in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    enum Kind: String {
        case counter, gauge
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    init(_ figures: HostFigures) {
        addHost(figures)
        addService(figures.service)
        addProcess(figures.process)
    }

    private mutating func addHost(_ figures: HostFigures) {
        add(
            "safelight_build_info", .gauge, "The version that runs; always 1.",
            [(["version": figures.version], "1")])
        add(
            "safelight_http_requests_total", .counter, "Answered requests by the kind of their status.",
            (1...5).map { (["code": "\($0)xx"], "\(figures.requests[$0] ?? 0)") })
        add("safelight_network_received_bytes_total", .counter, "Bytes that clients sent.", figures.receivedByteCount)
        add("safelight_network_sent_bytes_total", .counter, "Bytes that clients were sent.", figures.sentByteCount)
        add(
            "safelight_connections", .gauge, "Open connections by where they come from.",
            [
                (["from": "host"], "\(figures.hostConnectionCount)"),
                (["from": "network"], "\(figures.strangerConnectionCount)"),
            ])
        add(
            "safelight_connections_displaced_total", .counter, "Connections that ended for others to begin.",
            figures.displacedConnectionCount)
        add(
            "safelight_connections_refused_total", .counter, "Connections for which there was no room.",
            figures.refusedConnectionCount)
    }

    private mutating func addService(_ figures: ServiceFigures) {
        add("safelight_uploads_in_flight", .gauge, "Uploads that run.", figures.uploadsInFlight)
        let ledger = figures.ledger
        add(
            "safelight_ledger_commits_total", .counter, "Transactions of the ledger, each with one sync of its log.",
            ledger.groups)
        add("safelight_ledger_changes_total", .counter, "Changes that these transactions carried.", ledger.changes)
        add(
            "safelight_ledger_failed_changes_total", .counter, "Changes of which nothing was stored.",
            ledger.failedChanges)
        let attempts = figures.attempts
        add(
            "safelight_attempts_total", .counter, "Attempts to get in with a secret, by how they ended.",
            [
                (["result": "right"], "\(attempts.right)"), (["result": "wrong"], "\(attempts.wrong)"),
                (["result": "refused"], "\(attempts.refused)"),
            ])
        add("safelight_objects_stored_total", .counter, "Sealed files that were stored.", ledger.objects)
        add(
            "safelight_store_degraded", .gauge,
            "1 while nothing is accepted because the disk failed to confirm a write.",
            figures.isDegraded ? 1 : 0)
        add("safelight_disk_free_bytes", .gauge, "Room for photos, without the reserve.", figures.freeByteCount)
        add("safelight_disk_size_bytes", .gauge, "The file system of the data directory.", figures.totalByteCount)
        add(
            "safelight_last_backup_timestamp_seconds", .gauge,
            "The moment that the last backup shows; absent while there was none.", figures.lastBackup)
    }

    private mutating func addProcess(_ figures: ProcessFigures) {
        add("process_start_time_seconds", .gauge, "When the process began, since 1970.", figures.startTime)
        add("process_cpu_seconds_total", .counter, "Processor time, of user and system.", figures.cpuSeconds)
        add("process_resident_memory_bytes", .gauge, "Memory in use.", figures.residentByteCount)
        add("process_virtual_memory_bytes", .gauge, "Addresses in use.", figures.virtualByteCount)
        add("process_open_fds", .gauge, "Open files and connections.", figures.openFileCount)
        add("process_max_fds", .gauge, "How many of these there may be.", figures.openFileLimit)
    }

    /// Nothing for a figure that is not known.
    private mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ value: (some Numeric & Sendable)?
    ) {
        if let value { add(name, kind, help, [([:], "\(value)")]) }
    }

    private mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [String: String], value: String)]
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += "\(name)\(Self.labels(sample.labels)) \(sample.value)\n" }
    }

    private static func labels(_ labels: [String: String]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, letter in
            switch letter {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(letter)
            }
        }
    }
}

/// The process, as the system sees it.
package struct ProcessFigures: Sendable, Equatable {
    package var id: Int32 = 0
    /// Seconds since 1970.
    package var startTime: Double = 0
    package var cpuSeconds: Double = 0
    package var residentByteCount: UInt64 = 0
    package var virtualByteCount: UInt64 = 0
    package var openFileCount = 0
    package var openFileLimit: UInt64 = 0

    package init() {}
}

/// Everything that the console shows, at one moment.
package struct HostFigures: Sendable, Equatable {
    package var version: String
    package var service = ServiceFigures()
    package var process = ProcessFigures()
    /// Answered requests by the first digit of their status.
    package var requests: [Int: UInt64] = [:]
    package var receivedByteCount: UInt64 = 0
    package var sentByteCount: UInt64 = 0
    /// Open connections from other devices, and from this host.
    package var strangerConnectionCount = 0
    package var hostConnectionCount = 0
    /// Connections since the start that ended for others to begin, and those for which there was no room.
    package var displacedConnectionCount: UInt64 = 0
    package var refusedConnectionCount: UInt64 = 0

    package init(version: String) {
        self.version = version
    }
}

/// Counts answered requests by the kind of their status. Of all of them together: nothing here is per vault.
package final class RequestTally: Sendable {
    private let counts = Mutex<[Int: UInt64]>([:])

    package init() {}

    /// How many requests were answered, by the first digit of the status, 1 to 5.
    package var countsByKind: [Int: UInt64] { counts.withLock { $0 } }

    func note(_ status: HTTPResponse.Status) {
        counts.withLock { $0[min(max(status.code / 100, 1), 5), default: 0] += 1 }
    }
}
