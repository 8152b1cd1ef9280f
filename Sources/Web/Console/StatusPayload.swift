package import Vaults

/// What `safelight status` shows, and prints with `--json`. Times in seconds since 1970.
package struct StatusPayload: Codable, Sendable, Equatable {
    package struct Check: Codable, Sendable, Equatable {
        package var name: String
        package var status: String
        package var output: String?
    }

    package var running = true
    package var version: String
    package var process: Int32
    package var startedAt: Int64
    package var health: String
    package var checks: [Check]
    package var uploadsInFlight: Int
    package var devices: Int
    package var freeBytes: UInt64?
    package var diskBytes: UInt64?
    package var lastBackupAt: UInt64?
    package var memoryBytes: UInt64

    package init(_ figures: HostFigures, _ health: Health) {
        version = figures.version
        process = figures.process.id
        startedAt = Int64(figures.process.startTime)
        self.health = health.status.rawValue
        checks = health.checks.map { Check(name: $0.name, status: $0.status.rawValue, output: $0.output) }
        uploadsInFlight = figures.service.uploadsInFlight
        devices = figures.strangerConnectionCount
        freeBytes = figures.service.freeByteCount
        diskBytes = figures.service.totalByteCount
        lastBackupAt = figures.service.lastBackup
        memoryBytes = figures.process.residentByteCount
    }
}
