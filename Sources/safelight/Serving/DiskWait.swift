import Content
import Logging
import Vaults

/// While the disk of the vaults is not there: says so in the log, to whoever asks, and to the service manager, until it
/// is.
struct DiskWait {
    /// A mount could be awaited, but not a folder on a disk that is there, nor one that is made on purpose.
    private static let pause: Duration = .seconds(2)

    let reason: String
    let vaults: VaultConfiguration
    let waiting: Waiting
    let logger: Logger

    /// - Returns: false when the daemon was told to stop before.
    func untilThere() async throws -> Bool {
        logger.error(
            "waiting for the disk of the data directory. \(reason) This goes on by itself once it is there.",
            metadata: ["path": "\(vaults.dataPath)", "onPurpose": "safelight create --data \(vaults.dataPath)"])
        guard try await waiting.until(every: Self.pause, { [vaults] in vaults.hasCome }) else { return false }
        logger.notice("the data directory is there")
        return true
    }
}
