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
    /// Of the daemon's own vaults, in this run, rounded up; absent where there are none, and for those who only look.
    package var coverBytes: UInt64?
    package var coverByteLimit: UInt64?
    package var coverFiles: Int?
    package var coverFileLimit: Int?

    /// - Parameter isForKeeper: whether it goes to nobody but the daemon's user
    package init(_ figures: HostFigures, _ health: Health, isForKeeper: Bool = false) {
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
        guard isForKeeper, let cover = figures.service.cover else { return }
        (coverBytes, coverByteLimit) = (cover.byteCount, cover.byteLimit)
        (coverFiles, coverFileLimit) = (cover.objectCount, cover.objectLimit)
        checks.append(
            Check(
                name: "cover", status: Health.Status.pass.rawValue,
                output: "\(cover.byteCount >> 20) MiB of at most \(cover.byteLimit >> 20) MiB, "
                    + "\(cover.objectCount) of at most \(cover.objectLimit) files"))
    }
}
