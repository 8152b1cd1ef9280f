package import Content
package import Foundation
import Logging
package import TestSupport
package import Vaults

/// A host as the daemon runs it: a vault service over a data directory in a temporary folder, with a key derivation that
/// costs nothing.
///
/// It stands in a target of its own, since it needs everything below `Vaults`: whoever tests less takes `TestSupport`,
/// which needs nothing of ours, or `StoreSupport`. The web application in front of it belongs to the only tests that need
/// one (`WebHost`).
package final class TestHost {
    package let folder: TemporaryFolder
    package var configuration: VaultConfiguration
    private var running: VaultService?

    package init(_ adjust: (inout VaultConfiguration) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        configuration = VaultConfiguration(dataPath: folder.path + "/data")
        configuration.commonPasswordsPath = commonPasswordsPath
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        configuration.reserveByteCount = 1 << 20
        configuration.coversLittle = true
        configuration.limits.quietBeforeReread = nil
        // Where it is on: also beside an upload that a test leaves open. `RereadPacing` has tests of its own.
        configuration.limits.patienceBeforeReread = .zero
        // It stands: nobody's wait is over because a machine is busy.
        let clock = StandingClock()
        configuration.attemptClock = { clock.now }
        // Tests make more vaults than a family.
        configuration.limits.newSecrets = 10_000
        adjust(&configuration)
    }

    package var dataPath: String { configuration.dataPath }

    @discardableResult
    package func start() async throws -> VaultService {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let service = try await VaultService.start(configuration, logger: logger)
        running = service
        return service
    }

    /// The one that runs.
    package func service() throws -> VaultService {
        guard let running else { throw NotStarted() }
        return running
    }

    package func stop() async throws {
        try await running?.shutdown()
        running = nil
    }

    package func restart() async throws -> VaultService {
        try await stop()
        return try await start()
    }

    package func file(_ name: String) -> URL { URL(fileURLWithPath: dataPath).appendingPathComponent(name) }
    package func read(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    package func removeObjects(except kept: [String] = []) throws {
        for name in try objectFiles() where !kept.contains(name) {
            try FileManager.default.removeItem(atPath: "\(dataPath)/objects/\(name)")
        }
    }

    /// Names of the files of all objects.
    package func objectFiles() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: dataPath + "/objects").filter { $0.contains("/") }
    }

    private struct NotStarted: Error {}
}
