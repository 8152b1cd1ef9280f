import Logging
import ServiceLifecycle
import ServiceManager
import Threads
import Vaults

/// All watched folders of the configuration.
struct Inboxes: Service {
    private let runs: [InboxRun]

    /// Nil where no folder is watched. Blocking work runs elsewhere.
    /// - Throws: `SettingsError` for a door's code that is not there.
    init?(_ settings: Settings, service: VaultService, logger: Logger) async throws {
        let pool = BlockingPool(name: "start", threads: 1)
        do {
            runs = try await pool.run { try Self.runs(settings, service, logger) }
            await pool.shutdown()
        } catch {
            await pool.shutdown()
            throw error
        }
        guard !runs.isEmpty else { return nil }
        service.whenDoorsChange { [runs] in for run in runs { run.wake() } }
        service.watch("inbox") { [runs] in
            let troubles = runs.compactMap(\.trouble).reduce(into: [String]()) { known, trouble in
                if !known.contains(trouble) { known.append(trouble) }
            }
            return troubles.isEmpty ? nil : troubles.joined(separator: "; ")
        }
    }

    private static func runs(_ settings: Settings, _ service: VaultService, _ logger: Logger) throws -> [InboxRun] {
        let dataPath = settings.vaults.dataPath
        let runs = try settings.inboxes.map { inbox in
            let door = try inbox.doorToken(Credentials.current)
            let taken = try TakenFiles(dataPath: dataPath, path: inbox.path, door: door)
            return (taken.name, try InboxRun(inbox, door: door, service: service, taken: taken, logger: logger))
        }
        TakenFiles.removeOthers(than: Set(runs.map(\.0)), dataPath: dataPath)
        return runs.map(\.1)
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await withDiscardingTaskGroup { group in for run in runs { group.addTask { await run.run() } } }
            } onCancel: {
                stop()
            }
        } onGracefulShutdown: {
            stop()
        }
    }

    private func stop() { for run in runs { run.stop() } }
}
