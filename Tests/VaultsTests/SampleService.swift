import Foundation
import Logging
import Store
import TestSupport

@testable import Content
@testable import Records
@testable import Vaults

/// A service over a data directory in a temporary folder, as the daemon runs it, with a key derivation that costs
/// nothing.
final class SampleService {
    let folder: TemporaryFolder
    var configuration: VaultConfiguration
    private var running: VaultService?

    init(_ adjust: (inout VaultConfiguration) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        configuration = VaultConfiguration(dataPath: folder.path + "/data")
        configuration.commonPasswordsPath = commonPasswordsPath
        configuration.unsafeKDF = UnsafeKDF(iterations: 1, memoryKiB: 64)
        configuration.reserveByteCount = 1 << 20
        configuration.coversLittle = true
        configuration.limits.quietBeforeReread = nil
        // Where it is on: also beside an upload that a test leaves open. `RereadPacing` has tests of its own.
        configuration.limits.patienceBeforeReread = .zero
        // Tests make more vaults than a family.
        configuration.limits.newSecrets = 10_000
        adjust(&configuration)
    }

    var dataPath: String { configuration.dataPath }

    @discardableResult
    func start() async throws -> VaultService {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let service = try await VaultService.start(configuration, logger: logger)
        running = service
        return service
    }

    /// The one that runs.
    func service() throws -> VaultService {
        guard let running else { throw VaultError.internalFailure("the sample was not started") }
        return running
    }

    func stop() async throws {
        try await running?.shutdown()
        running = nil
    }

    func restart() async throws -> VaultService {
        try await stop()
        return try await start()
    }

    func file(_ name: String) -> URL { URL(fileURLWithPath: dataPath).appendingPathComponent(name) }
    func read(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    func removeObjects(except kept: [String] = []) throws {
        for name in try objectFiles() where !kept.contains(name) {
            try FileManager.default.removeItem(atPath: "\(dataPath)/objects/\(name)")
        }
    }

    /// Names of the files of all objects.
    func objectFiles() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: dataPath + "/objects").filter { $0.contains("/") }
    }
}
